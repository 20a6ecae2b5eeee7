package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// planner is a Model that can plan.
type planner interface {
	Plan(*chat.Request) (*chat.Plan, error)
}

// Plan shows what a run would send, without network: the first step exactly,
// and those that follow as far as the policy determines them, on the assumption
// that each forced call is made and succeeds. Their conversations are still
// that of the first. The plan of the first step that leaves the model free is
// the last, but for the one in which the tool of Decision.Finish is forced; so is
// the one before a step whose model can't plan.
//
// The error is the one with which the run would be refused. Run and Stream
// look ahead in the same way, before anything is sent.
func (a *Agent) Plan(input ...chat.Message) ([]*chat.Plan, error) {
	r := newRun(a, input, func(Event) bool { return true })
	if err := r.check(); err != nil {
		return nil, r.stop(StopRefused, err)
	}
	plans, err := r.rehearse()
	if err == nil && len(plans) == 0 {
		err = chat.Invalid("Agent.Model", "can't plan")
	}
	if err != nil {
		return nil, r.stop(StopRefused, err)
	}
	return plans, nil
}

// begin checks the agent and looks ahead, where there is something to see: a
// run without a policy or a forced choice is planned by its first step, and a
// run that is resumed was planned before. Then it is stored.
func (r *run) begin(ctx context.Context) error {
	if err := r.check(); err != nil {
		return r.stop(StopRefused, err)
	}
	if err := r.lookAhead(); err != nil {
		return r.stop(StopRefused, err)
	}
	r.begun = true
	if r.agent.Store != nil && r.nonce == "" {
		r.nonce = rand.Text()[:8]
	}
	switch {
	case r.resumed && r.result.Reason != "":
		return nil
	case r.resumed:
		if err := r.steerAgain(ctx); err != nil {
			return err
		}
		return r.reopen()
	}
	return r.save(ctx)
}

func (r *run) lookAhead() error {
	if _, ok := r.agent.Model.(planner); !ok || r.resumed || r.agent.Policy == nil && !r.agent.Request.ToolChoice.Forced() {
		return nil
	}
	ahead := newRun(r.agent, r.result.Messages[len(r.agent.Request.Messages):], r.yield)
	_, err := ahead.rehearse()
	return err
}

// check refuses an agent that can't run.
func (r *run) check() error {
	a := r.agent
	switch err := r.set.Err(); {
	case a.Model == nil:
		return chat.Invalid("Agent.Model", "is nil")
	case err != nil:
		return &chat.Error{Kind: chat.ErrInvalid, Param: "Agent.Tools", Err: err}
	case len(a.Request.Tools) > 0:
		return chat.Invalid("Agent.Request.Tools", "must be empty: the tools that can run are in Agent.Tools")
	case a.Limits.Cost > 0 && a.Price == nil:
		return chat.Invalid("Agent.Limits.Cost", "has no effect without Agent.Price")
	case a.Store != nil && a.RunID == "":
		return chat.Invalid("Agent.RunID", "is empty: Agent.Store needs a name for the run")
	case len(r.result.Messages) == 0:
		return chat.Invalid("Messages", "is empty")
	}
	for i, m := range r.result.Messages {
		if slices.Contains(m.Parts, nil) {
			return chat.Invalid(fmt.Sprintf("Messages[%d]", i), "holds a part that is nil")
		}
	}
	if err := a.Allow.check(); err != nil || a.Compact == nil {
		return err
	}
	var err error
	r.shortener, err = a.Compact.Begin(&a.Request, &r.memory.Memory)
	return err
}

// rehearse plans the steps that can be foreseen. It uses the run up.
func (r *run) rehearse() ([]*chat.Plan, error) {
	var plans []*chat.Plan
	for range cmp.Or(r.agent.Limits.Steps, defaultSteps) {
		t, err := r.prepare()
		if err != nil {
			return nil, err
		}
		p, ok := t.planner()
		if !ok {
			break
		}
		plan, err := p.Plan(t.req)
		if err != nil {
			return nil, fmt.Errorf("planned step %d: %w", t.in.Index, err)
		}
		plans = append(plans, plan)
		if plan != nil {
			r.noteThinking(plan.Steps, true)
		}
		if !r.assume(t) {
			break
		}
	}
	return plans, nil
}

// assume goes on as if the step had gone as the policy wants it, and reports
// whether anything is known of the step after it.
func (r *run) assume(t turn) bool {
	s := StepResult{Index: t.in.Index, ToolChoice: t.req.ToolChoice}
	finish := t.decision.Finish
	for _, name := range r.foreseen(t.req) {
		s.Calls = append(s.Calls, Call{ToolCall: chat.ToolCall{Name: name}, Outcome: Succeeded})
		if name == finish {
			return false
		}
	}
	free := len(s.Calls) == 0
	if free && (finish == "" || r.closing) {
		return false
	}
	r.closing = free
	r.result.Steps = append(r.result.Steps, s)
	return true
}

// foreseen are the tools that the step will call: for any, all that it may.
func (r *run) foreseen(req *chat.Request) []string {
	switch req.ToolChoice.Mode() {
	case toolchoice.ModeTool:
		return []string{req.ToolChoice.Name()}
	case toolchoice.ModeAny:
		if req.AllowedTools != nil {
			return req.AllowedTools
		}
		return r.set.Names()
	case toolchoice.Unset, toolchoice.ModeAuto, toolchoice.ModeNone:
	}
	return nil
}

// noteThinking notes that thinking was switched off in a turn that calls: a
// provider that wants the thoughts of such a turn back has none to get, so
// thinking stays off.
// Source: Anthropic, "Extended thinking", "Toggling thinking modes in
// conversations": a turn can't be begun without thinking and be gone on with
// thinking. Read 2026-11-30.
func (r *run) noteThinking(steps []chat.PlanStep, calls bool) {
	if calls && slices.ContainsFunc(steps, func(s chat.PlanStep) bool { return s.Kind == chat.StepThinkingOff }) {
		r.thinkingOff = true
	}
}
