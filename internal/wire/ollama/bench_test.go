package ollama_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// textLines is a stream of n deltas as Ollama sends them.
func textLines(n int) []frame.Frame {
	const l = `{"model":"qwen3:8b","created_at":"2026-11-30T10:50:00.417003921Z","message":{"role":"assistant","content":"wo\nd%d"},"done":false}`
	out := make([]frame.Frame, n)
	for i := range out {
		out[i] = frame.Frame{Data: fmt.Appendf(nil, l, i%10)}
	}
	return out
}

// TestDecodeCost: one allocation per delta, the event; the race detector adds
// some, hence two.
//
//nolint:paralleltest // allocations are counted for the whole process
func TestDecodeCost(t *testing.T) {
	lines := textLines(2000)
	if n := testing.AllocsPerRun(5, func() { wiretest.Feed(t, codec, lines) }) / float64(len(lines)); n > 2 {
		t.Errorf("%.2f allocations per text delta", n)
	}
}

func BenchmarkTextStream(b *testing.B) {
	lines := textLines(20_000)
	wiretest.BenchFeed(b, codec, lines)
}

func BenchmarkReply(b *testing.B) {
	body := []byte(`{"model":"m","message":{"role":"assistant","content":"` + strings.Repeat("Kittiwake can lie on C7. ", 12) + `"},"done":true}`)
	wiretest.BenchReply(b, codec, body)
}

func BenchmarkEncode(b *testing.B) {
	prose := strings.Repeat("The lock at Port Sorrel opens at 06:40, weather permitting.\n", 40)
	c := wire.Call{Model: "m", System: wiretest.System, Tools: harbour()}
	for i := range 25 {
		id := fmt.Sprintf("call_%d", i)
		c.Messages = append(c.Messages, chat.User(prose),
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: id, Name: "get_tide", Arguments: json.RawMessage(wiretest.TideArgs)}}},
			chat.Results(chat.TextResult(id, "05:52 and 18:14")), chat.Assistant(prose))
	}
	wiretest.BenchEncode(b, codec, c)
}
