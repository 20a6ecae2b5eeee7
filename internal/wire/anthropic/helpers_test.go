package anthropic_test

import (
	"bytes"
	"encoding/json"
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
	return string(wiretest.Encode(t, anthropic.Codec{}, c).Body)
}

// decode is what the codec makes of a whole reply.
func decode(t *testing.T, body string) *chat.Reply {
	t.Helper()
	return wiretest.Decoded(t, anthropic.Codec{}, body)
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
