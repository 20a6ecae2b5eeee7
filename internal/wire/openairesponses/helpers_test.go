package openairesponses_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// encode is a call's body.
func encode(t *testing.T, c wire.Call) []byte {
	t.Helper()
	enc := wiretest.Encode(t, codec, c)
	if enc.Path != "/responses" {
		t.Errorf("path %q", enc.Path)
	}
	return enc.Body
}

// input is the list of items that a conversation is sent as.
func input(t *testing.T, messages ...chat.Message) []any {
	t.Helper()
	items, ok := tree(t, encode(t, wire.Call{Messages: messages}))["input"].([]any)
	if !ok {
		t.Fatal("no input")
	}
	return items
}

func wantInput(t *testing.T, got []any, want string) {
	t.Helper()
	var w []any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if !reflect.DeepEqual(got, w) {
		b, _ := json.Marshal(got)
		t.Errorf("\n got %s\nwant %s", b, want)
	}
}

func tree(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// sse makes a stream of frames, each named by its type.
func sse(frames ...string) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString("data: " + f + "\n\n")
	}
	return b.String()
}

// collected is the reply of a stream that must end well.
func collected(t *testing.T, frames ...string) *chat.Reply {
	t.Helper()
	r, _, err := wiretest.Stream(codec, strings.NewReader(sse(frames...)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// decoded is a reply that must be one.
func decoded(t *testing.T, body string) *chat.Reply {
	t.Helper()
	return wiretest.Decoded(t, codec, body)
}

// reply is a completed response with those items.
func reply(items ...string) string {
	return `{"id":"r1","model":"m","status":"completed","output":[` + strings.Join(items, ",") + `]}`
}

// completed is the event that ends a stream, with the items of the response.
func completed(items ...string) string {
	return `{"type":"response.completed","response":` + reply(items...) + `}`
}

func signed(kind, data string) chat.Signature { return chat.Signature{Kind: kind, Data: data} }

// call is a call with the id of its item, if there is one.
func call(id, item, args string) chat.ToolCall {
	c := chat.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage(args)}
	if item != "" {
		c.Signature = signed("item_id", item)
	}
	return c
}
