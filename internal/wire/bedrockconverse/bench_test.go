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

func play(tb testing.TB, frames []frame.Frame) {
	tb.Helper()
	a := wire.NewAssembly(wire.Limits{})
	for _, f := range frames {
		if _, err := (bedrockconverse.Codec{}).DecodeEvent(a, f); err != nil {
			tb.Fatal(err)
		}
	}
	a.Reply()
}

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
		perDelta := testing.AllocsPerRun(3, func() { play(t, frames) }) / n
		if perDelta > 1.75 { // the race detector drops pooled scanners now and then
			t.Errorf("%s: %.3f allocations per delta", name, perDelta)
		}
	}
}

func BenchmarkTextDeltas(b *testing.B) {
	const n = 20_000
	frames := deltas(n, `{"text":" word"}`)
	b.ReportAllocs()
	for b.Loop() {
		play(b, frames)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}

// Arguments in pieces of eight bytes: sixteen times as many take about sixteen
// times as long.
func BenchmarkArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			frames := deltas(size/8, `{"toolUse":{"input":"12345678"}}`, callStart)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				play(b, frames)
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	c := desk(func(c *wire.Call) { c.Tools = deskTools() })
	long := strings.Repeat("The tide table says \"05:52\" and <18:14>;\n", 50)
	for i := range 25 {
		id := fmt.Sprintf("tooluse_%d", i)
		c.Messages = append(c.Messages, said(thought(long[:800], long[:200]), toolCall(id, "get_tide", `{"station":"Sorrel Bar"}`)),
			chat.Results(chat.TextResult(id, long)), chat.Assistant(long[:200]), chat.User(long[:1000]))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (bedrockconverse.Codec{}).EncodeRequest(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeReply(b *testing.B) {
	body := []byte(read(b, "fixtures", "tool-calls-parallel", "reply.json"))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wiretest.Reply(bedrockconverse.Codec{}, body); err != nil {
			b.Fatal(err)
		}
	}
}
