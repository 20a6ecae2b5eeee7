package bedrockconverse_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// encode is the call's body.
func encode(t *testing.T, c wire.Call) string {
	t.Helper()
	e, err := bedrockconverse.Codec{}.EncodeRequest(c)
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
	r, err := wiretest.Reply(bedrockconverse.Codec{}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// frames gives lines of a name and a payload as frames; a name that starts with
// an exclamation mark is an exception.
type frames struct{ lines []string }

func (f *frames) Next() (frame.Frame, error) {
	if len(f.lines) == 0 {
		return frame.Frame{}, io.EOF
	}
	name, payload, _ := strings.Cut(f.lines[0], " ")
	f.lines = f.lines[1:]
	name, exception := strings.CutPrefix(name, "!")
	return frame.Frame{Event: []byte(name), Data: []byte(payload), Exception: exception}, nil
}

// collect reads a stream given as lines of a name and a payload.
func collect(t *testing.T, lines ...string) (*chat.Reply, []chat.Event, error) {
	t.Helper()
	return wiretest.Collect(bedrockconverse.Codec{}, &frames{lines})
}

const (
	start   = `messageStart {"role":"assistant","p":"abc"}`
	endTurn = `messageStop {"stopReason":"end_turn"}`
	toolUse = `messageStop {"stopReason":"tool_use"}`
	usage   = `metadata {"usage":{"inputTokens":10,"outputTokens":4,"totalTokens":14},"metrics":{"latencyMs":5}}`
	text    = `contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"hi"}}`
)

// whole is a stream that holds what is given.
func whole(stop string, inner ...string) []string {
	return append(append([]string{start}, inner...), stop, usage)
}

// call is the smallest call.
func call(ms ...chat.Message) wire.Call {
	return wire.Call{Model: "eu.anthropic.claude-haiku-4-5-20251001-v1:0", Messages: ms}
}

// toolCalls is a call that offers a tool.
func toolCalls(ms ...chat.Message) wire.Call {
	c := call(ms...)
	c.Tools = []chat.ToolDef{{Name: "f"}}
	return c
}

func toolCall(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func said(parts ...chat.Part) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: parts}
}

func asked(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleUser, Parts: parts} }

func thought(text, signature string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "signature", Data: signature}}
}

func redacted(data string) chat.Thinking {
	return chat.Thinking{Signature: chat.Signature{Kind: "redacted", Data: data}}
}
