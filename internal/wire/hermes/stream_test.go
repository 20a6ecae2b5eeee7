package hermes_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/openaichat"
)

// documented is an answer about calls, with calls: one argument holds the tag
// that ends a call.
const documented = "Writing.\n<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"doc.md\", " +
	"\"content\": \"close with </tool_call> and {\\\"x\\\": 1}\"}}\n</tool_call>\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>"

const documentedOutcome = `"Writing." write_file{"path": "doc.md", "content": "close with </tool_call> and {\"x\": 1}"} now{} tool_calls`

func quote(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestOverChatCompletions: the filter works on top of a chat dialect, on whole
// replies as on streams, and both give the same.
func TestOverChatCompletions(t *testing.T) {
	t.Parallel()
	var codec openaichat.Codec
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(both()...)
	r, err := wire.ReadReply(codec, a, []byte(`{"choices":[{"index":0,"message":{"content":`+quote(t, documented)+`},"finish_reason":"stop"}]}`))
	if err != nil || outcome(r) != documentedOutcome {
		t.Errorf("whole: %v, %s", err, outcome(r))
	}

	a = wire.NewAssembly(wire.Limits{})
	a.Filter(both()...)
	var events []chat.Event
	feed := func(data string) {
		t.Helper()
		got, err := wire.ReadEvent(codec, a, frame.Frame{Data: []byte(data)})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, got...)
	}
	for piece := range chunks(documented, 5) {
		feed(`{"choices":[{"index":0,"delta":{"content":` + quote(t, piece) + `}}]}`)
	}
	feed(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	feed(`[DONE]`)
	events = append(events, a.Flush()...)
	text, calls := seen(t, events)
	if got := outcome(a.Reply()); got != documentedOutcome || text != "Writing." || len(calls) != 2 || strings.Contains(text, "<") {
		t.Errorf("stream: %s, deltas %q %q", got, text, calls)
	}
}

// TestLengthOverChatCompletions: a call that the token limit cut is no call to
// run, and no fault of the model's.
func TestLengthOverChatCompletions(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(both()...)
	r, err := wire.ReadReply(openaichat.Codec{}, a, []byte(`{"choices":[{"index":0,"message":{"content":`+
		quote(t, documented[:90])+`},"finish_reason":"length"}]}`))
	if err != nil || r.Finish != chat.FinishLength || len(r.ToolCalls()) != 1 || r.ToolCalls()[0].Sound() || r.Text() != "Writing." {
		t.Errorf("%v, %s", err, outcome(r))
	}
}

// TestTextCost: behind the filter a text delta costs its event, no more; the
// race detector adds to that.
//
//nolint:paralleltest // allocations are counted for the whole process
func TestTextCost(t *testing.T) {
	const n = 2000
	word := []byte(" Kittiwake")
	per := testing.AllocsPerRun(5, func() {
		a := wire.NewAssembly(wire.Limits{})
		a.Filter(both()...)
		for range n {
			a.Text(wire.TextSlot, word)
			a.Drain()
		}
	}) / n
	if per > 2 {
		t.Errorf("%.2f allocations per delta", per)
	}
}

func BenchmarkText(b *testing.B) {
	word := []byte(" Kittiwake")
	for name, filters := range map[string]func() []wire.TextFilter{"filtered": both, "plain": func() []wire.TextFilter { return nil }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a := wire.NewAssembly(wire.Limits{})
				a.Filter(filters()...)
				for range 1000 {
					a.Text(wire.TextSlot, word)
					a.Drain()
				}
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	text := []byte("<tool_call>\n{\"name\":\"write\",\"arguments\":{\"text\":\"" + strings.Repeat("0123456789", 100_000) + "\"}}\n</tool_call>")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a := wire.NewAssembly(wire.Limits{})
		a.Filter(both()...)
		for rest := text; len(rest) > 0; rest = rest[min(len(rest), 8):] {
			a.Text(wire.TextSlot, rest[:min(len(rest), 8)])
		}
		a.Flush()
	}
}
