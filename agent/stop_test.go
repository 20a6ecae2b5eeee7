package agent_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

func TestStops(t *testing.T) {
	t.Parallel()
	ask := says("ask", "b")
	danger := says("danger", "b").With(tools.Options{NeedsApproval: true})
	broken := named("broken", func(context.Context) (string, error) { return "", errors.New("disk full") }).
		With(tools.Options{OnError: tools.Stop})
	endless := func() []any {
		all := make([]any, 50)
		for i := range all {
			all[i] = calls("ask")
		}
		return all
	}
	for _, c := range []struct {
		name     string
		replies  []any
		limits   agent.Limits
		want     agent.Reason
		is       error // nil: none in particular
		requests int
		calls    []string
	}{
		{"steps", endless(), agent.Limits{Steps: 2}, agent.StopSteps, nil, 2, []string{"0 ask succeeded", "1 ask succeeded"}},
		{"tokens", endless(), agent.Limits{Tokens: 30}, agent.StopTokens, nil, 2, []string{"0 ask succeeded", "1 ask succeeded"}},
		{"cost", endless(), agent.Limits{Cost: 1}, agent.StopCost, nil, 1, []string{"0 ask succeeded"}},
		{
			"repetition", endless(),
			agent.Limits{Repeats: 2},
			agent.StopRepeated, nil, 4,
			[]string{"0 ask succeeded", "1 ask succeeded", "2 ask refused", "3 ask refused"},
		},
		{
			"invalid calls",
			[]any{calls("x"), calls("y"), text("never")},
			agent.Limits{InvalidCalls: 2},
			agent.StopInvalid, nil, 2,
			[]string{"0 x invalid", "1 y invalid"},
		},
		{
			"invalid calls in a row",
			[]any{calls("x"), calls("ask", "x"), calls("x"), calls("y")},
			agent.Limits{InvalidCalls: 2},
			agent.StopInvalid, nil, 4,
			[]string{"0 x invalid", "1 ask succeeded", "1 x invalid", "2 x invalid", "3 y invalid"},
		},
		{"a call that the provider can't read", []any{&chat.Error{Kind: chat.ErrMalformedCall}}, agent.Limits{}, agent.StopMalformed, chat.ErrMalformedCall, 1, nil},
		{"a prompt that is filtered", []any{&chat.Error{Kind: chat.ErrFiltered}}, agent.Limits{}, agent.StopFiltered, chat.ErrFiltered, 1, nil},
		{"no reply", []any{(*chat.Reply)(nil)}, agent.Limits{}, agent.StopFailed, chat.ErrBadReply, 1, nil},
		{"length", []any{ended(calls("ask"), chat.FinishLength)}, agent.Limits{}, agent.StopLength, nil, 1, nil},
		{"length in the text", []any{ended(text("half"), chat.FinishLength)}, agent.Limits{}, agent.StopLength, nil, 1, nil},
		{"filter", []any{ended(calls("ask"), chat.FinishFiltered)}, agent.Limits{}, agent.StopFiltered, nil, 1, nil},
		{"malformed", []any{ended(calls("ask"), chat.FinishMalformed)}, agent.Limits{}, agent.StopMalformed, nil, 1, nil},
		{"provider's error", []any{ended(calls("ask"), chat.FinishError)}, agent.Limits{}, agent.StopFailed, nil, 1, nil},
		{"a failed call", []any{calls("ask"), &chat.Error{Kind: chat.ErrQuota}}, agent.Limits{}, agent.StopFailed, chat.ErrQuota, 2, []string{"0 ask succeeded"}},
		{"refused", []any{&chat.UnsupportedError{}}, agent.Limits{}, agent.StopRefused, chat.ErrUnsupported, 1, nil},
		{"unmet", []any{&chat.Error{Kind: chat.ErrToolChoiceUnmet, Reply: calls("ask")}}, agent.Limits{}, agent.StopUnmet, chat.ErrToolChoiceUnmet, 1, nil},
		{"approval", []any{calls("ask", "danger")}, agent.Limits{}, agent.StopApproval, tools.ErrNeedsApproval, 1, nil},
		{"a tool that stops", []any{calls("broken")}, agent.Limits{}, agent.StopToolError, nil, 1, []string{"0 broken failed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			model := scripted(c.replies...)
			bot := agent.Agent{
				Model: model, Tools: tools.NewSet(ask, danger, broken), Limits: c.limits,
				Price: func(*chat.Reply) float64 { return 1 },
			}
			result, err := bot.Run(t.Context(), hello)
			stopped(t, result, err, c.want)
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if len(model.Requests) != c.requests {
				t.Errorf("%d requests, want %d", len(model.Requests), c.requests)
			}
			same(t, "calls", outcomes(result), c.calls)
		})
	}
}

// TestRepeats: the order of members doesn't make another call, and another call
// between makes a new beginning.
func TestRepeats(t *testing.T) {
	t.Parallel()
	type pair struct{ A, B int }
	add := tools.New("add", "Adds.", func(_ context.Context, in pair) (int, error) { return in.A + in.B, nil })
	model := scripted(calls(`add {"A":1,"B":2}`), calls(`add {"B":2, "A":1}`), calls(`add {"A":1,"B":3}`),
		calls(`add {"A":1,"B":2}`), text("fine"))
	bot := agent.Agent{Model: model, Tools: tools.NewSet(add), Limits: agent.Limits{Repeats: 1}}
	result, err := bot.Run(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "calls", outcomes(result), []string{"0 add succeeded", "1 add refused", "2 add succeeded", "3 add succeeded"})
}

// TestPartialUsage: what a failed call cost is counted, and its reply kept.
func TestPartialUsage(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{Model: scripted(&chat.Error{Kind: chat.ErrTruncated, Reply: text("ha")})}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopFailed)
	if result.Usage.Total() != 15 || result.Reply.Text() != "ha" || len(result.Messages) != 1 {
		t.Errorf("%+v", result)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	wait := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	asked := func(ctx context.Context) (*chat.Reply, error) { <-ctx.Done(); return nil, ctx.Err() }
	for _, c := range []struct {
		name  string
		reply any
		calls []string
	}{
		{"in a tool", calls("wait", "quick"), []string{"0 wait failed", "0 quick succeeded"}},
		{"in a model call", asked, nil},
	} {
		for _, deadline := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					bot := agent.Agent{Model: scripted(c.reply, text("never")), Tools: tools.NewSet(named("wait", wait), says("quick", "x"))}
					want, cause := agent.StopCancelled, context.Canceled
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if deadline {
						want, cause = agent.StopDeadline, context.DeadlineExceeded
						ctx, cancel = context.WithTimeout(ctx, time.Second)
						defer cancel()
					} else {
						time.AfterFunc(time.Second, cancel)
					}
					result, err := bot.Run(ctx, hello)
					stopped(t, result, err, want)
					if !errors.Is(err, cause) {
						t.Errorf("%v, want %v", err, cause)
					}
					same(t, "calls", outcomes(result), c.calls)
				})
			})
		}
	}
}

// TestStopCancelsBeside: a tool that ends the run ends those beside it, and
// those that have not begun don't.
func TestStopCancelsBeside(t *testing.T) {
	t.Parallel()
	wait := named("wait", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
	fatal := named("fatal", func(context.Context) (string, error) { return "", errors.New("disk full") }).
		With(tools.Options{OnError: tools.Stop})
	set := tools.NewSet(wait, fatal, says("later", "x"))
	set.MaxParallel = 2
	bot := agent.Agent{Model: scripted(calls("wait", "fatal", "later")), Tools: set}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopToolError)
	same(t, "calls", outcomes(result), []string{"0 wait failed", "0 fatal failed", "0 later not_run"})
}

// TestEndedBefore: a context that has ended stops a run before its first call,
// and an unlimited failure is told in one line.
func TestEndedBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user left"))
	model := scripted(text("never"))
	bot := agent.Agent{Model: model}
	result, err := bot.Run(ctx, hello)
	stopped(t, result, err, agent.StopCancelled)
	if !errors.Is(err, context.Canceled) || len(model.Requests) > 0 || result.Text() != "" {
		t.Errorf("%v after %d requests", err, len(model.Requests))
	}
	for want, e := range map[string]*agent.StopError{
		"agent: step 2: max_steps":           {Reason: agent.StopSteps, Step: 2},
		"agent: step 0: failed: no such way": {Reason: agent.StopFailed, Err: errors.New("no such way")},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}

// endless is a model whose stream ends without an end.
type endless struct{ agent.Model }

func (endless) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { yield(chat.TextDelta{Text: "half"}, nil) }
}

func TestStreamWithoutEnd(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{Model: endless{}}
	var last error
	for _, err := range bot.Stream(t.Context(), hello) {
		last = err
	}
	if !errors.Is(last, chat.ErrTruncated) {
		t.Errorf("%v", last)
	}
}

func TestStopWhen(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{
		Model: scripted(calls("a"), calls("b"), text("never")), Tools: tools.NewSet(says("a", "x"), says("b", "y")),
		StopWhen: agent.Called("b"),
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Reason != agent.StopCondition || len(result.Steps) != 2 {
		t.Errorf("%v: %+v", err, result)
	}
	sound(t, result)
}

// TestWrongAgents: what can't run is refused before the model is asked.
func TestWrongAgents(t *testing.T) {
	t.Parallel()
	a := says("a", "x")
	for name, bot := range map[string]agent.Agent{
		"no model":      {},
		"twice":         {Tools: tools.NewSet(a, a)},
		"request tools": {Request: chat.Request{Tools: []chat.ToolDef{a.Def}}},
		"cost":          {Limits: agent.Limits{Cost: 1}},
		"nil part":      {Request: chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{nil}}}}},
		"unknown":       {Tools: tools.NewSet(a), Policy: agent.First("b")},
		"prerequisite":  {Tools: tools.NewSet(a), Policy: agent.Requires("a", "b")},
		"max calls":     {Tools: tools.NewSet(a), Policy: agent.MaxCalls("b", 1)},
		"finish":        {Tools: tools.NewSet(a), Policy: agent.Finish("b")},
		"refuse": {Tools: tools.NewSet(a), Policy: func(agent.Step) agent.Decision {
			return agent.Decision{Refuse: map[string]string{"b": "no"}}
		}},
		"forced and refused": {Tools: tools.NewSet(a, says("b", "")), Policy: agent.All(agent.First("a"), agent.Requires("a", "b"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := enginetest.New(sim.Says("never"))
			if name != "no model" {
				bot.Model = fake
			}
			result, err := bot.Run(t.Context(), hello)
			stopped(t, result, err, agent.StopRefused)
			if _, planErr := bot.Plan(hello); !errors.Is(err, chat.ErrInvalid) || planErr == nil {
				t.Errorf("Run: %v; Plan: %v", err, planErr)
			}
			if n := len(fake.Sent()); n > 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
	bot := agent.Agent{Model: enginetest.New()}
	result, err := bot.Run(t.Context())
	stopped(t, result, err, agent.StopRefused)
}
