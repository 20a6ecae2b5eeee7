package compact_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// notes is the reply of a model that writes a summary.
func notes(s string) *chat.Reply {
	r := text(s)
	r.Usage = chat.Usage{Input: 1000, Output: 100}
	return r
}

// talk is a conversation of two turns, the second in the middle of its work:
// 8 messages that can be summed up, and a step of two that stays.
func talk() []chat.Message {
	out := append(pages(2, 400), chat.Assistant("Both pages are read."), chat.System("Be brief."))
	return append(append(out, chat.User("Now read them backwards.")), pages(2, 400)[1:]...)
}

// TestCompactSummary: a summary takes the place of the oldest messages; what is
// being worked on, instructions and the last step stay.
func TestCompactSummary(t *testing.T) {
	t.Parallel()
	model, writer := scripted(text("done")), scripted(notes("The notes."))
	bot := agent.Agent{
		Model: model, Price: func(r *chat.Reply) float64 { return float64(r.Usage.Input) },
		Compact: compact.Compactor{Window: 2000, To: 0.3, Keep: 2, Model: writer, Request: chat.Request{Model: "small", MaxTokens: 700}},
	}
	events, result, err := compacted(t, &bot, talk()...)
	if err != nil || len(events) != 1 {
		t.Fatalf("%v, %+v", err, events)
	}
	if ev := events[0]; ev.Summarised != 8 || ev.Usage.Input != 1000 || ev.Cost != 1000 || ev.Err != nil || ev.After > 610 {
		t.Errorf("%+v", ev)
	}
	if result.Usage.Input != 1010 || result.Cost != 1010 {
		t.Errorf("the run used %+v and cost %g", result.Usage, result.Cost)
	}
	sent, input := model.Requests[0].Messages, talk()
	if want := slices.Concat(sent[:1], input[6:8], input[10:]); sizeOf(t, sent) != sizeOf(t, want) || len(sent) != len(want) {
		t.Errorf("sent %+v", sent)
	}
	if first := sent[0]; first.Role != chat.RoleUser || !strings.HasSuffix(first.Text(), "The notes.") {
		t.Errorf("the summary: %+v", first)
	}
	req := writer.Requests[0]
	if req.Model != "small" || req.MaxTokens != 700 || req.System == "" || len(req.Tools) > 0 || len(req.Messages) != 1 {
		t.Errorf("asked with %+v", req)
	}
	for _, part := range []string{
		"user: Read the pages.", "call of read_page: {}", "result of read_page: page 1: abc", "assistant: Both pages", "user: Now read", "system: Be",
	} {
		if !strings.Contains(req.Messages[0].Text(), part) {
			t.Errorf("the transcript lacks %q:\n%s", part, req.Messages[0].Text())
		}
	}
	if n := len(req.Messages[0].Text()); n > 2000*4/2+1000 {
		t.Errorf("the transcript has %d bytes", n)
	}
}

// TestCompactSummaryOfSummary: the next summary is made of the one before it.
func TestCompactSummaryOfSummary(t *testing.T) {
	t.Parallel()
	uncounted := func(r *chat.Reply) *chat.Reply {
		r.Usage = chat.Usage{}
		return r
	}
	page := func() *chat.Reply { return uncounted(calls(`read_page {"page":1}`)) }
	model := scripted(page(), page(), page(), page(), page(), page(), uncounted(text("done")))
	writer := scripted(notes("First notes."), notes("Second notes."), notes("Third notes."))
	bot := reader(model, compact.Compactor{Window: 1200, To: 0.2, Keep: 1, Model: writer, Request: chat.Request{System: "Write."}})
	bot.Request.MaxTokens = 0
	events, result, err := compacted(t, &bot, chat.User("Read all pages."))
	if err != nil || len(events) < 2 {
		t.Fatalf("%v, %+v", err, events)
	}
	second := writer.Requests[1]
	if text := second.Messages[0].Text(); second.System != "Write." || !strings.Contains(text, "notes on what was before: First notes.") {
		t.Errorf("asked %q with %s", second.System, text)
	}
	heads, task := 0, 0
	for _, m := range result.Messages {
		if strings.Contains(m.Text(), "notes.") {
			heads++
		}
		if m.Text() == "Read all pages." {
			task++
		}
	}
	if heads != 1 || task != 1 {
		t.Errorf("%d summaries and %d times the task: %+v", heads, task, result.Messages)
	}
}

// TestCompactWithoutSummary: a summary that can't be had, or is none, leaves
// the run with what was left out, and with an outline if that is too much.
func TestCompactWithoutSummary(t *testing.T) {
	t.Parallel()
	cut := notes("The no")
	cut.Finish = chat.FinishLength
	refused := errors.New("refused")
	for _, c := range []struct {
		name  string
		reply any
		want  string
		usage int
	}{
		{"failed", refused, "refused", 0},
		{"failed with a reply", &chat.Error{Kind: chat.ErrTruncated, Reply: notes("The no")}, "truncated", 1000},
		{"empty", notes(" \n"), "empty", 1000},
		{"cut", cut, "length", 1000},
		{"longer", notes(lines(2000)), "not shorter", 1000},
		{"nothing", (*chat.Reply)(nil), "neither", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			model := scripted(text("done"))
			bot := agent.Agent{Model: model, Compact: compact.Compactor{Window: 2000, To: 0.3, Keep: 2, Model: scripted(c.reply)}}
			events, result, err := compacted(t, &bot, talk()...)
			if err != nil || len(events) != 1 {
				t.Fatalf("%v, %+v", err, events)
			}
			ev := events[0]
			if ev.Err == nil || !strings.Contains(ev.Err.Error(), c.want) || ev.Dropped != 3 || ev.Summarised != 0 {
				t.Errorf("%+v", ev)
			}
			if c.name == "failed" && !errors.Is(ev.Err, refused) {
				t.Errorf("the cause is lost: %v", ev.Err)
			}
			if ev.Usage.Input != c.usage || result.Usage.Input != c.usage+10 {
				t.Errorf("usage %+v, in all %+v", ev.Usage, result.Usage)
			}
		})
	}
}

// TestCompactOutline: where nothing writes a summary, the oldest messages give
// way to a note.
func TestCompactOutline(t *testing.T) {
	t.Parallel()
	for name, writer := range map[string]agent.Model{"no model": nil, "a model that fails": scripted()} {
		model := scripted(text("done"))
		bot := agent.Agent{Model: model, Compact: compact.Compactor{Window: 1000, Keep: 2, Model: writer}}
		input := append(chat.Prompt(lines(20)), pages(60, 0)[1:]...)
		events, _, err := compacted(t, &bot, input...)
		if err != nil || len(events) != 1 || events[0].After > 500 || (events[0].Err == nil) != (writer == nil) {
			t.Fatalf("%s: %v, %+v", name, err, events)
		}
		sent := model.Requests[0].Messages
		if len(sent) != 4 || !strings.HasSuffix(sent[0].Text(), "119 messages were left out without a summary. Calls in them: read_page 59.") {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

// TestCompactNotInEachStep: a history that stays near the limit isn't tried
// again until it has grown.
func TestCompactNotInEachStep(t *testing.T) {
	t.Parallel()
	replies := make([]any, 0, 21)
	for range 20 {
		r := calls("read_page")
		r.Usage = chat.Usage{}
		replies = append(replies, r)
	}
	writer := scripted()
	bot := agent.Agent{
		Model: scripted(append(replies, text("done"))...), Tools: tools.NewSet(says("read_page", "x")), Limits: agent.Limits{Steps: 30},
		Compact: compact.Compactor{Window: 1300, Keep: 1, Model: writer},
	}
	events, _, err := compacted(t, &bot, chat.User(lines(1000)))
	if n := len(writer.Requests); err != nil || n < 3 || n > 10 || len(events) != n {
		t.Errorf("%v, asked %d times for a summary, %d events", err, n, len(events))
	}
}

// TestCompactLimits: a summary counts, and ends a run whose limit it reaches.
func TestCompactLimits(t *testing.T) {
	t.Parallel()
	model := scripted(text("done"))
	bot := agent.Agent{
		Model: model, Limits: agent.Limits{Tokens: 1100},
		Compact: compact.Compactor{Window: 2000, To: 0.3, Keep: 2, Model: always(notes("The notes."))},
	}
	events, result, err := compacted(t, &bot, talk()...)
	stopped(t, result, err, agent.StopTokens)
	if len(model.Requests) != 0 || len(events) != 1 || len(result.Archive) != len(talk()) {
		t.Errorf("%d requests, %+v, %d messages in the archive", len(model.Requests), events, len(result.Archive))
	}
}

// TestCompactCancelled: a run that is cancelled while the summary is written
// ends so, its history as it was.
func TestCompactCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	writer := scripted(func(ctx context.Context) (*chat.Reply, error) {
		cancel()
		return nil, ctx.Err()
	})
	bot := agent.Agent{
		Model: scripted(), Tools: tools.NewSet(),
		Compact: compact.Compactor{Window: 2000, To: 0.3, Keep: 2, Model: writer},
	}
	result, err := bot.Run(ctx, talk()...)
	stopped(t, result, err, agent.StopCancelled)
	if sizeOf(t, result.Messages) != sizeOf(t, talk()) {
		t.Errorf("the history was changed: %+v", result.Messages)
	}
}

// uncounted makes calls of read_page whose usage the provider doesn't tell.
func uncounted(n int) []any {
	out := make([]any, 0, n+2)
	for range n {
		r := calls(`read_page {"page":1}`)
		r.Usage = chat.Usage{}
		out = append(out, r)
	}
	return out
}

// TestCompactRemembersRefusal: a size that was refused is the window from then
// on.
func TestCompactRemembersRefusal(t *testing.T) {
	t.Parallel()
	replies := append([]any{&chat.Error{Kind: chat.ErrTooLong}}, uncounted(12)...)
	bot := reader(scripted(append(replies, text("done"))...), compact.Compactor{Window: 100000})
	events, _, err := compacted(t, &bot, pages(10, 100)...)
	if err != nil || len(events) < 3 {
		t.Fatalf("%v, %+v", err, events)
	}
	for _, ev := range events[1:] {
		if ev.Before > events[0].Before*5/4 {
			t.Errorf("refused at %d, shortened at %d", events[0].Before, ev.Before)
		}
	}
}

// TestCompactCounts: the provider's count holds, however far from the estimate,
// but for thoughts that are not said back.
func TestCompactCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		usage  chat.Usage
		events int
	}{
		"input":    {chat.Usage{Input: 5000, Output: 10}, 1},
		"output":   {chat.Usage{Input: 2000, Output: 3000}, 1},
		"thoughts": {chat.Usage{Input: 2000, Output: 3000, Reasoning: 2990}, 0},
	} {
		first := calls(`read_page {"page":1}`)
		first.Usage = c.usage
		bot := reader(scripted(first, text("done")), compact.Compactor{Window: 6000})
		bot.Request.MaxTokens = 0
		events, _, err := compacted(t, &bot, pages(2, 100)...)
		if err != nil || len(events) != c.events || c.events > 0 && events[0].Before < 5000 {
			t.Errorf("%s: %v, %+v", name, err, events)
		}
	}
}
