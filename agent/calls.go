package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// admitCalls decides which of the open step's calls may run: their outcome is
// NotRun. Calls that were answered before, by another process or by a verdict,
// stay as they are.
func (r *run) admitCalls(o *openStep) {
	for i := range o.Calls {
		switch c := o.Calls[i]; {
		case c.Outcome == Unknown && !r.hasSideEffects(c.Name):
			c.Outcome = NotRun
			fallthrough
		case c.Outcome == NotRun:
			o.Calls[i] = r.admit(o.turn, o.Calls[:i], c)
		}
	}
}

// awaited lists the calls that somebody has to agree to or to answer.
func (r *run) awaited(o *openStep) []Pending {
	var pending []Pending
	for i := range o.Calls {
		c := &o.Calls[i]
		c.waits = false
		if c.Outcome != NotRun || c.approved {
			continue
		}
		tool, _ := r.set.Lookup(c.Name)
		switch {
		case tool.IsExternal():
			c.waits = true
			pending = append(pending, Pending{ToolCall: c.ToolCall, External: true})
		case slices.Contains(o.turn.decision.NeedsApproval, c.Name), len(r.set.Pending([]chat.ToolCall{c.ToolCall})) > 0:
			c.waits = true
			pending = append(pending, Pending{ToolCall: c.ToolCall})
		}
	}
	return pending
}

// runCalls answers all calls of the open step.
func (r *run) runCalls(ctx context.Context, o *openStep) error {
	var queue []int
	for i, c := range o.Calls {
		if c.Outcome == NotRun {
			o.Calls[i] = c.answered(NotRun, "the run ended before this call was run")
			queue = append(queue, i)
			continue
		}
		r.tell(CallFinished{o.Index, c})
	}
	b := bench{run: r, step: o, queue: queue, tasks: r.runtime.Tasks()}
	return b.work(ctx)
}

// admit decides whether a call may run; its outcome is NotRun if so. before are
// the calls of the same reply that stand before it.
func (r *run) admit(t turn, before []Call, c Call) Call {
	if err := r.set.Check(c.asRun()); err != nil {
		return c.answered(Invalid, err.Error())
	}
	admitted := 0
	for _, b := range before {
		if b.Name == c.Name && (b.Outcome == NotRun || b.Outcome.Ran()) {
			admitted++
		}
	}
	if why := r.forbidden(t, c.Name, admitted); why != "" {
		return c.answered(Refused, why)
	}
	if n, most := r.repeats(c.ToolCall), r.agent.Limits.Repeats; most > 0 && n >= most {
		out := c.answered(Refused, fmt.Sprintf(
			"%s was not run again: it was called with these arguments in each of the last %d steps. "+
				"Its result is above. Do something else, or answer.", c.Name, n))
		out.insists = n > most
		return out
	}
	return c
}

// forbidden says why policy or limits do not let a tool run; empty if they do.
// admitted is how many calls of it this reply has before.
func (r *run) forbidden(t turn, name string, admitted int) string {
	d := t.decision
	if why, refused := d.Refuse[name]; refused {
		return name + " was not run: " + why
	}
	var missing []string
	for _, after := range d.Requires[name] {
		if !t.in.Succeeded(after) && !slices.Contains(missing, after) {
			missing = append(missing, after)
		}
	}
	if len(missing) > 0 {
		list := strings.Join(missing, ", ")
		return fmt.Sprintf("%s was not run: first %s must have succeeded. Call %s, wait for the result, then call %s again.",
			name, list, list, name)
	}
	most, limited := d.MaxCalls[name]
	if tool, ok := r.set.Lookup(name); ok && tool.Options.MaxCalls > 0 {
		if left := max(tool.Options.MaxCalls-t.in.Ran(name), 0); !limited || left < most {
			most, limited = left, true
		}
	}
	if limited && admitted >= most {
		return name + " was not run: it has been called as often as it may be. Go on without it."
	}
	return ""
}

// repeats counts how many of the last steps, without a gap, held this call.
func (r *run) repeats(c chat.ToolCall) int {
	n := 0
	for _, s := range slices.Backward(r.result.Steps) {
		if !slices.ContainsFunc(s.Calls, func(b Call) bool {
			return b.Name == c.Name && sameJSON(b.Arguments, c.Arguments)
		}) {
			break
		}
		n++
	}
	return n
}

// sameJSON compares arguments, whatever the order of their members.
func sameJSON(a, b json.RawMessage) bool {
	x, okX := canonical(a)
	y, okY := canonical(b)
	return okX && okY && bytes.Equal(x, y)
}

func canonical(raw json.RawMessage) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return raw, len(bytes.TrimSpace(raw)) == 0
	}
	out, err := json.Marshal(v)
	return out, err == nil
}
