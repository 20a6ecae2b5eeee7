package coherev2_test

import (
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
	return string(wiretest.Encode(t, coherev2.Codec{}, c).Body)
}

// decode is what the codec makes of a whole reply.
func decode(t *testing.T, body string) *chat.Reply {
	t.Helper()
	return wiretest.Decoded(t, coherev2.Codec{}, body)
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

func thought(text string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "thinking"}}
}

func plan(text string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "tool_plan"}}
}
