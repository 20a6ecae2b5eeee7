package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// inner is the run inside of a call, as data, while it is to be gone on with.
type inner struct {
	State    json.RawMessage `json:"state"`
	Reason   Reason          `json:"reason"` // why it stopped
	Pending  []pendingState  `json:"pending,omitempty"`
	Verdicts []Verdict       `json:"verdicts,omitempty"`

	refused error // what is wrong with the verdicts
}

// pendingState is a Pending as data; the message holds the call.
type pendingState struct {
	Call     chat.Message `json:"call"`
	External bool         `json:"external,omitempty"`
	Agents   []string     `json:"agents,omitempty"`
}

func leave(state json.RawMessage, reason Reason, pending []Pending) *inner {
	in := &inner{State: state, Reason: reason}
	for _, p := range pending {
		call := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{p.ToolCall}}
		in.Pending = append(in.Pending, pendingState{call, p.External, p.Agents})
	}
	return in
}

// pending lists the calls that nobody has decided about.
func (in *inner) pending() []Pending {
	var out []Pending
	for _, p := range in.Pending {
		for _, c := range p.Call.ToolCalls() {
			if !in.decided(c.ID) {
				out = append(out, Pending{c, p.External, p.Agents})
			}
		}
	}
	return out
}

func (in *inner) decided(id string) bool {
	for _, v := range in.Verdicts {
		if v.CallID == id {
			return true
		}
	}
	return false
}

// decide keeps a verdict for the inner run, which looks at what it says; false:
// no call of that id waits.
func (in *inner) decide(v Verdict) bool {
	for _, p := range in.pending() {
		if p.ID != v.CallID {
			continue
		}
		in.Verdicts = append(in.Verdicts, v)
		return true
	}
	return false
}

// pendingInside lists the calls for which the run inside of the call waits, with
// the way to them.
func (c Call) pendingInside() []Pending {
	if c.inner == nil || c.Outcome != NotRun {
		return nil
	}
	pending := c.inner.pending()
	for i, p := range pending {
		pending[i].ID = c.ID + "/" + p.ID
		pending[i].Agents = append([]string{c.Name}, p.Agents...)
	}
	return pending
}

// decideInside works in a verdict about a call of an inner run, and reports whether
// it is one.
func (r *run) decideInside(v Verdict) bool {
	if r.open == nil {
		return false
	}
	for _, c := range r.open.Calls {
		rest, ok := strings.CutPrefix(v.CallID, c.ID+"/")
		if !ok || c.inner == nil || c.Outcome != NotRun {
			continue
		}
		deeper := v
		deeper.CallID = rest
		if c.inner.decide(deeper) {
			return true
		}
	}
	return false
}

// awaitInside stops the run if runs inside of its calls wait.
func (r *run) awaitInside(o *openStep) error {
	var reason Reason
	var cause, refused error
	for _, c := range o.Calls {
		if c.inner == nil || c.Outcome != NotRun {
			continue
		}
		if refused == nil {
			refused = c.inner.refused
		}
		r.result.Pending = append(r.result.Pending, c.pendingInside()...)
		if more := graver(reason, c.inner.Reason); more != reason {
			reason, cause = more, fmt.Errorf("tool %q: call %s: the run inside stopped: %s", c.Name, c.ID, more)
		}
	}
	switch {
	case refused != nil:
		return r.stop(StopRefused, refused)
	case reason == "":
		return nil
	}
	if len(r.result.Pending) > 0 {
		cause = fmt.Errorf("%w: %w", cause, tools.ErrNeedsApproval)
	}
	return r.stop(reason, cause)
}

// graver is the reason that counts where several runs wait.
func graver(a, b Reason) Reason {
	for _, r := range []Reason{StopApproval, StopQuestion, StopPaused} {
		if a == r || b == r {
			return r
		}
	}
	return a
}
