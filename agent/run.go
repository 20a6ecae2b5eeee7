package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// errGone ends a run whose events nobody takes any more.
var errGone = errors.New("nobody listens")

// run is one run of an agent.
type run struct {
	agent  *Agent
	set    *tools.Set
	defs   []chat.ToolDef
	result *Result
	// yield hands over an event; gone: it said that it takes no more.
	yield             func(Event) bool
	gone              bool
	unstreamed, quiet bool // see Start

	runtime  Runtime
	depth    int // how many runs are around it
	controls controls
	// open is the step in the middle of which the run is; nil between steps.
	open *openStep
	// begun: the run has passed its checks; resumed: it began in another call.
	begun, resumed bool
	seq            int // counts its states
	nonce          string

	// spoke: something of the step's replies is in the conversation.
	spoke bool
	// asked is what the run itself said to the model since the last step.
	asked   []chat.Message
	closing bool
	// thinkingOff: a call was made in a turn without thoughts, so that thinking
	// can't go on before the run ends.
	thinkingOff bool
	invalid     int // steps in a row with nothing but invalid calls
	at          int // the step
	memory      memory
	shortener   Shortener // nil without Agent.Compact
}

func newRun(a *Agent, input []chat.Message, yield func(Event) bool) *run {
	r := &run{
		agent: a, set: a.Tools.Fresh(), yield: yield,
		result: &Result{Messages: slices.Concat(a.Request.Messages, input)},
	}
	if more := r.controlTools(); len(more) > 0 {
		r.set = r.set.With(more...)
	}
	r.defs = r.set.Defs()
	return r
}

// openRun makes the run that s says. Beside an error it is the one that the error
// ended.
func openRun(a *Agent, s Start, yield func(Event) bool) (*run, error) {
	r := newRun(a, s.Input, yield)
	r.unstreamed, r.quiet = a.Unstreamed || s.Unstreamed, s.Quiet
	r.runtime = pickRuntime(a.Runtime, s.Runtime)
	if s.State != nil {
		return r, r.resume(s.State, s.Verdicts)
	}
	return r, nil
}

// loop goes on until the run has an end. The error is a *StopError, or
// errGone.
func (r *run) loop(ctx context.Context) error {
	r.depth = depthIn(ctx)
	err := r.steps(ctx)
	r.result.Archive = r.archive()
	return r.finish(ctx, err)
}

func (r *run) steps(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	if r.result.Reason == StopAborted {
		return r.abortedBefore()
	}
	for r.result.Reason == "" {
		if r.open == nil {
			if err := r.limits(ctx); err != nil {
				return err
			}
			if err := r.advance(ctx); err != nil {
				return err
			}
		}
		reason, err := r.settle(ctx)
		if err != nil {
			return err
		}
		r.result.Reason = reason
		if reason == "" {
			if err := r.save(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish keeps the state with which the run can be gone on with. After an error
// in the middle of its calls that is the open step.
func (r *run) finish(ctx context.Context, err error) error {
	if r.result.state == nil {
		r.result.state = r.snapshot()
	}
	r.result.state.Reason = r.result.Reason
	stop, stopped := errors.AsType[*StopError](err)
	if r.agent.Store == nil || !r.begun || stopped && stop.Reason == StopStore {
		return err
	}
	r.result.state.Seq = r.seq + 1
	raw, failed := json.Marshal(r.result.state)
	if failed == nil {
		failed = r.agent.Store.Save(context.WithoutCancel(ctx), r.agent.RunID, raw)
	}
	switch {
	case failed == nil:
		return err
	case stopped:
		stop.Err = errors.Join(stop.Err, failed)
		return err
	}
	return r.stop(StopStore, failed)
}

// stop ends the run without an answer.
func (r *run) stop(reason Reason, err error) error {
	r.result.Reason = reason
	return &StopError{Reason: reason, Step: r.at, Err: err, Result: r.result}
}

// limits holds the run against its limits, before a model call.
func (r *run) limits(ctx context.Context) error {
	limits, res := r.agent.Limits, r.result
	steps := cmp.Or(limits.Steps, defaultSteps)
	switch {
	case ctx.Err() != nil:
		return r.ended(ctx, context.Cause(ctx))
	case r.agent.Control.isPaused():
		return r.stop(StopPaused, nil)
	case len(res.Steps) >= steps:
		return r.stop(StopSteps, fmt.Errorf("after %d steps the model still asks for tools", steps))
	case limits.Tokens > 0 && res.Usage.Total() >= limits.Tokens:
		return r.stop(StopTokens, fmt.Errorf("%d tokens were used, %d are allowed", res.Usage.Total(), limits.Tokens))
	case limits.Cost > 0 && res.Cost >= limits.Cost:
		return r.stop(StopCost, fmt.Errorf("%g was spent, %g is allowed", res.Cost, limits.Cost))
	}
	return nil
}

// ended says how the context ended; err is what came of it.
func (r *run) ended(ctx context.Context, err error) error {
	if !errors.Is(err, ctx.Err()) {
		err = errors.Join(ctx.Err(), err)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return r.stop(StopDeadline, err)
	}
	return r.stop(StopCancelled, err)
}

// openStep is a step whose reply came and whose calls are to be answered.
type openStep struct {
	StepResult
	turn turn
}

// advance asks the model once, pauses aside, and opens the step.
func (r *run) advance(ctx context.Context) error {
	began := r.runtime.Now()
	r.at = len(r.result.Steps)
	injected := slices.Concat(r.asked, r.agent.Control.take())
	r.result.Messages, r.asked = append(r.result.Messages, injected...), nil
	if _, err := r.shorten(ctx, false); err != nil {
		return err
	}
	turn, err := r.prepare()
	if err != nil {
		return r.stop(StopRefused, err)
	}
	if err := r.announce(turn, injected); err != nil {
		return err
	}
	if len(injected) > 0 {
		if err := r.save(ctx); err != nil {
			return err
		}
	}
	s := StepResult{Index: turn.in.Index, ToolChoice: turn.req.ToolChoice}
	r.spoke = false
	err = r.askFitting(ctx, &turn, &s)
	if err == nil {
		err = r.judge(turn.req, &s)
	}
	s.Duration = r.since(began)
	r.result.Usage.Add(s.Usage)
	r.result.Cost += s.Cost
	if s.Reply != nil {
		r.result.Reply = s.Reply
	}
	if err != nil {
		s.void = !r.spoke
		return r.keep(s, err)
	}
	for _, c := range s.Reply.ToolCalls() {
		s.Calls = append(s.Calls, Call{ToolCall: c, Outcome: NotRun})
	}
	r.open = &openStep{s, turn}
	return nil
}

// settle answers the calls of the open step and closes it. A reason ends the
// run.
func (r *run) settle(ctx context.Context) (Reason, error) {
	began, o := r.runtime.Now(), r.open
	var err error
	if len(o.Calls) > 0 {
		r.admitCalls(o)
		if err := r.await(o); err != nil {
			return "", err
		}
		if err := r.save(ctx); err != nil {
			return "", err
		}
		if err = r.runCalls(ctx, o); err == nil {
			err = r.awaitInside(o)
		}
	}
	o.Duration += r.since(began)
	if err != nil {
		r.result.state = r.snapshot() // calls that did not run can be run later
	}
	r.countInner(o)
	r.open, r.closing = nil, false
	r.say(o.Reply)
	if len(o.Calls) > 0 {
		results := make([]chat.ToolResult, len(o.Calls))
		for i, c := range o.Calls {
			results[i] = c.Result
		}
		r.result.Messages = append(r.result.Messages, chat.Results(results...))
	}
	if err = r.keep(o.StepResult, err); err != nil {
		return "", err
	}
	if err := r.steer(ctx, o.Calls); err != nil {
		return "", err
	}
	return r.next(o.turn, o.StepResult)
}

// await stops the run if there are calls that somebody has to agree to.
func (r *run) await(o *openStep) error {
	pending := r.awaited(o)
	if len(pending) == 0 {
		return nil
	}
	r.result.Pending = pending
	reason := StopQuestion
	for _, p := range pending {
		if !p.External {
			reason = StopApproval
		}
	}
	return r.stop(reason, fmt.Errorf("tool %q: call %s: %w", pending[0].Name, pending[0].ID, tools.ErrNeedsApproval))
}

// keep books a step that is over, well or with err.
func (r *run) keep(s StepResult, err error) error {
	if s.Reply != nil || len(s.Paused) > 0 {
		r.result.Steps = append(r.result.Steps, s)
	}
	if s.Reply != nil && !r.tell(StepFinished{s, r.result.Usage, r.result.Cost}) {
		return errGone
	}
	return err
}

// tell hands an event over, and reports whether anybody takes more.
func (r *run) tell(ev Event) bool {
	if !r.gone {
		r.gone = !r.yield(ev)
	}
	return !r.gone
}

// view is the run as a policy sees it: before the step, even if that is open.
func (r *run) view() Step {
	res := r.result
	s := Step{
		Index: len(res.Steps), Messages: res.Messages, Done: res.Steps,
		Usage: res.Usage, Cost: res.Cost, Closing: r.closing,
	}
	if r.open == nil {
		return s
	}
	said, used := len(s.Messages), r.open.Usage
	for _, p := range r.open.Paused {
		said -= min(len(p.Parts), 1)
	}
	s.Messages = s.Messages[:max(said, 0)]
	s.Usage.Add(chat.Usage{
		Input: -used.Input, CachedInput: -used.CachedInput, CacheWrite: -used.CacheWrite,
		Output: -used.Output, Reasoning: -used.Reasoning,
	})
	s.Cost -= r.open.Cost
	return s
}

// next decides after a step whether and how the run ends.
func (r *run) next(t turn, s StepResult) (Reason, error) {
	finish := t.decision.Finish
	if len(s.Calls) == 0 {
		switch {
		case r.agent.Control.waiting():
			return "", nil
		case finish != "":
			r.closing = true
			r.asked = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.AskFor(finish)}}}
			return "", nil
		}
		return StopAnswered, nil
	}
	if err := r.aborted(s.Calls); err != nil {
		return "", err
	}
	for i, c := range s.Calls {
		if c.Outcome == Succeeded && (c.ends || c.Name == finish) {
			r.result.Final = &s.Calls[i].Result
			return StopTool, nil
		}
	}
	if r.agent.StopWhen != nil && r.agent.StopWhen(r.view()) {
		return StopCondition, nil
	}
	if err := r.giveUp(s); err != nil {
		return "", err
	}
	return "", r.paused(s.Calls)
}

// giveUp ends a run that leads nowhere.
func (r *run) giveUp(s StepResult) error {
	if r.allInvalid(s) {
		most := cmp.Or(r.agent.Limits.InvalidCalls, defaultInvalid)
		if r.invalid++; r.invalid >= most {
			return r.stop(StopInvalid, fmt.Errorf("nothing that the model called in %d steps can be run", r.invalid))
		}
	} else {
		r.invalid = 0
	}
	for _, c := range s.Calls {
		if c.insists {
			return r.stop(StopRepeated, fmt.Errorf("the model goes on to call %s with the same arguments", c.Name))
		}
	}
	return nil
}

func (r *run) allInvalid(s StepResult) bool {
	return !slices.ContainsFunc(s.Calls, func(c Call) bool { return c.Outcome != Invalid })
}
