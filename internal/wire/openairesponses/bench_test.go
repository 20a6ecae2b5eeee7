package openairesponses_test

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

// textFrames is a stream of n deltas as OpenAI sends them.
func textFrames(n int) []frame.Frame {
	const f = `{"type":"response.output_text.delta","item_id":"msg_e46b320165eec91e6344fa10340d5b3208304d6cad29d0d5","output_index":1,` +
		`"content_index":0,"delta":"wo\nd%d","logprobs":[],"obfuscation":"v01KUWywd","sequence_number":%d}`
	out := make([]frame.Frame, n)
	for i := range out {
		out[i] = frame.Frame{Data: fmt.Appendf(nil, f, i%10, i)}
	}
	return out
}

// argFrames is one call whose arguments come eight bytes at a time.
func argFrames(size int) []frame.Frame {
	out := make([]frame.Frame, 0, size/8+1)
	out = append(out, frame.Frame{Data: []byte(ev("output_item.added", `"output_index":0,"item":`+callJSON("fc_1", "call_1", "")))})
	for range size / 8 {
		out = append(out, frame.Frame{Data: []byte(ev("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"abcdefgh"`))})
	}
	return out
}

// TestDecodeCost: one allocation per delta (the event; the race detector adds
// some, hence two), and arguments in pieces cost in proportion to their length.
//
//nolint:paralleltest // allocations are counted for the whole process
func TestDecodeCost(t *testing.T) {
	texts, short, long := textFrames(2000), argFrames(16<<10), argFrames(256<<10)
	if n := testing.AllocsPerRun(5, func() { wiretest.Feed(t, codec, texts) }) / float64(len(texts)); n > 2 {
		t.Errorf("%.2f allocations per text delta", n)
	}
	few := testing.AllocsPerRun(1, func() { wiretest.Feed(t, codec, short) }) / float64(len(short))
	many := testing.AllocsPerRun(1, func() { wiretest.Feed(t, codec, long) }) / float64(len(long))
	if few > 2 || many > 2 {
		t.Errorf("%.2f and %.2f allocations per fragment of arguments", few, many)
	}
}

func BenchmarkTextStream(b *testing.B) {
	frames := textFrames(20_000)
	wiretest.BenchFeed(b, codec, frames)
}

func BenchmarkToolArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			frames := argFrames(size)
			wiretest.BenchFeed(b, codec, frames)
		})
	}
}

func BenchmarkReply(b *testing.B) {
	body := []byte(reply(thoughtItem, messageJSON("msg_1", strings.Repeat("Kittiwake can lie on C7 tonight. ", 8))))
	wiretest.BenchReply(b, codec, body)
}

// BenchmarkEncode writes a conversation of 100 messages with tools, some 118 KB.
func BenchmarkEncode(b *testing.B) {
	prose := strings.Repeat("The lock at Port Sorrel opens at 06:40, weather permitting, and the berth master's \"office\" is open from nine until the last boat is in.\n", 17)
	c := wire.Call{Model: "gpt-6-sol", System: wiretest.System, Tools: wiretest.Tools(true)}
	for i := range 25 {
		id := fmt.Sprintf("call_%d", i)
		c.Messages = append(c.Messages, chat.User(prose),
			wiretest.Said(chat.Thinking{Signature: signed("reasoning_item", thoughtItem)}, chat.ToolCall{ID: id, Name: "get_tide", Arguments: json.RawMessage(`{"station":"Sorrel Bar"}`)}),
			chat.Results(chat.TextResult(id, "05:52 and 18:14")), chat.Assistant(prose))
	}
	wiretest.BenchEncode(b, codec, c)
}
