package agent

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// Model makes model calls: a client, an engine, a fake, a router. One that also
// has the method Plan of [engine.Engine] is planned with before anything is
// sent.
type Model interface {
	Chat(context.Context, *chat.Request) (*chat.Reply, error)
	Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error]
}

// Agent is a model with tools, a policy and limits. It is plain data: copy it
// to change something. A run never changes its Agent, so one Agent serves any
// number of runs at once, each with counters of its own.
type Agent struct {
	Model Model
	// System is the instruction before the conversation; it is put before
	// Request.System.
	System string
	// Tools can be called; nil: none. Its MaxParallel bounds the calls that run
	// side by side. Serial tools run one at a time across all runs of the set,
	// while the counts of tools.Options.MaxCalls begin anew with each run.
	Tools *tools.Set
	// Policy decides about each step; nil leaves all to the model.
	Policy Policy
	Limits Limits
	// StopWhen ends the run after a step; see [Called]. nil: never.
	StopWhen func(Step) bool
	// Middleware wraps the models that steps ask, those of the policy and of
	// Allow.Engines, too; the first is the outermost. nil: none. Each is called
	// anew for every step, so what it remembers stands outside of it. One without
	// a Plan of its own leaves planning to the model inside.
	Middleware []func(Model) Model
	// Price is what a reply cost, in the currency of Limits.Cost; nil: nothing.
	Price func(*chat.Reply) float64
	// Compact shortens the history of a long run; nil: it is never shortened.
	Compact Compactor
	// Control steers a run from outside; nil: nobody does.
	Control *Control
	// Allow offers the model tools by which it steers the run; zero: none.
	Allow ControlTools
	// Store keeps the run, by the name RunID, so that it can be resumed after a
	// crash; nil: it is not kept. RunID belongs to one run: put it into a copy of
	// the Agent. See [Load] and [Agent.Resume].
	Store Store
	RunID string
	// Runtime is for hosts that may not use goroutines or the clock; nil: it is an
	// ordinary process.
	Runtime Runtime
	// Unstreamed makes Stream ask for whole replies: events are the same, but
	// each part of a reply comes as one delta.
	Unstreamed bool

	// Request is the template of every model call, for what has no field above:
	// Model, MaxTokens, Thinking, Output, Cache, Adapt, … Its Messages come
	// before the input; its Tools must be empty. A ToolChoice that forces a call
	// holds for the first step only, others hold unless Policy states one. Output
	// is asked for in the steps whose choice leaves room for an answer.
	Request chat.Request
}

// Limits bound a run. They are checked before each model call: what the last
// reply asked for has been run by then, so that the conversation is whole and
// can be gone on with. Time is limited by the context.
type Limits struct {
	// Steps is the most model steps; 0: 20.
	Steps int
	// Tokens is the most tokens, input and output of all steps; 0: no limit. The
	// reply that reaches it is kept.
	Tokens int
	// Cost is the most that Agent.Price may add up to; 0: no limit.
	Cost float64
	// Hops is how often in one step a reply that the provider paused is said
	// back to be gone on with; 0: 8.
	Hops int
	// InvalidCalls is how many steps in a row may hold only calls that can't be
	// run, of unknown tools or with arguments that don't fit; 0: 3. The model is
	// told what is wrong each time.
	InvalidCalls int
	// Repeats is how many steps in a row may hold a call of the same tool with
	// the same arguments. The next such call is answered with an error result in
	// place of being run, and the one after that ends the run. 0: no limit.
	Repeats int
}

// The limits where Limits states none.
const (
	defaultSteps   = 20
	defaultHops    = 8
	defaultInvalid = 3
)

// Run lets the model work on a conversation until it answers. The input is the
// whole conversation, such as chat.User("…"); to go on with a run, it is the
// Messages of its result and a new message.
//
// The result is never nil. An error is a *[StopError], which says why the run
// ended without an answer; the result then holds what was done so far, and
// [Agent.Resume] goes on from there.
func (a *Agent) Run(ctx context.Context, input ...chat.Message) (*Result, error) {
	return Run(ctx, a, input...)
}

// Stream is [Agent.Run] with its events as they come. Nothing is sent before
// the first range, which may happen once. An error, a *[StopError] with the
// partial result, comes last, with a nil event; success ends with a [Done].
// Breaking out of the range ends the model call, cancels the tools and waits
// for them.
func (a *Agent) Stream(ctx context.Context, input ...chat.Message) iter.Seq2[Event, error] {
	return Stream(ctx, a, input...)
}

// Resume goes on with a run from its state, which is [Result.State] or comes
// from [Load], in this process or another. The Agent has to be the one that
// began it, as far as the run depends on it; its limits count what was done
// before.
//
// No call that has ended is run again. A call that was cut off, by a crash or by
// the end of the run, is run again, unless its tool has side effects
// (tools.Options.SideEffects): then the model is told what its function returned,
// or, after a crash, that its outcome is unknown. Verdicts decide about calls of
// the step in which the run stopped, one that is pending, was not run, or whose
// outcome is unknown; one about any other call is refused, and [Result.State] is
// then that of before. Calls without a verdict stay pending, and the run stops
// again.
//
// A run that has ended well, or was aborted by the model, is not gone on with: its
// result is given again.
func (a *Agent) Resume(ctx context.Context, state json.RawMessage, verdicts ...Verdict) (*Result, error) {
	return Resume(ctx, a, state, verdicts...)
}

// ResumeStream is [Agent.Resume] with its events as they come; see
// [Agent.Stream]. The events of a step that is gone on with begin with a
// StepStarted that says so.
func (a *Agent) ResumeStream(ctx context.Context, state json.RawMessage, verdicts ...Verdict) iter.Seq2[Event, error] {
	return ResumeStream(ctx, a, state, verdicts...)
}

// Start implements [Runner].
func (a *Agent) Start(ctx context.Context, s Start) iter.Seq2[Event, error] {
	return NewStream(func(yield func(Event) bool) (*Result, error) {
		r, err := openRun(a, s, yield)
		if err == nil {
			err = r.loop(ctx)
		}
		return r.result, err
	})
}
