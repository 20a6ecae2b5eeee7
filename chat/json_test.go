package chat_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
)

var sig = chat.Signature{Engine: "anthropic", Model: "claude-sonnet-4-5", Kind: "signature", Data: "Ey+uRc/MA7==\n<&>\u2028"}

// everyPart has each kind of part, with every field set, and with few.
var everyPart = map[string]chat.Part{
	"text":                 chat.Text{Text: "Köln, 南京, 🏰 <b>&amp;\n\"q\""},
	"empty text":           chat.Text{},
	"signed text":          chat.Text{Text: "hm", Signature: sig},
	"thinking":             chat.Thinking{Text: "let me see", Signature: sig},
	"withheld thinking":    chat.Thinking{Signature: chat.Signature{Kind: "redacted", Data: "b3BhcXVl"}},
	"image data":           chat.Image{MediaType: "image/png", Data: []byte{0, 0xff, '\n', 0x80}, Detail: "low"},
	"image URL":            chat.Image{URL: "https://example.com/a.png?x=1&y=2"},
	"file":                 chat.File{Name: "a.pdf", MediaType: "application/pdf", Data: []byte("%PDF")},
	"file id":              chat.File{ID: "file_7"},
	"file URL":             chat.File{URL: "https://example.com/a.pdf"},
	"audio":                chat.Audio{MediaType: "audio/wav", Data: []byte("RIFF")},
	"call":                 chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{"b":1,"a":"ü"}`), Signature: sig},
	"synthetic call":       chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{}`), Synthetic: true, Signature: chat.Signature{Kind: "rewrite", Data: "```json\n{}\n```"}},
	"big integers":         chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte(`{"id":9007199254740993,"n":123456789012345678901234567890,"x":1.0,"y":1e2}`)},
	"white space kept":     chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte("{ \"a\" :\t1 }\n")},
	"cut arguments":        chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte(`{"id":90071`)},
	"nonsense arguments":   chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte(`<tool_call>`)},
	"no arguments at all":  chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte{}},
	"duplicate keys kept":  chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte(`{"a":1,"a":2}`)},
	"escapes kept":         chat.ToolCall{ID: "c1", Name: "load", Arguments: []byte(`{"a":"\u00fc\/\ud83c\udff0"}`)},
	"result":               chat.ToolResult{CallID: "c1", Name: "place", Parts: []chat.Part{chat.Text{Text: "there"}}},
	"result with pictures": chat.ToolResult{CallID: "c1", Parts: []chat.Part{chat.Text{Text: "see"}, chat.Image{MediaType: "image/png", Data: []byte("x")}, chat.File{ID: "f"}}},
	"error result":         chat.ErrorResult("c1", "no such place"),
	"empty result":         chat.ToolResult{CallID: "c1", Parts: []chat.Part{}},
}

// TestMessageRoundTrip: a conversation survives storage byte for byte.
func TestMessageRoundTrip(t *testing.T) {
	t.Parallel()
	for name, part := range everyPart {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{part, chat.Text{Text: "and"}, part}}
			raw, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			var out chat.Message
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
			if !reflect.DeepEqual(in, out) {
				t.Errorf("stored %#v\nread   %#v\nas     %s", in, out, raw)
			}
			again, err := json.Marshal(out)
			if err != nil || string(again) != string(raw) {
				t.Errorf("stored again as %s, first as %s (%v)", again, raw, err)
			}
		})
	}
}

// TestConversationRoundTrip stores a list of messages, by value and by pointer.
func TestConversationRoundTrip(t *testing.T) {
	t.Parallel()
	in := []chat.Message{
		chat.System("Be brief."), chat.User("Where?"),
		{Role: chat.RoleAssistant, Parts: []chat.Part{everyPart["thinking"], everyPart["call"]}},
		chat.Results(chat.TextResult("c1", "there")), chat.Assistant("There."),
		{Role: chat.RoleAssistant, Parts: []chat.Part{}},
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out []*chat.Message
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) != len(in) {
		t.Fatalf("%d messages became %d", len(in), len(out))
	}
	for i, m := range out {
		if !reflect.DeepEqual(*m, in[i]) {
			t.Errorf("message %d: stored %+v, read %+v", i, in[i], *m)
		}
	}
}

// TestResultRoundTrip: a result can stand alone, or in a struct of somebody else.
func TestResultRoundTrip(t *testing.T) {
	t.Parallel()
	type answer struct {
		Result *chat.ToolResult `json:"result"`
	}
	for name, part := range everyPart {
		result, ok := part.(chat.ToolResult)
		if !ok {
			continue
		}
		raw, err := json.Marshal(answer{&result})
		if err != nil {
			t.Fatal(err)
		}
		var out answer
		if err := json.Unmarshal(raw, &out); err != nil || !reflect.DeepEqual(*out.Result, result) {
			t.Errorf("%s: %+v became %+v, %v", name, result, out.Result, err)
		}
	}
	for _, stored := range []string{`{"type":"text"}`, `{"type":"tool_result","parts":[{"type":"smell"}]}`, `{}`, `[]`} {
		kept := chat.TextResult("c1", "before")
		if err := json.Unmarshal([]byte(stored), &kept); err == nil || kept.CallID != "c1" {
			t.Errorf("%s was read as %+v", stored, kept)
		}
	}
}

// TestStoredForm pins the form: conversations that were stored must stay
// readable.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stored string
		want   chat.Message
	}{
		{`{"role":"user","parts":[{"type":"text","text":"hi"}]}`, chat.User("hi")},
		{
			`{"role":"tool","parts":[{"type":"tool_result","call_id":"c1","is_error":true,"parts":[{"type":"text","text":"no"}]}]}`,
			chat.Results(chat.ErrorResult("c1", "no")),
		},
		{
			`{"role":"assistant","parts":[{"type":"tool_call","name":"place","id":"c1","arguments":"{\"a\":1}","synthetic":true}]}`,
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{"a":1}`), Synthetic: true}}},
		},
		{
			`{"role":"assistant","parts":[{"type":"thinking","signature":{"engine":"e","model":"m","kind":"k","data":"d"}}]}`,
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Thinking{Signature: chat.Signature{Engine: "e", Model: "m", Kind: "k", Data: "d"}}}},
		},
	} {
		var got chat.Message
		if err := json.Unmarshal([]byte(tt.stored), &got); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s reads as %+v (%v), want %+v", tt.stored, got, err, tt.want)
		}
		if raw, err := json.Marshal(tt.want); err != nil || string(raw) != tt.stored {
			t.Errorf("%+v is stored as %s (%v), want %s", tt.want, raw, err, tt.stored)
		}
	}
}

// TestUnreadableMessages: what can't be read without loss is an error, and
// leaves the target as it was.
func TestUnreadableMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ stored, want string }{
		"unknown part":        {`{"role":"user","parts":[{"type":"hologram"}]}`, `unknown type "hologram"`},
		"unknown inner part":  {`{"role":"tool","parts":[{"type":"tool_result","call_id":"c","parts":[{"type":"smell"}]}]}`, `unknown type "smell"`},
		"part without a type": {`{"role":"user","parts":[{"text":"hi"}]}`, `unknown type ""`},
		"no message":          {`["user"]`, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := chat.User("before")
			err := json.Unmarshal([]byte(tt.stored), &m)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if m.Text() != "before" {
				t.Errorf("the target became %+v", m)
			}
		})
	}
	if raw, err := json.Marshal(chat.Message{Role: chat.RoleUser, Parts: []chat.Part{nil}}); err == nil {
		t.Errorf("a nil part was stored as %s", raw)
	}
}
