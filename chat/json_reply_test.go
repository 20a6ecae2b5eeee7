package chat_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// TestReplyRoundTrip sets every field, and fails when one is added that is not
// stored.
func TestReplyRoundTrip(t *testing.T) {
	t.Parallel()
	window := chat.Window{Limit: 100, Remaining: 7, Reset: time.Minute}
	in := chat.Reply{
		Finish: chat.FinishToolCalls, RawFinish: "tool_use",
		Usage:  chat.Usage{Input: 1, CachedInput: 2, CacheWrite: 3, Output: 4, Reasoning: 5},
		Output: json.RawMessage(`{"a":9007199254740993}`),
		Engine: "anthropic", Model: "m", ID: "msg_1", RequestID: "req_1",
		RateLimit: chat.RateLimit{Requests: window, Tokens: window},
		Timing:    chat.Timing{FirstToken: 1, Total: 2, Attempts: 3, Load: 4, Prompt: 5, Generation: 6},
		Warnings:  []chat.Warning{{Field: "Cache", Message: "left out"}},
		Steps:     []chat.Step{{Kind: chat.StepThinkingOff, Detail: "for this call"}},
		Raw:       json.RawMessage(`{}`),
	}
	for _, p := range everyPart {
		in.Parts = append(in.Parts, p)
	}
	for i, v := 0, reflect.ValueOf(in); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not tested", v.Type().Field(i).Name)
		}
	}
	raw, err := json.Marshal(&in)
	if err != nil {
		t.Fatal(err)
	}
	var out chat.Reply
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	in.Raw = nil
	if !reflect.DeepEqual(in, out) {
		t.Errorf("stored %#v\nread   %#v", in, out)
	}
	if err := json.Unmarshal([]byte(`{"parts":[{"type":"hologram"}]}`), &out); err == nil {
		t.Error("a part of an unknown kind was read")
	}
}
