package agent

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// turn is a step that has been decided and not yet been made.
type turn struct {
	in       Step
	decision Decision
	inner    Model // without Agent.Middleware
	model    Model
	req      *chat.Request
}

// planner is who plans the step.
func (t turn) planner() (planner, bool) {
	if p, ok := t.model.(planner); ok {
		return p, true
	}
	p, ok := t.inner.(planner)
	return p, ok
}

// prepare decides about the next step.
func (r *run) prepare() (turn, error) {
	t := turn{in: r.view(), inner: r.agent.Model}
	if r.agent.Policy != nil {
		t.decision = r.agent.Policy(t.in)
	}
	switched, err := r.switched()
	switch {
	case err != nil:
		return t, err
	case t.decision.Model != nil:
		t.inner = t.decision.Model
	case switched != nil:
		t.inner = switched
	}
	t.model = t.inner
	for _, wrap := range slices.Backward(r.agent.Middleware) {
		t.model = wrap(t.model)
	}
	t.req = r.request(t.in, t.decision)
	return t, r.consistent(t)
}

// request fills the template.
func (r *run) request(in Step, d Decision) *chat.Request {
	req := r.agent.Request
	req.System = joinSystem(r.agent.System, req.System)
	req.Messages = slices.Clip(r.result.Messages)
	req.Tools = r.defs
	elsewhere := d.Model != nil || r.controls.engine != ""
	switch {
	case d.ModelName != "":
		req.Model = d.ModelName
	case d.Model == nil && elsewhere:
		req.Model = "" // the name is one of the first engine's
	}
	if d.Thinking != nil {
		req.Thinking = *d.Thinking
	}
	if r.thinkingOff && !elsewhere {
		req.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOff}
	}
	switch {
	case !d.ToolChoice.IsZero():
		req.ToolChoice = d.ToolChoice
	case in.Index > 0 && req.ToolChoice.Forced():
		req.ToolChoice = toolchoice.Choice{}
	}
	req.AllowedTools = both(req.AllowedTools, d.AllowedTools)
	if req.AllowedTools != nil && len(req.AllowedTools) == 0 && !req.ToolChoice.Forced() {
		req.AllowedTools, req.ToolChoice = nil, toolchoice.None()
	}
	if req.ToolChoice.Forced() {
		req.Output = nil
	}
	return &req
}

func joinSystem(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// consistent refuses a decision that contradicts itself or names tools that
// there are not. Of several faults it always names the same one: a host may
// replay a run.
func (r *run) consistent(t turn) error {
	d := t.decision
	for _, name := range slices.Sorted(maps.Keys(d.Requires)) {
		for _, n := range append([]string{name}, d.Requires[name]...) {
			if err := r.known("Requires", n); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.MaxCalls)) {
		if err := r.known("MaxCalls", name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Refuse)) {
		if err := r.known("Refuse", name); err != nil {
			return err
		}
	}
	for _, name := range d.NeedsApproval {
		if err := r.known("NeedsApproval", name); err != nil {
			return err
		}
	}
	if d.Finish != "" {
		if err := r.known("Finish", d.Finish); err != nil {
			return err
		}
	}
	if name := t.req.ToolChoice.Name(); name != "" {
		if why := r.forbidden(t, name, 0); why != "" {
			return chat.Invalid("Policy.ToolChoice", fmt.Sprintf("%s is forced and would not run: %s", name, why))
		}
	}
	return nil
}

func (r *run) known(field, tool string) error {
	if _, ok := r.set.Lookup(tool); ok {
		return nil
	}
	return chat.Invalid("Policy."+field, fmt.Sprintf("no tool %q is offered", tool))
}

// announce plans the step where that is possible, and says that it begins.
func (r *run) announce(t turn, injected []chat.Message) error {
	ev := StepStarted{
		Step: t.in.Index, Injected: injected, Model: t.req.Model,
		ToolChoice: t.req.ToolChoice, AllowedTools: t.req.AllowedTools,
	}
	if p, ok := t.planner(); ok {
		plan, err := p.Plan(t.req)
		if err != nil {
			return r.stop(StopRefused, err)
		}
		if plan != nil {
			ev.Engine, ev.Model = plan.Engine, plan.Model
			ev.Rewrites, ev.Warnings = plan.Steps, plan.Warnings
		}
	}
	if !r.tell(ev) {
		return errGone
	}
	return nil
}
