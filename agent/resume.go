package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// Pending is a call for which a run waits. Where the call is of a run inside of
// it, the ID is the way there, with slashes: of a call of a tool made by [AsTool],
// or the place of a runner in a flow, then the call's own. It is what a [Verdict]
// names.
type Pending struct {
	chat.ToolCall
	// External: the call is of a tool made by tools.External, and needs an
	// [Answer]; otherwise it needs to be approved or denied.
	External bool
	// Agents are the names of the tools that lead to the run whose call it is,
	// outermost first; nil: the call is the run's own.
	Agents []string
}

// Verdict is what somebody decided about one call of a run that stopped in the
// middle of a step; make it with [Approve], [Deny] or [Answer].
type Verdict struct {
	CallID   string `json:"call_id"`
	Approved bool   `json:"approved,omitempty"`
	// Arguments replace those that the model wrote, where the call is approved;
	// nil: they stay. The model is told.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Reason is why the call is denied, for the model; it may be empty.
	Reason string `json:"reason,omitempty"`
	// Result answers the call, which is not run; nil: there is none.
	Result *chat.ToolResult `json:"result,omitempty"`
}

// Approve lets a call run.
func Approve(callID string) Verdict { return Verdict{CallID: callID, Approved: true} }

// Deny answers a call with an error result that gives the reason.
func Deny(callID, reason string) Verdict { return Verdict{CallID: callID, Reason: reason} }

// Answer is the result of a call that was made elsewhere: of an external tool,
// or one that is known to have happened.
func Answer(callID, text string) Verdict {
	result := chat.TextResult(callID, text)
	return Verdict{CallID: callID, Result: &result}
}

// Pending lists the calls for which a run waits, and those of unknown outcome,
// by its state: what there is to decide before it is resumed.
func (a *Agent) Pending(state json.RawMessage) ([]Call, error) {
	r := newRun(a, nil, ignore)
	err := r.resume(state, nil)
	if err != nil || r.open == nil {
		return nil, err
	}
	if r.open.turn, err = r.prepare(); err != nil {
		return nil, r.stop(StopRefused, err)
	}
	stored := slices.Clone(r.open.Calls)
	r.admitCalls(r.open)
	r.awaited(r.open)
	var out []Call
	for i, c := range r.open.Calls {
		switch was := stored[i]; {
		case c.waits || c.Outcome == Unknown:
			out = append(out, c)
		case was.waits && was.Outcome == NotRun && !was.approved:
			out = append(out, was) // its tool is not there yet
		}
		for _, p := range c.pendingInside() {
			out = append(out, Call{ToolCall: p.ToolCall, Outcome: NotRun})
		}
	}
	return out, nil
}

// resume makes a run that has just been made what the state says, and works the
// verdicts in.
func (r *run) resume(raw json.RawMessage, verdicts []Verdict) error {
	r.resumed = true
	s, err := readState(raw)
	if err == nil {
		err = r.restore(s)
	}
	if err != nil {
		return r.stop(StopRefused, err)
	}
	for _, v := range verdicts {
		if err := r.decide(v); err != nil {
			r.agent.asItWas(raw, r.result)
			return r.stop(StopRefused, err)
		}
	}
	if s.Reason.ended() || s.Reason == StopAborted {
		r.result.Reason = s.Reason
	}
	return nil
}

// asItWas is for a run of which a verdict is refused: its result holds what the
// state did, so that it can still be gone on with.
func (a *Agent) asItWas(raw json.RawMessage, result *Result) {
	was := newRun(a, nil, ignore)
	if err := was.resume(raw, nil); err != nil || was.open == nil {
		return
	}
	result.state, _ = readState(raw) // as just before
	for _, c := range was.open.Calls {
		if c.waits && c.Outcome == NotRun && !c.approved {
			tool, _ := was.set.Lookup(c.Name)
			result.Pending = append(result.Pending, Pending{ToolCall: c.ToolCall, External: tool.IsExternal()})
		}
		result.Pending = append(result.Pending, c.pendingInside()...)
	}
}

// notWaiting is what is wrong with a verdict about no call.
const notWaiting = "is not one that waits"

// decide works a verdict in.
func (r *run) decide(v Verdict) error {
	refuse := func(why string) error {
		return chat.Invalid("verdicts", fmt.Sprintf("call %q %s", v.CallID, why))
	}
	if len(v.Arguments) > 0 && !json.Valid(v.Arguments) {
		return refuse("can't be run with these arguments: they are not JSON")
	}
	if r.decideInside(v) {
		return nil
	}
	c := r.undecided(v.CallID)
	if c == nil {
		return refuse(notWaiting)
	}
	switch {
	case v.Result != nil:
		c.Outcome, c.Result = Succeeded, *v.Result
		c.Result.CallID, c.Result.Name = c.ID, c.Name
		if c.Result.IsError {
			c.Outcome = Failed
		}
	case !v.Approved:
		why := c.Name + " was not run: it was not approved."
		if v.Reason != "" {
			why += " " + v.Reason
		}
		*c = c.answered(Refused, why)
	default:
		if t, _ := r.set.Lookup(c.Name); t.IsExternal() {
			return refuse("is of an external tool and needs an answer")
		}
		c.Outcome, c.approved, c.Edited = NotRun, true, nil
		if string(v.Arguments) != "null" { // as others may write it in JSON
			c.Edited = v.Arguments
		}
		if len(c.Edited) > 0 && c.inner != nil {
			return refuse("has begun its run, with the arguments that it had")
		}
		_, known := r.set.Lookup(c.Name) // a server's tool is looked at when it is there
		if err := r.set.Check(c.asRun()); known && len(c.Edited) > 0 && err != nil {
			return refuse("can't be run with these arguments: " + err.Error())
		}
	}
	return nil
}

// undecided finds the first call of that id about which a verdict can be given.
func (r *run) undecided(id string) *Call {
	if r.open == nil {
		return nil
	}
	for i := range r.open.Calls {
		c := &r.open.Calls[i]
		if c.ID == id && (c.Outcome == NotRun && !c.approved || c.Outcome == Unknown) {
			return c
		}
	}
	return nil
}

// reopen makes ready to go on in the middle of a step.
func (r *run) reopen() error {
	if r.open == nil {
		return nil
	}
	r.at = r.open.Index
	turn, err := r.prepare()
	if err != nil {
		return r.stop(StopRefused, err)
	}
	r.open.turn = turn
	ev := StepStarted{
		Step: turn.in.Index, Resumed: true, Model: turn.req.Model, Engine: r.open.Reply.Engine,
		ToolChoice: r.open.ToolChoice, AllowedTools: turn.req.AllowedTools,
		Rewrites: r.open.Reply.Steps, Warnings: r.open.Reply.Warnings,
	}
	if !r.tell(ev) {
		return errGone
	}
	return nil
}
