package gemini_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/gemini"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

var codec = gemini.Codec{}

// sentinel is what the API takes in the place of a token on foreign calls.
const sentinel = "skip_thought_signature_validator"

// encode is the call's body.
func encode(t *testing.T, c wire.Call) string {
	t.Helper()
	e, err := codec.EncodeRequest(c)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(e.Body) {
		t.Fatalf("not JSON: %s", e.Body)
	}
	return string(e.Body)
}

// tree is JSON text as Go values; numbers keep their digits.
func tree(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// at follows names and numbers into a tree.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				t.Fatalf("no element %d in %v", step, v)
			}
			v = list[step]
		}
	}
	return v
}

// wantAt compares what stands at a place of a body with JSON text; "" means
// that nothing stands there.
func wantAt(t *testing.T, body, want string, path ...any) {
	t.Helper()
	got := at(t, tree(t, body), path...)
	if want == "" {
		if got != nil {
			t.Errorf("at %v: %v, want nothing", path, got)
		}
		return
	}
	if !reflect.DeepEqual(got, tree(t, want)) {
		b, _ := json.Marshal(got)
		t.Errorf("at %v:\n got %s\nwant %s", path, b, want)
	}
}

func read(tb testing.TB, path ...string) string {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, path...)...))
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// decode is what the codec makes of a whole reply.
func decode(t *testing.T, body string) *chat.Reply {
	t.Helper()
	r, err := wiretest.Reply(codec, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collect reads a stream of events given as their data.
func collect(t *testing.T, data ...string) (*chat.Reply, []chat.Event, error) {
	t.Helper()
	return wiretest.Stream(codec, strings.NewReader(sse(data...)))
}

func sse(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\r\n\r\n")
	}
	return b.String()
}

// saying is a response with these parts and, if it isn't empty, a reason.
func saying(finish string, parts ...string) string {
	s := `{"candidates":[{"content":{"parts":[` + strings.Join(parts, ",") + `],"role":"model"},"index":0`
	if finish != "" {
		s += `,"finishReason":"` + finish + `"`
	}
	return s + `}],"modelVersion":"m"}`
}

// call is the smallest call.
func call(ms ...chat.Message) wire.Call {
	return wire.Call{Model: "gemini-3-flash-preview", Messages: ms}
}

func toolCall(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

// signed is a call that came from the API, with its id and a token.
func signed(id, name, args, token string) chat.ToolCall {
	c := toolCall(id, name, args)
	c.Signature = chat.Signature{Kind: "thought_signature+id", Data: token}
	return c
}

func said(parts ...chat.Part) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: parts}
}

func asked(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleUser, Parts: parts} }
