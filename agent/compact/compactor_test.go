package compact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

// answering is a model that gives one reply, whatever it is asked.
type answering struct{ reply *chat.Reply }

func always(r *chat.Reply) agent.Model { return answering{r} }

func (a answering) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return a.reply, nil }

func (a answering) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { yield(chat.Done{Reply: a.reply}, nil) }
}

// lines is a text of about that many tokens.
func lines(tokens int) string { return strings.Repeat("abc ", tokens) }

// pages is a conversation of one turn with that many steps, whose results have
// about that many tokens each.
func pages(steps, tokens int) []chat.Message {
	out := chat.Prompt("Read the pages.")
	for i := range steps {
		id := fmt.Sprintf("p%d", i)
		out = append(out,
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: id, Name: "read_page", Arguments: json.RawMessage(`{}`)}}},
			chat.Results(chat.TextResult(id, fmt.Sprintf("page %d: ", i)+lines(tokens))))
	}
	return out
}

// sizeOf is a conversation's size in bytes.
func sizeOf(t *testing.T, messages []chat.Message) int {
	t.Helper()
	raw, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return len(raw)
}

// compacted runs an agent and gives its compactions.
func compacted(t *testing.T, bot *agent.Agent, input ...chat.Message) ([]agent.Compacted, *agent.Result, error) {
	t.Helper()
	var out []agent.Compacted
	for ev, err := range bot.Stream(t.Context(), input...) {
		if err != nil {
			stop, ok := errors.AsType[*agent.StopError](err)
			if !ok {
				t.Fatal(err)
			}
			return out, stop.Result, err
		}
		switch ev := ev.(type) {
		case agent.Compacted:
			out = append(out, ev)
		case agent.Done:
			return out, ev.Result, nil
		case agent.StepStarted, agent.Delta, agent.CallStarted, agent.Nested, agent.CallFinished, agent.StepFinished:
		}
	}
	t.Fatal("the run has no end")
	return nil, nil, nil
}

// TestCompactDropsOldestResults: no more of them than it takes, oldest first.
func TestCompactDropsOldestResults(t *testing.T) {
	t.Parallel()
	model := scripted(text("done"))
	input := pages(10, 100)
	before := sizeOf(t, input)
	bot := agent.Agent{Model: model, Compact: compact.Compactor{Window: 1600, Keep: 4}}
	events, result, err := compacted(t, &bot, input...)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 || events[0].After > 800 || events[0].After < 680 || events[0].Before < 1300 || events[0].Summarised != 0 {
		t.Errorf("%+v", events)
	}
	sent := model.Requests[0].Messages
	for i, m := range sent {
		left := strings.Contains(chat.Message{Parts: resultParts(m)}.Text(), "left out to save room: about 10")
		if want := m.Role == chat.RoleTool && i <= 2*events[0].Dropped; left != want {
			t.Errorf("message %d left out: %v, want %v", i, left, want)
		}
	}
	if sizeOf(t, input) != before {
		t.Error("the caller's messages were changed")
	}
	if got, want := sizeOf(t, result.Archive), sizeOf(t, append(input, chat.Assistant("done"))); got != want {
		t.Errorf("the archive has %d bytes, want %d", got, want)
	}
	if len(result.Messages) != len(result.Archive) {
		t.Errorf("%d messages, %d in the archive", len(result.Messages), len(result.Archive))
	}
}

func resultParts(m chat.Message) []chat.Part {
	var out []chat.Part
	for _, p := range m.Parts {
		if r, ok := p.(chat.ToolResult); ok {
			out = append(out, r.Parts...)
		}
	}
	return out
}

// TestCompactLeavesAlone: a history that fits is not touched, nor is one
// without Compact.
func TestCompactLeavesAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]agent.Compactor{"none": nil, "fits": compact.Compactor{Window: 2000}} {
		model := scripted(text("done"))
		bot := agent.Agent{Model: model, Compact: c}
		input := pages(10, 100)
		events, result, err := compacted(t, &bot, input...)
		if err != nil || len(events) > 0 || sizeOf(t, model.Requests[0].Messages) != sizeOf(t, input) {
			t.Errorf("%s: %v, %+v", name, err, events)
		}
		if want := 22; c != nil && len(result.Archive) != want || c == nil && result.Archive != nil {
			t.Errorf("%s: %d messages in the archive", name, len(result.Archive))
		}
	}
}

// TestCompactShares: a lower At lowers To, and the reply's room lowers both.
func TestCompactShares(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		compact   compact.Compactor
		maxTokens int
	}{
		"At":        {compact.Compactor{Window: 5000, At: 0.2, Keep: 2}, 0},
		"MaxTokens": {compact.Compactor{Window: 5000, Keep: 2}, 4000},
	} {
		bot := agent.Agent{Model: scripted(text("done")), Compact: &c.compact, Request: chat.Request{MaxTokens: c.maxTokens}}
		events, _, err := compacted(t, &bot, pages(9, 100)...)
		if err != nil || len(events) != 1 || events[0].After > 625 || events[0].After < 500 {
			t.Errorf("%s: %v, %+v", name, err, events)
		}
		if events, _, err := compacted(t, &agent.Agent{Model: scripted(text("done")), Compact: bot.Compact, Request: bot.Request}, pages(6, 100)...); err != nil || len(events) > 0 {
			t.Errorf("%s, short enough: %v, %+v", name, err, events)
		}
	}
}

// TestCompactTooMuchAtOnce: results of the last step stay as long as the window
// holds them.
func TestCompactTooMuchAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		window  int
		dropped int
	}{
		"over the share":  {1500, 1},
		"over the window": {1000, 2},
	} {
		model := scripted(text("done"))
		bot := agent.Agent{Model: model, Compact: compact.Compactor{Window: c.window}}
		input := append(pages(1, 300), pages(1, 1000)[1:]...)
		events, _, err := compacted(t, &bot, input...)
		if err != nil || len(events) != 1 || events[0].Dropped != c.dropped {
			t.Errorf("%s: %v, %+v", name, err, events)
		}
		sent := model.Requests[0].Messages
		whole := len(chat.Message{Parts: resultParts(sent[len(sent)-1])}.Text()) > 1000
		if whole != (c.dropped == 1) {
			t.Errorf("%s: the last result is whole: %v", name, whole)
		}
	}
}

// TestCompactLongRun: a run of 300 steps goes through a small window, and no
// request is larger than that.
func TestCompactLongRun(t *testing.T) {
	t.Parallel()
	const steps = 300
	for name, summary := range map[string]agent.Model{"dropping": nil, "summing up": always(text("Read up to here."))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := make([]sim.Turn, 0, steps+1)
			for i := range steps {
				turns = append(turns, enginetest.Calls("read_page", page{i}))
			}
			fake := enginetest.New(append(turns, enginetest.Says("done"))...)
			bot := reader(fake, compact.Compactor{Window: 20000, Model: summary})
			bot.Request.Thinking = chat.ThinkingConfig{}
			events, result, err := compacted(t, &bot, chat.User("Read all pages."))
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Archive) != 2*steps+2 || len(events) < 3 || len(events) > steps/4 {
				t.Errorf("%d messages in the archive, %d compactions", len(result.Archive), len(events))
			}
			for i, sent := range fake.Sent() {
				if len(sent.Body) > 20000*4 {
					t.Errorf("request %d has %d bytes", i, len(sent.Body))
				}
			}
			for i, m := range result.Archive[1 : 2*steps] {
				if i%2 == 1 && len(chat.Message{Parts: resultParts(m)}.Text()) < 1000 {
					t.Fatalf("result %d of the archive isn't whole", i)
				}
			}
			sound(t, result)
		})
	}
}

// TestCompactResumed: a run that is stopped and resumed in the middle is
// shortened as one that isn't, and its archive is whole.
func TestCompactResumed(t *testing.T) {
	t.Parallel()
	const steps = 60
	model := func() agent.Model {
		turns := make([]sim.Turn, 0, steps+1)
		for i := range steps {
			turns = append(turns, enginetest.Calls("read_page", page{i}))
		}
		return enginetest.New(append(turns, enginetest.Says("done"))...)
	}
	bot := reader(model(), compact.Compactor{Window: 20000})
	bot.Request.Thinking = chat.ThinkingConfig{}
	bot.Limits.Steps = 2 * steps
	want, err := bot.Run(t.Context(), chat.User("Read all pages."))
	if err != nil {
		t.Fatal(err)
	}
	bot.Model, bot.Limits.Steps = model(), 7
	got, err := bot.Run(t.Context(), chat.User("Read all pages."))
	for err != nil && bot.Limits.Steps < 2*steps {
		stopped(t, got, err, agent.StopSteps)
		bot.Limits.Steps += 7
		got, err = bot.Resume(t.Context(), stateOf(t, got))
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Archive) != 2*steps+2 || !sameText(got.Archive, want.Archive) {
		t.Errorf("%d messages in the archive, %d without a stop", len(got.Archive), len(want.Archive))
	}
	if !sameText(got.Messages, want.Messages) {
		t.Errorf("the working history has %d messages, %d without a stop", len(got.Messages), len(want.Messages))
	}
}

// sameText compares conversations, ids of calls aside: each fake has its own.
func sameText(a, b []chat.Message) bool {
	return slices.EqualFunc(a, b, func(a, b chat.Message) bool {
		return a.Role == b.Role && a.Text() == b.Text() &&
			chat.Message{Parts: resultParts(a)}.Text() == chat.Message{Parts: resultParts(b)}.Text()
	})
}

// TestCompactTooLong: a request that the provider refuses as too long is made
// once more with a shorter history.
func TestCompactTooLong(t *testing.T) {
	t.Parallel()
	tooLong := &chat.Error{Kind: chat.ErrTooLong}
	compact := compact.Compactor{Window: 100000}
	for _, c := range []struct {
		name    string
		compact agent.Compactor
		model   *script
		input   []chat.Message
		calls   int
		fails   bool
	}{
		{"once", compact, scripted(tooLong, text("done")), pages(10, 100), 2, false},
		{"in two steps", compact, scripted(tooLong, calls("read_page {\"page\":1}"), tooLong, text("done")), pages(10, 100), 4, false},
		{"twice", compact, scripted(tooLong, tooLong, text("done")), pages(10, 100), 2, true},
		{"nothing to leave out", compact, scripted(tooLong, text("done")), chat.Prompt("Hello."), 1, true},
		{"without Compact", nil, scripted(tooLong, text("done")), pages(10, 100), 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bot := reader(c.model, c.compact)
			events, result, err := compacted(t, &bot, c.input...)
			if n := len(c.model.Requests); n != c.calls {
				t.Errorf("%d calls", n)
			}
			if c.fails {
				stopped(t, result, err, agent.StopFailed)
				if !errors.Is(err, chat.ErrTooLong) {
					t.Error(err)
				}
				return
			}
			if err != nil || result.Reason != agent.StopAnswered {
				t.Errorf("%v, %q", err, result.Reason)
			}
			for _, ev := range events {
				if ev.After >= ev.Before {
					t.Errorf("%+v", ev)
				}
			}
			if len(result.Archive) != len(c.input)+c.calls-1 {
				t.Errorf("%d messages in the archive", len(result.Archive))
			}
		})
	}
}

// TestCompactRefuses: what can't work is refused before anything is sent.
func TestCompactRefuses(t *testing.T) {
	t.Parallel()
	for param, c := range map[string]compact.Compactor{
		"Agent.Compact.Window":           {},
		"Agent.Compact.At":               {Window: 9, At: 1.1},
		"Agent.Compact.To":               {Window: 9, To: 0.8},
		"Agent.Compact.Keep":             {Window: 9, Keep: -1},
		"Agent.Compact.Request.Messages": {Window: 9, Request: chat.Request{Messages: []chat.Message{hello}}},
		"Agent.Compact.Request.Tools":    {Window: 9, Request: chat.Request{Tools: []chat.ToolDef{says("look", "").Def}}},
	} {
		bot := agent.Agent{Model: scripted(text("done")), Tools: tools.NewSet(), Compact: c}
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopRefused)
		if e, ok := errors.AsType[*chat.Error](err); !ok || e.Param != param {
			t.Errorf("%v, want %s", err, param)
		}
	}
	bot := agent.Agent{Model: scripted(text("done")), Compact: compact.Compactor{Window: 500}, Request: chat.Request{MaxTokens: 500}}
	if _, err := bot.Run(t.Context(), hello); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("no room for the reply: %v", err)
	}
}

// TestCompactEstimates: what a shortened history is taken to have is what the
// provider then counts, whatever it takes for a token.
func TestCompactEstimates(t *testing.T) {
	t.Parallel()
	for _, factor := range []float64{0.4, 1, 3} {
		t.Run(fmt.Sprint(factor), func(t *testing.T) {
			t.Parallel()
			all := make([]any, 0, 61)
			for range 60 {
				all = append(all, calls("read_page {\"page\":1}"))
			}
			model := &counting{script: scripted(append(all, text("done"))...), factor: factor}
			bot := reader(model, compact.Compactor{Window: int(9000 * factor)})
			bot.Request.MaxTokens = 0
			events, _, err := compacted(t, &bot, chat.User("Read all pages."))
			if err != nil || len(events) < 3 {
				t.Fatalf("%v, %d compactions", err, len(events))
			}
			for _, ev := range events {
				counted := model.counts[ev.Step]
				if off := float64(ev.After-counted) / float64(counted); off < -0.1 || off > 0.1 {
					t.Errorf("step %d: estimated %d, counted %d", ev.Step, ev.After, counted)
				}
				if limit := int(0.8 * 9000 * factor); ev.Before < limit || ev.Before > limit*6/5 {
					t.Errorf("step %d: came at %d, want %d", ev.Step, ev.Before, limit)
				}
			}
		})
	}
}

// counting is a script whose usage counts tokens of its own size.
type counting struct {
	*script
	factor float64
	counts []int
}

func (c *counting) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	raw, _ := json.Marshal(req.Messages)
	n := int(float64(len(raw)) / 4 * c.factor)
	c.counts = append(c.counts, n)
	inner := c.script.Stream(ctx, req)
	return func(yield func(chat.Event, error) bool) {
		for ev, err := range inner {
			if done, ok := ev.(chat.Done); ok {
				r := *done.Reply
				r.Usage = chat.Usage{Input: n, CachedInput: n / 2, Output: int(30 * c.factor)}
				ev = chat.Done{Reply: &r}
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// TestCompactKeepsTheStep: the last step stays whole when a message came in
// behind it, and so do the pieces of a reply that was paused.
func TestCompactKeepsTheStep(t *testing.T) {
	t.Parallel()
	first := pages(3, 300)
	ids := pages(5, 300)[7:]
	for name, input := range map[string][]chat.Message{
		"with a message behind it": append(slices.Clone(first), ids[0], ids[1], chat.User("Faster.")),
		"paused":                   append(slices.Clone(first), chat.Assistant("Let me "), chat.Assistant("think."), chat.User("Well?")),
	} {
		model := scripted(text("done"))
		bot := agent.Agent{Model: model, Compact: compact.Compactor{Window: 1000, To: 0.1, Keep: 1, Model: always(notes("Notes."))}}
		events, _, err := compacted(t, &bot, input...)
		if err != nil || len(events) != 1 || events[0].Summarised == 0 {
			t.Fatalf("%s: %v, %+v", name, err, events)
		}
		sent := model.Requests[0].Messages
		if n := len(sent); n < 4 || sizeOf(t, sent[n-3:]) != sizeOf(t, input[len(input)-3:]) {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

// TestCompactKeepsTheFront: messages of the template, and those that a cache
// mark covers, stay.
func TestCompactKeepsTheFront(t *testing.T) {
	t.Parallel()
	model := scripted(text("done"))
	front := pages(2, 100)
	bot := agent.Agent{
		Model: model, Compact: compact.Compactor{Window: 1000, Keep: 1, Model: always(text("Notes."))},
		Request: chat.Request{Messages: front[:3], Cache: chat.PromptCache{Messages: 4}},
	}
	input := append(slices.Clone(front[3:]), pages(8, 100)...)
	events, _, err := compacted(t, &bot, input...)
	if err != nil || len(events) != 1 || events[0].Summarised == 0 {
		t.Fatalf("%v, %+v", err, events)
	}
	sent := model.Requests[0].Messages
	if sizeOf(t, sent[:5]) != sizeOf(t, front) {
		t.Errorf("the front was changed: %+v", sent[:5])
	}
}

// TestArchiveOutlivesCompact: what was left out of the working history can be
// found.
func TestArchiveOutlivesCompact(t *testing.T) {
	t.Parallel()
	model := scripted(calls(`read_archive {"query":"page 0:"}`), text("fine"))
	bot := agent.Agent{Model: model, Compact: compact.Compactor{Window: 1600, Keep: 4}, Allow: agent.ControlTools{Archive: true}}
	result, err := bot.Run(t.Context(), pages(10, 100)...)
	if err != nil {
		t.Fatal(err)
	}
	if sent := model.Requests[0].Messages; strings.Contains(chat.Message{Parts: resultParts(sent[2])}.Text(), "page 0:") {
		t.Error("nothing was left out")
	}
	if got := said(result.Steps[0].Calls[0]); !strings.Contains(got, "[2 tool, from offset 0] result of : page 0: abc") {
		t.Errorf("found %q", got)
	}
}
