package coherev2_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// deltas are the frames of a stream with n times the same event.
func deltas(n int, event string, before ...string) []frame.Frame {
	data := append([]string{start}, before...)
	for range n {
		data = append(data, event)
	}
	data = append(data, complete)
	out := make([]frame.Frame, len(data))
	for i, d := range data {
		out[i] = frame.Frame{Data: []byte(d)}
	}
	return out
}

const (
	callStart = `{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","type":"function","function":{"name":"f","arguments":""}}}}}`
	callDelta = `{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"12345678"}}}}}`
)

// One allocation per delta is the event that the caller gets; escapes cost no
// more.
func TestAllocationsPerDelta(t *testing.T) { //nolint:paralleltest // it counts allocations
	const n = 5000
	for name, frames := range map[string][]frame.Frame{
		"text":           deltas(n, text),
		"with an escape": deltas(n, strings.Replace(text, "hi", `\n\"hi\"`, 1)),
		"plan":           deltas(n, `{"type":"tool-plan-delta","delta":{"message":{"tool_plan":" word"}}}`),
		"arguments":      deltas(n, callDelta, callStart),
	} {
		perDelta := testing.AllocsPerRun(3, func() { wiretest.Feed(t, coherev2.Codec{}, frames) }) / n
		if perDelta > 1.75 { // the race detector drops pooled scanners now and then
			t.Errorf("%s: %.3f allocations per delta", name, perDelta)
		}
	}
}

func BenchmarkTextDeltas(b *testing.B) {
	const n = 20_000
	frames := deltas(n, text)
	wiretest.BenchFeed(b, coherev2.Codec{}, frames)
}

// Arguments in pieces of eight bytes: sixteen times as many take about sixteen
// times as long.
func BenchmarkArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			frames := deltas(size/8, callDelta, callStart)
			b.SetBytes(int64(size))
			wiretest.BenchFeed(b, coherev2.Codec{}, frames)
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	c := desk(func(c *wire.Call) { c.Tools = wiretest.Tools(false) })
	long := strings.Repeat("The tide table says \"05:52\" and <18:14>;\n", 50)
	for i := range 25 {
		id := fmt.Sprintf("get_tide_%d", i)
		c.Messages = append(c.Messages, wiretest.Said(plan(long[:200]), wiretest.ToolCall(id, "get_tide", `{"station":"Sorrel Bar"}`)),
			chat.Results(chat.TextResult(id, long)), chat.Assistant(long[:200]), chat.User(long[:1000]))
	}
	wiretest.BenchEncode(b, coherev2.Codec{}, c)
}

func BenchmarkDecodeReply(b *testing.B) {
	body := []byte(wiretest.Read(b, "fixtures", "tool-calls-parallel", "reply.json"))
	wiretest.BenchReply(b, coherev2.Codec{}, body)
}
