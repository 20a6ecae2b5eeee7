package bedrockconverse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// deltas are the frames of a stream with n deltas of one block.
func deltas(n int, delta string, before ...string) []frame.Frame {
	lines := append([]string{start}, before...)
	for range n {
		lines = append(lines, `contentBlockDelta {"contentBlockIndex":0,"delta":`+delta+`,"p":"abcdefgh"}`)
	}
	lines = append(lines, endTurn, usage)
	out := make([]frame.Frame, len(lines))
	for i, line := range lines {
		name, payload, _ := strings.Cut(line, " ")
		out[i] = frame.Frame{Event: []byte(name), Data: []byte(payload)}
	}
	return out
}

const callStart = `contentBlockStart {"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t1","name":"f"}}}`

// One allocation per delta is the event that the caller gets; escapes cost no
// more.
func TestAllocationsPerDelta(t *testing.T) { //nolint:paralleltest // it counts allocations
	const n = 5000
	for name, frames := range map[string][]frame.Frame{
		"text":           deltas(n, `{"text":" word"}`),
		"with an escape": deltas(n, `{"text":"\n\"word\""}`),
		"thoughts":       deltas(n, `{"reasoningContent":{"text":" word"}}`),
		"arguments":      deltas(n, `{"toolUse":{"input":"\"a\": 1,"}}`, callStart),
	} {
		perDelta := testing.AllocsPerRun(3, func() { wiretest.Feed(t, bedrockconverse.Codec{}, frames) }) / n
		if perDelta > 1.75 { // the race detector drops pooled scanners now and then
			t.Errorf("%s: %.3f allocations per delta", name, perDelta)
		}
	}
}

func BenchmarkTextDeltas(b *testing.B) {
	const n = 20_000
	frames := deltas(n, `{"text":" word"}`)
	wiretest.BenchFeed(b, bedrockconverse.Codec{}, frames)
}

// Arguments in pieces of eight bytes: sixteen times as many take about sixteen
// times as long.
func BenchmarkArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			frames := deltas(size/8, `{"toolUse":{"input":"12345678"}}`, callStart)
			b.SetBytes(int64(size))
			wiretest.BenchFeed(b, bedrockconverse.Codec{}, frames)
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	c := desk(func(c *wire.Call) { c.Tools = wiretest.Tools(true) })
	long := strings.Repeat("The tide table says \"05:52\" and <18:14>;\n", 50)
	for i := range 25 {
		id := fmt.Sprintf("tooluse_%d", i)
		c.Messages = append(c.Messages, wiretest.Said(thought(long[:800], long[:200]), wiretest.ToolCall(id, "get_tide", `{"station":"Sorrel Bar"}`)),
			chat.Results(chat.TextResult(id, long)), chat.Assistant(long[:200]), chat.User(long[:1000]))
	}
	wiretest.BenchEncode(b, bedrockconverse.Codec{}, c)
}

func BenchmarkDecodeReply(b *testing.B) {
	body := []byte(wiretest.Read(b, "fixtures", "tool-calls-parallel", "reply.json"))
	wiretest.BenchReply(b, bedrockconverse.Codec{}, body)
}
