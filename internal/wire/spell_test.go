package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

func TestObjectArguments(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                  `{}`,
		" null\n":           `{}`,
		` {"n": 1e400} `:    `{"n": 1e400}`,
		`{"level":"hi`:      `{"INVALID_JSON":"{\"level\":\"hi"}`,
		`[1]`:               `{"INVALID_JSON":"[1]"}`,
		`{}{}`:              `{"INVALID_JSON":"{}{}"}`,
		"{\xff":             `{"INVALID_JSON":"{\ufffd"}`,
		`"INVALID_JSON"`:    `{"INVALID_JSON":"\"INVALID_JSON\""}`,
		` {"a":1} trailing`: `{"INVALID_JSON":"{\"a\":1} trailing"}`,
	} {
		if got := wire.ObjectArguments(&chat.ToolCall{Arguments: json.RawMessage(args)}); string(got) != want {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
}

// TestMembers: what isn't set or has no name is left out.
func TestMembers(t *testing.T) {
	t.Parallel()
	full := wire.Call{
		MaxTokens: 5, Temperature: new(0.0), TopP: new(0.5), Stop: []string{"a", `"`}, Seed: new(int64(0)),
		Metadata: map[string]string{"z": "1", "a\"": "2"},
	}
	names := wire.Sampling{MaxTokens: "max", TopP: "p", Stop: "stop", Seed: "seed"}
	for name, tt := range map[string]struct {
		write func(w *rawjson.Writer)
		want  string
	}{
		"sampling":     {func(w *rawjson.Writer) { names.Write(w, &full) }, `{"max":5,"temperature":0,"p":0.5,"stop":["a","\""],"seed":0}`},
		"unset":        {func(w *rawjson.Writer) { names.Write(w, &wire.Call{}) }, `{}`},
		"nameless":     {func(w *rawjson.Writer) { wire.Sampling{}.Write(w, &full) }, `{"temperature":0}`},
		"metadata":     {func(w *rawjson.Writer) { wire.WriteMetadata(w, &full, "m") }, `{"m":{"a\"":"2","z":"1"}}`},
		"no metadata":  {func(w *rawjson.Writer) { wire.WriteMetadata(w, &wire.Call{}, "m") }, `{}`},
		"a data URL":   {func(w *rawjson.Writer) { w.Key("u"); wire.WriteDataURL(w, "a/b", []byte("hi")) }, `{"u":"data:a/b;base64,aGk="}`},
		"a bare blob":  {func(w *rawjson.Writer) { w.Key("u"); wire.WriteBase64(w, "", nil) }, `{"u":""}`},
		"no schema":    {func(w *rawjson.Writer) { w.Key("s"); w.Raw(wire.Parameters(&chat.ToolDef{})) }, `{"s":{"type":"object","properties":{}}}`},
		"its own form": {func(w *rawjson.Writer) { w.Key("s"); w.Raw(wire.Parameters(&chat.ToolDef{Schema: []byte(`true`)})) }, `{"s":true}`},
	} {
		var w rawjson.Writer
		w.Object()
		tt.write(&w)
		w.EndObject()
		if string(w.Buf) != tt.want {
			t.Errorf("%s: got %s, want %s", name, w.Buf, tt.want)
		}
	}
}

// TestSizeOf: the guess covers what is long.
func TestSizeOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3000)
	blob := []byte(long)
	sig := chat.Signature{Data: long}
	parts := []chat.Part{
		chat.Text{Text: long, Signature: sig},
		chat.Thinking{Text: long, Signature: sig},
		chat.Image{Data: blob},
		chat.Image{URL: long},
		chat.File{Data: blob},
		chat.Audio{Data: blob},
		chat.ToolCall{Arguments: blob, Signature: sig},
	}
	c := wire.Call{
		System: long, Messages: []chat.Message{{Parts: parts}, {Parts: []chat.Part{chat.ToolResult{Parts: parts}}}},
		Tools: []chat.ToolDef{{Schema: blob}}, Format: &wire.Format{Schema: blob}, Extra: []wire.Member{{Value: blob}},
	}
	const texts, blobs = 4 + 2*7, 2 * 3 // blobs grow by a third
	if got, least := wire.SizeOf(&c), texts*3000+blobs*4000; got < least {
		t.Errorf("got %d, want at least %d", got, least)
	}
}
