package mcp_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// TestResults: content as it comes over the wire, and what the model gets.
func TestResults(t *testing.T) {
	t.Parallel()
	text := func(texts ...string) []chat.Part {
		parts := make([]chat.Part, len(texts))
		for i, s := range texts {
			parts[i] = chat.Text{Text: s}
		}
		return parts
	}
	for name, tt := range map[string]struct {
		result string
		want   []chat.Part
	}{
		"text":    {`"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, text("a", "b")},
		"nothing": {`"content":[]`, text("")},
		"image": {
			`"content":[{"type":"image","mimeType":"image/png","data":"` + b64("p") + `"}]`,
			[]chat.Part{chat.Image{MediaType: "image/png", Data: []byte("p")}},
		},
		"image that nobody takes": {
			`"content":[{"type":"image","mimeType":"image/tiff","data":"` + b64("pp") + `"}]`,
			text(`[image, type: "image/tiff", bytes: "2", shown: "no"]`),
		},
		"audio": {
			`"content":[{"type":"audio","mimeType":"audio/wav","data":"` + b64("abc") + `"}]`,
			text(`[audio, type: "audio/wav", bytes: "3", shown: "no"]`),
		},
		"link": {
			`"content":[{"type":"resource_link","uri":"x://y","name":"n","mimeType":"text/plain","description":"d\"]"}]`,
			text(`[resource, name: "n", uri: "x://y", type: "text/plain", description: "d\"]"]`),
		},
		"text resource": {
			`"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"text/plain","text":"hi"}}]`,
			text("[resource, uri: \"x://y\", type: \"text/plain\"]\nhi"),
		},
		"text in base64": {
			`"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"application/json; charset=utf-8","blob":"` + b64("{}") + `"}}]`,
			text("[resource, uri: \"x://y\", type: \"application/json; charset=utf-8\"]\n{}"),
		},
		"not the text it says": {
			`"content":[{"type":"resource","resource":{"uri":"x://y","mimeType":"text/plain","blob":"` + b64("\xff") + `"}}]`,
			text(`[resource, uri: "x://y", type: "text/plain", bytes: "1", shown: "no"]`),
		},
		"document": {
			`"content":[{"type":"resource","resource":{"uri":"x://y/doc.pdf","mimeType":"application/pdf","blob":"` + b64("%PDF") + `"}}]`,
			[]chat.Part{chat.File{Name: "doc.pdf", MediaType: "application/pdf", Data: []byte("%PDF")}},
		},
		"document without a name": {
			`"content":[{"type":"resource","resource":{"uri":"","mimeType":"application/pdf","blob":"` + b64("%PDF") + `"}}]`,
			[]chat.Part{chat.File{MediaType: "application/pdf", Data: []byte("%PDF")}},
		},
		"document above all": {
			`"content":[{"type":"resource","resource":{"uri":"x://../..","mimeType":"application/pdf","blob":"` + b64("%PDF") + `"}}]`,
			[]chat.Part{chat.File{MediaType: "application/pdf", Data: []byte("%PDF")}},
		},
		"empty resource":         {`"content":[{"type":"resource"}]`, text("[empty resource]")},
		"structured alone":       {`"content":[],"structuredContent":{"z":9007199254740993,"a":[]}`, text(`{"z":9007199254740993,"a":[]}`)},
		"structured and text":    {`"content":[{"type":"text","text":"{\"b\": 1,\"a\":2}"}],"structuredContent":{"a":2,"b":1}`, text(`{"b": 1,"a":2}`)},
		"structured and summary": {`"content":[{"type":"text","text":"two"}],"structuredContent":{"n":2}`, text("two", `{"n":2}`)},
		"wrapped text":           {`"content":[{"type":"text","text":"two"}],"structuredContent":{"result":"two"}`, text("two")},
		"wrapped number":         {`"content":[{"type":"text","text":"2"}],"structuredContent":{"result":2}`, text("2")},
		"wrapped other":          {`"content":[{"type":"text","text":"2"}],"structuredContent":{"result":3}`, text("2", `{"result":3}`)},
		"structured null":        {`"content":[{"type":"text","text":"a"}],"structuredContent":null`, text("a")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := setOf(t, open(t, mcp.Config{Transport: listing(`"result":{`+tt.result+`}`, tool("t", ""))}))
			got := set.Call(t.Context(), chat.ToolCall{ID: "c1", Name: "t"})
			if got.IsError || !reflect.DeepEqual(got.Parts, tt.want) {
				t.Errorf("got %+v, want %+v", got.Parts, tt.want)
			}
		})
	}
}

func TestResultsThatAreErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ answer, want string }{
		"of the tool":      {`"result":{"content":[{"type":"text","text":"no such city"}],"isError":true}`, "error: no such city"},
		"of the protocol":  {`"error":{"code":-32602,"message":"unknown tool"}`, "error: mcp: server: the server says: unknown tool (-32602)"},
		"too large":        {`"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 101) + `"}]}`, "error: the result has 101 bytes, 100 are the limit: ask for less"},
		"just fits":        {`"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 100) + `"}]}`, strings.Repeat("x", 100)},
		"unknown content":  {`"result":{"content":[{"type":"hologram"}]}`, `error: mcp: server: t may or may not have been carried out: outcome unknown: the answer can't be read: calling "tools/call": unrecognized content type "hologram"`},
		"asks for a model": {`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{}}}}`, "error: mcp: server: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, mcp.Config{MaxResult: 100, Transport: listing(tt.answer, tool("t", ""))})
			if got := run(t.Context(), setOf(t, s), "t", `{}`); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestStopOnErrorResult: what the server calls an error is one.
func TestStopOnErrorResult(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Config{
		Options:   func(*sdkTool) tools.Options { return tools.Options{OnError: tools.Stop} },
		Transport: listing(`"result":{"content":[{"type":"text","text":"no"}],"isError":true}`, tool("t", "")),
	})
	if _, err := setOf(t, s).Run(t.Context(), calls("t", `{}`)); err == nil || !strings.HasSuffix(err.Error(), "no") {
		t.Errorf("error %v", err)
	}
}

func TestTextOnly(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Config{TextOnly: true, Transport: listing(
		`"result":{"content":[{"type":"image","mimeType":"image/png","data":"`+b64("p")+`"}]}`, tool("t", ""))})
	if got := run(t.Context(), setOf(t, s), "t", `{}`); got != `[image, type: "image/png", bytes: "1", shown: "no"]` {
		t.Errorf("got %q", got)
	}
}

// TestArgumentsAreCheckedHere: the server isn't asked what can't be right.
func TestArgumentsAreCheckedHere(t *testing.T) {
	t.Parallel()
	page := `{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`
	s := open(t, mcp.Config{Transport: script(func(method string, params json.RawMessage) string {
		if method == "tools/call" {
			return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, params)
		}
		return answer(method, page)
	})})
	if got := run(t.Context(), setOf(t, s), "t", `{"n":"many"}`); got != "error: arguments: n: must be an integer, not the string \"many\"" {
		t.Errorf("got %q", got)
	}
}
