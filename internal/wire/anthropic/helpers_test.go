package anthropic_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// encode is the call's body.
func encode(t *testing.T, c wire.Call) string {
	t.Helper()
	e, err := anthropic.Codec{}.EncodeRequest(c)
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
	r, err := wiretest.Reply(anthropic.Codec{}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// collect reads a stream of events given as their data; each event is named
// after the type in it.
func collect(t *testing.T, data ...string) (*chat.Reply, []chat.Event, error) {
	t.Helper()
	return wiretest.Stream(anthropic.Codec{}, strings.NewReader(sse(t, data...)))
}

func sse(t *testing.T, data ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, d := range data {
		var e struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal([]byte(d), &e) // broken JSON is sent as it is
		if e.Type != "" {
			b.WriteString("event: " + e.Type + "\n")
		}
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

const (
	start = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],` +
		`"stop_reason":null,"usage":{"input_tokens":25,"output_tokens":1}}}`
	endTurn = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":20}}`
	toolUse = `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":20}}`
	stop    = `{"type":"message_stop"}`
)

// call is the smallest call.
func call(ms ...chat.Message) wire.Call {
	return wire.Call{Model: "claude-sonnet-4-5", MaxTokens: 256, Messages: ms}
}

func toolCall(id, name, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func said(parts ...chat.Part) chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: parts}
}

func asked(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleUser, Parts: parts} }
