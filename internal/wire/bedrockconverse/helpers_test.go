package bedrockconverse_test

import (
	"io"
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
	return string(wiretest.Encode(t, bedrockconverse.Codec{}, c).Body)
}

// decode is what the codec makes of a whole reply.
func decode(t *testing.T, body string) *chat.Reply {
	t.Helper()
	return wiretest.Decoded(t, bedrockconverse.Codec{}, body)
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

func thought(text, signature string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "signature", Data: signature}}
}

func redacted(data string) chat.Thinking {
	return chat.Thinking{Signature: chat.Signature{Kind: "redacted", Data: data}}
}
