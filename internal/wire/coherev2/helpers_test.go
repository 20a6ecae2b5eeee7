package coherev2_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// encode is the call's body.
func encode(t *testing.T, c wire.Call) string {
	t.Helper()
	e, err := coherev2.Codec{}.EncodeRequest(c)
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
	r, err := wiretest.Reply(coherev2.Codec{}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collect reads a stream of events given as their data.
func collect(t *testing.T, data ...string) (*chat.Reply, []chat.Event, error) {
	t.Helper()
	body := "data: " + strings.Join(data, "\n\ndata: ") + "\n\n"
	if len(data) == 0 {
		body = ""
	}
	return wiretest.Stream(coherev2.Codec{}, strings.NewReader(body))
}

const (
	start    = `{"id":"r1","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`
	text     = `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"hi"}}}}`
	complete = `{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"input_tokens":10,"output_tokens":4}}}}`
	toolCall = `{"type":"message-end","delta":{"finish_reason":"TOOL_CALL","usage":{"tokens":{"input_tokens":10,"output_tokens":4}}}}`
)

// whole is a stream that holds what is given.
func whole(end string, inner ...string) []string {
	return append(append([]string{start}, inner...), end)
}

// call is the smallest call.
func call(ms ...chat.Message) wire.Call { return wire.Call{Model: "command-a-03-2025", Messages: ms} }

func called(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func said(parts ...chat.Part) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: parts}
}

func asked(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleUser, Parts: parts} }

func thought(text string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "thinking"}}
}

func plan(text string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "tool_plan"}}
}
