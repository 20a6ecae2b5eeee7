package gemini_test

import (
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
	return string(wiretest.Encode(t, codec, c).Body)
}

// decode is what the codec makes of a whole reply.
func decode(t *testing.T, body string) *chat.Reply {
	t.Helper()
	return wiretest.Decoded(t, codec, body)
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

// signed is a call that came from the API, with its id and a token.
func signed(id, name, args, token string) chat.ToolCall {
	c := wiretest.ToolCall(id, name, args)
	c.Signature = chat.Signature{Kind: "thought_signature+id", Data: token}
	return c
}
