package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// run is one execution of a flow.
type run struct {
	flow    *Flow
	agent   agent.Agent
	control *agent.Control
	// cancel ends the agent's context. A coroutine that waited calls it if the
	// workflow was cancelled meanwhile, before the agent goes on.
	cancel  func()
	inbox   workflow.ReceiveChannel // of MessagesSignal
	replies int

	last     *agent.Result // nil until the run stops for the first time
	pending  []agent.Pending
	progress Progress
}

// Workflow is the workflow. It is called by workers; to compose flows, run them
// as child workflows.
func (f *Flow) Workflow(ctx workflow.Context, in Input) (*Outcome, error) {
	r := f.open(ctx)
	if err := r.answerQueries(ctx); err != nil {
		return nil, err
	}
	result, err := r.work(ctx, in)
	if stop, ok := errors.AsType[*agent.StopError](err); ok {
		r.note(stop.Result)
		return nil, end(stop)
	}
	if err != nil {
		return nil, err
	}
	r.note(result)
	return outcome(result), nil
}

// open makes the agent one that can run in a workflow.
func (f *Flow) open(ctx workflow.Context) *run {
	r := &run{flow: f, agent: f.cfg.Agent, control: new(agent.Control)}
	r.inbox = workflow.GetSignalChannel(ctx, MessagesSignal)
	r.agent.Control = r.control
	r.agent.Runtime = runtime{coroutine{ctx, r}}
	r.agent.Policy = r.policy
	r.agent.Middleware = nil // it is around the models, in their activities
	if f.cfg.Agent.Model != nil {
		r.agent.Model = remoteModel{flow: f}
	}
	if c, ok := f.compactor(); ok && c.Model != nil {
		c.Model = remoteModel{flow: f, summary: true}
		r.agent.Compact = c
	}
	if engines := f.cfg.Agent.Allow.Engines; len(engines) > 0 {
		r.agent.Allow.Engines = make(map[string]agent.Model, len(engines))
		for name, m := range engines {
			r.agent.Allow.Engines[name] = f.standIn(m)
		}
	}
	if f.cfg.Agent.Tools != nil {
		r.agent.Tools = tools.NewSet(f.tools...) // one for each run, since serial tools of a set wait for each other
		r.agent.Tools.MaxParallel = f.cfg.Agent.Tools.MaxParallel
	}
	return r
}

// policy is the agent's own, with models that can be called from a workflow.
func (r *run) policy(s agent.Step) agent.Decision {
	r.progress.Step, r.progress.Usage, r.progress.Cost = s.Index, s.Usage, s.Cost
	if r.flow.cfg.Agent.Policy == nil {
		return agent.Decision{}
	}
	d := r.flow.cfg.Agent.Policy(s)
	if d.Model != nil {
		d.Model = r.flow.standIn(d.Model)
	}
	return d
}

// work runs the agent, and waits where it does.
func (r *run) work(wctx workflow.Context, in Input) (*agent.Result, error) {
	ctx, cancel := context.WithCancel(within(context.Background(), coroutine{wctx, r}))
	defer cancel()
	r.cancel = cancel
	if err := r.begin(ctx, wctx, in); err != nil {
		return nil, err
	}
	var result *agent.Result
	var err error
	if len(in.State) == 0 {
		result, err = r.agent.Run(ctx, in.Messages...)
	} else {
		r.control.Inject(in.Messages...)
		result, err = r.agent.Resume(ctx, in.State)
	}
	for {
		r.note(result)
		if result.Reason == agent.StopPaused {
			return nil, r.again(wctx)
		}
		if err == nil || len(r.pending) == 0 {
			return result, err
		}
		verdicts := r.arrived(wctx)
		if len(verdicts) == 0 {
			verdicts = r.decided(wctx)
		}
		switch {
		case wctx.Err() != nil:
			result.Reason = agent.StopCancelled
			return nil, &agent.StopError{Reason: agent.StopCancelled, Step: len(result.Steps), Err: context.Canceled, Result: result}
		case len(verdicts) == 0:
			return nil, r.again(wctx)
		}
		state, failed := result.State()
		if failed != nil {
			return nil, failed
		}
		result, err = r.agent.Resume(ctx, state, verdicts...)
	}
}

// begin refuses what can't run, before anything is sent.
func (r *run) begin(ctx context.Context, wctx workflow.Context, in Input) error {
	refused := func(reason agent.Reason, err error) error {
		return &agent.StopError{Reason: reason, Err: err, Result: &agent.Result{Reason: reason}}
	}
	if err := r.flow.check(); err != nil {
		return refused(agent.StopRefused, err)
	}
	if len(in.State) > 0 || !r.flow.plans() {
		return nil
	}
	o := withDefaults(workflow.ActivityOptions{StartToCloseTimeout: planTime}, defaultCalls)
	err := coroutine{wctx, r}.execute(ctx, o, r.flow.cfg.Name+planName, in.Messages, nil)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return refused(agent.StopCancelled, context.Cause(ctx))
	}
	err = fromFailure(err)
	if errors.Is(err, chat.ErrInvalid) || errors.Is(err, chat.ErrUnsupported) {
		return refused(agent.StopRefused, err)
	}
	return refused(agent.StopFailed, err)
}

// note keeps what queries ask for.
func (r *run) note(result *agent.Result) {
	r.last, r.pending = result, result.Pending
	r.progress.Reason, r.progress.Usage, r.progress.Cost = result.Reason, result.Usage, result.Cost
}

// replied counts a model call. Before the history gets too long, the run is
// paused, to be continued as new.
func (r *run) replied(ctx workflow.Context) {
	r.replies++
	if r.tired(ctx) {
		r.control.Pause()
	}
}

// tired reports whether the run should be continued as new.
func (r *run) tired(ctx workflow.Context) bool {
	most := r.flow.cfg.Replies
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() || most > 0 && r.replies >= most
}

// again is the error that continues the run as new.
func (r *run) again(ctx workflow.Context) error {
	state, err := r.last.State()
	if err != nil {
		return err
	}
	r.receive()
	next := Input{State: state, Messages: r.control.Left()}
	return workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, next)
}

// receive takes the messages that have come in, without waiting.
func (r *run) receive() {
	var messages []chat.Message
	for r.inbox.ReceiveAsync(&messages) {
		r.control.Inject(messages...)
		messages = nil
	}
}

// arrived are the verdicts that have come in, without waiting.
func (r *run) arrived(ctx workflow.Context) []agent.Verdict {
	var all, some []agent.Verdict
	for c := workflow.GetSignalChannel(ctx, VerdictsSignal); c.ReceiveAsync(&some); some = nil {
		all = append(all, some...)
	}
	return r.fitting(ctx, all)
}

// decided waits for verdicts. There are none if the workflow is cancelled, or
// should be continued as new.
func (r *run) decided(ctx workflow.Context) []agent.Verdict {
	for ctx.Err() == nil && !r.tired(ctx) {
		var verdicts []agent.Verdict
		s := workflow.NewSelector(ctx)
		s.AddReceive(workflow.GetSignalChannel(ctx, VerdictsSignal), func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, &verdicts) })
		s.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) {})
		s.Select(ctx)
		if fitting := r.fitting(ctx, verdicts); len(fitting) > 0 {
			return fitting
		}
	}
	return nil
}

// fitting are the verdicts that Resume takes. It would end the run over one that
// it doesn't, which is too much for somebody's slip.
func (r *run) fitting(ctx workflow.Context, verdicts []agent.Verdict) []agent.Verdict {
	open := slices.Clone(r.pending)
	var out []agent.Verdict
	for _, v := range verdicts {
		if string(v.Arguments) == "null" { // as JSON has it, when there are none
			v.Arguments = nil
		}
		at := slices.IndexFunc(open, func(p agent.Pending) bool { return p.ID == v.CallID })
		why := "is not one that waits"
		if at >= 0 {
			why = r.unfit(open[at], v)
		}
		if why != "" {
			text := fmt.Sprintf("call %q %s", v.CallID, why)
			workflow.GetLogger(ctx).Warn("verdict refused", "reason", text)
			r.progress.Refused = append(r.progress.Refused, text)
			continue
		}
		open = slices.Delete(open, at, at+1)
		out = append(out, v)
	}
	return out
}

// unfit says why a verdict about a pending call can't be taken; empty if it can.
func (r *run) unfit(p agent.Pending, v agent.Verdict) string {
	switch {
	case v.Result != nil || !v.Approved:
		return ""
	case p.External:
		return "is of an external tool and needs an answer"
	case len(v.Arguments) == 0:
		return ""
	}
	call := p.ToolCall
	call.Arguments = v.Arguments
	if err := r.agent.Tools.Check(call); err != nil {
		return "can't be run with these arguments: " + err.Error()
	}
	return ""
}

// answerQueries registers the queries.
func (r *run) answerQueries(ctx workflow.Context) error {
	return errors.Join(
		workflow.SetQueryHandler(ctx, PendingQuery, func() ([]agent.Pending, error) { return r.pending, nil }),
		workflow.SetQueryHandler(ctx, ProgressQuery, func() (Progress, error) { return r.progress, nil }),
		workflow.SetQueryHandler(ctx, StateQuery, func() (json.RawMessage, error) {
			if r.last != nil {
				if state, err := r.last.State(); err == nil {
					return state, nil
				}
			}
			return json.RawMessage("null"), nil
		}),
	)
}
