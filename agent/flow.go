package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// plot is what the flows have in common: each is some work on runs.
type plot struct {
	kind    string
	runners []Runner
	work    func(context.Context, *flow) error
}

// flow is one run of a plot.
type flow struct {
	plot  plot
	start Start // of the flow: its runs begin with the like
	input []chat.Message
	yield func(Event) bool
	gone  bool

	// What was there before it was resumed.
	before []json.RawMessage
	reason Reason // why it had stopped

	runs   []*Result
	last   *Result // what the flow's result is made of
	output *chat.Message
	result *Result
}

// flowState is a flow as versioned JSON. The states of its runs are their own.
type flowState struct {
	Version int               `json:"version"`
	Flow    string            `json:"flow"`
	Reason  Reason            `json:"reason,omitempty"`
	Input   []chat.Message    `json:"input,omitempty"`
	Runs    []json.RawMessage `json:"runs,omitempty"`
	Output  *chat.Message     `json:"output,omitempty"`
}

// events are those of one run of the plot.
func (p plot) events(ctx context.Context, s Start) iter.Seq2[Event, error] {
	return NewStream(func(yield func(Event) bool) (*Result, error) {
		f := &flow{plot: p, start: s, input: s.Input, yield: yield, result: &Result{}}
		if s.State != nil {
			if err := f.resume(s.State); err != nil {
				return f.result, f.refuse(err)
			}
		}
		return f.result, f.do(ctx)
	})
}

// resume makes the flow what the state says.
func (f *flow) resume(raw json.RawMessage) error {
	var s flowState
	err := json.Unmarshal(raw, &s)
	switch {
	case err != nil:
	case s.Version != stateVersion:
		err = fmt.Errorf("is of version %d, and %d is needed", s.Version, stateVersion)
	case s.Flow != f.plot.kind:
		err = fmt.Errorf("is not of the flow %q", f.plot.kind)
	}
	if err != nil {
		return &chat.Error{Kind: chat.ErrInvalid, Param: "state", Err: err}
	}
	f.input, f.before, f.reason = s.Input, s.Runs, s.Reason
	if s.Reason.ended() {
		f.output = s.Output
	}
	for _, v := range f.start.Verdicts {
		if !f.routes(v) {
			return chat.Invalid("verdicts", fmt.Sprintf("call %q %s", v.CallID, notWaiting))
		}
	}
	return nil
}

// present reports whether there is a state: a run that was not begun has null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// routes reports whether a verdict names one of the runs.
func (f *flow) routes(v Verdict) bool {
	for i, raw := range f.before {
		if present(raw) && strings.HasPrefix(v.CallID, strconv.Itoa(i)+"/") {
			return true
		}
	}
	return false
}

// do does the work and makes the result.
func (f *flow) do(ctx context.Context) error {
	if slices.Contains(f.plot.runners, nil) {
		return f.refuse(chat.Invalid("Runner", "is nil"))
	}
	err := f.plot.work(ctx, f)
	res := f.result
	stop, stopped := errors.AsType[*StopError](err)
	if f.last != nil {
		*res = *f.last
	}
	if res.output = f.output; f.last != nil && f.output == nil {
		res.output = f.last.output
	}
	res.Runs, res.Pending, res.Usage, res.Cost, res.state = f.runs, nil, chat.Usage{}, 0, nil
	switch {
	case stopped:
		res.Reason = stop.Reason
	case f.last == nil:
		res.Reason = StopAnswered
	}
	res.flow = &flowState{Flow: f.plot.kind, Input: f.input, Runs: f.before, Output: f.output}
	for i, r := range f.runs {
		if r != nil {
			f.count(i, r)
		}
	}
	return err
}

// count adds one run to the result.
func (f *flow) count(i int, r *Result) {
	f.result.Usage.Add(r.Usage)
	f.result.Cost += r.Cost
	for _, p := range r.Pending {
		p.ID = strconv.Itoa(i) + "/" + p.ID
		f.result.Pending = append(f.result.Pending, p)
	}
}

// store is the state. Where a run has none, since its own was refused, it is
// what it was.
func (s *flowState) store(r *Result) (json.RawMessage, error) {
	out := *s
	out.Version, out.Reason = stateVersion, r.Reason
	out.Runs = make([]json.RawMessage, max(len(r.Runs), len(s.Runs)))
	copy(out.Runs, s.Runs)
	for i, run := range r.Runs {
		if run == nil {
			continue
		}
		switch state, err := run.State(); {
		case err == nil:
			out.Runs[i] = state
		case !present(out.Runs[i]):
			return nil, err
		}
	}
	return json.Marshal(out)
}

// one makes one of the flow's runs, which begins as s says, or goes on with it. tell
// takes its events.
func (f *flow) one(ctx context.Context, i int, r Runner, s Start, tell func(Event) bool) (*Result, error) {
	s.State, s.Verdicts = nil, nil
	if i < len(f.before) && present(f.before[i]) {
		s.State = f.before[i]
		for _, v := range f.start.Verdicts {
			if rest, ok := strings.CutPrefix(v.CallID, strconv.Itoa(i)+"/"); ok {
				v.CallID = rest
				s.Verdicts = append(s.Verdicts, v)
			}
		}
	}
	was := reasonOf(s.State)
	if s.Quiet || was.ended() {
		tell = ignore // what has ended told its events then
	}
	if f.reason.ended() && was != "" && !was.ended() {
		result := &Result{Reason: was}
		result.spent(s.State)
		return result, &StopError{Reason: was, Result: result}
	}
	result, err := collect(r.Start(ctx, s), tell)
	if result == nil {
		result = &Result{}
	}
	return result, err
}

// reasonOf is why a run had ended, as its state says.
func reasonOf(state json.RawMessage) Reason {
	var s struct {
		Reason Reason `json:"reason"`
	}
	if json.Unmarshal(state, &s) != nil {
		return ""
	}
	return s.Reason
}

// spent adds up what a run has used, as its state says: that of a flow has no sum
// of its own.
func (r *Result) spent(raw json.RawMessage) {
	var s struct {
		Usage chat.Usage        `json:"usage"`
		Cost  float64           `json:"cost"`
		Runs  []json.RawMessage `json:"runs"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return
	}
	r.Usage.Add(s.Usage)
	r.Cost += s.Cost
	for _, run := range s.Runs {
		r.spent(run)
	}
}

// next makes the run that comes after all before it, whose result is the flow's
// so far.
func (f *flow) next(ctx context.Context, r Runner, input []chat.Message) error {
	i := len(f.runs)
	if ctx.Err() != nil {
		f.runs = append(f.runs, nil) // not begun: it is known that the one before is over
		return f.cut(ctx, i)
	}
	s := f.start
	s.Input = input
	result, err := f.one(ctx, i, r, s, func(ev Event) bool { return f.tell(i, ev) })
	f.runs, f.last = append(f.runs, result), result
	if err != nil {
		return f.stop(i, err)
	}
	return nil
}

func (f *flow) tell(i int, ev Event) bool {
	if !f.gone {
		f.gone = !f.yield(Nested{ID: strconv.Itoa(i), Event: ev})
	}
	return !f.gone
}

// stop ends the flow over the run at i.
func (f *flow) stop(i int, err error) error {
	reason := StopFailed
	if stop, ok := errors.AsType[*StopError](err); ok {
		reason = stop.Reason
	}
	return &StopError{Reason: reason, Step: i, Err: err, Result: f.result}
}

// refuse ends the flow before anything was run.
func (f *flow) refuse(err error) error {
	f.result.Reason = StopRefused
	return &StopError{Reason: StopRefused, Err: err, Result: f.result}
}

// cut ends the flow before or in the run at i, since the context has ended.
func (f *flow) cut(ctx context.Context, i int) error {
	reason := StopCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = StopDeadline
	}
	err := context.Cause(ctx)
	if !errors.Is(err, ctx.Err()) {
		err = errors.Join(ctx.Err(), err)
	}
	return &StopError{Reason: reason, Step: i, Err: err, Result: f.result}
}

// handOn makes an answer the input of the run after it.
func handOn(r *Result) []chat.Message {
	if r.output != nil {
		return []chat.Message{*r.output}
	}
	return []chat.Message{{Role: chat.RoleUser, Parts: r.answer()}}
}
