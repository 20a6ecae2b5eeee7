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

// runCalls answers all calls of the step's reply and puts the results into the
// conversation, whatever happens.
func (r *run) runCalls(ctx context.Context, t turn, s *StepResult) error {
	calls := s.Reply.ToolCalls()
	if len(calls) == 0 {
		return nil
	}
	s.Calls = make([]Call, len(calls))
	queue := make([]int, 0, len(calls))
	for i, c := range calls {
		s.Calls[i] = refusal(c, NotRun, "the run ended before this call was run")
	}
	for i := range s.Calls {
		c := r.admit(t, s.Calls[:i], s.Calls[i].ToolCall)
		if c.Outcome == NotRun {
			s.Calls[i].insists = c.insists
			queue = append(queue, i)
			continue
		}
		s.Calls[i] = c
		r.tell(CallFinished{s.Index, c})
	}
	b := bench{run: r, step: s, queue: queue, done: make(chan int, len(queue))}
	err := b.work(ctx)
	results := make([]chat.ToolResult, len(s.Calls))
	for i, c := range s.Calls {
		results[i] = c.Result
	}
	r.result.Messages = append(r.result.Messages, chat.Results(results...))
	return err
}

func refusal(c chat.ToolCall, outcome Outcome, why string) Call {
	res := chat.ErrorResult(c.ID, why)
	res.Name = c.Name
	return Call{ToolCall: c, Result: res, Outcome: outcome}
}

// admit decides whether a call may run; its outcome is NotRun if so. before are
// the calls of the same reply that stand before it.
func (r *run) admit(t turn, before []Call, c chat.ToolCall) Call {
	if err := r.set.Check(c); err != nil {
		return refusal(c, Invalid, err.Error())
	}
	admitted := 0
	for _, b := range before {
		if b.Name == c.Name && b.Outcome == NotRun {
			admitted++
		}
	}
	if why := r.forbidden(t, c.Name, admitted); why != "" {
		return refusal(c, Refused, why)
	}
	if n, most := r.repeats(c), r.agent.Limits.Repeats; most > 0 && n >= most {
		out := refusal(c, Refused, fmt.Sprintf(
			"%s was not run again: it was called with these arguments in each of the last %d steps. "+
				"Its result is above. Do something else, or answer.", c.Name, n))
		out.insists = n > most
		return out
	}
	return Call{ToolCall: c, Outcome: NotRun}
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
