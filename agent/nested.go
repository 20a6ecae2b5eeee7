package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
)

// callContext is the one value that a run puts into a context: that of a tool's
// function, which gets nothing else of the run. By it EndRun reaches the call, and
// AsTool the run around it. All else a run hands on is in Start.
type callContext struct {
	ends *atomic.Bool // EndRun was called
	// nest is where a run inside of the call meets the one that made the call; nil:
	// that one is in another process, see CatchEnd.
	nest *nest
}

type callKey struct{}

func (c callContext) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// callOf returns the call whose function got ctx, or a context made from it.
func callOf(ctx context.Context) (callContext, bool) {
	c, ok := ctx.Value(callKey{}).(callContext)
	return c, ok
}

// depthIn is how many runs are around one that is begun with ctx.
func depthIn(ctx context.Context) int {
	if c, ok := callOf(ctx); ok && c.nest != nil {
		return c.nest.outer.depth + 1
	}
	return 0
}

// nest is where the run inside of a call meets the run that made the call. The
// inner run works on it while the call runs, and the outer one before and after.
type nest struct {
	outer *run
	step  int
	at    int // the call's place in the step
	call  chat.ToolCall
	// tell hands an event to the outer run and returns when it is taken.
	tell  func(Event) bool
	taken atomic.Bool // by a run: a call has one

	before *inner // as it was left the last time
	// left is the inner run, where it did not end well; waits: it is to be gone
	// on with.
	left  *inner
	waits bool
	usage chat.Usage
	cost  float64
	// broken ends the outer run.
	broken *StopError
}

// takeNest is the nest of a call that has no inner run yet; elsewhere it leads
// nowhere.
func takeNest(ctx context.Context) *nest {
	if c, ok := callOf(ctx); ok && c.nest != nil && !c.nest.taken.Swap(true) {
		return c.nest
	}
	return &nest{tell: ignore}
}

// begin says how the inner run starts. One of an agent is kept in the store of
// the outer run: what the store knows is newer than what the outer run does.
func (n *nest) begin(ctx context.Context, r Runner, input chat.Message) (Runner, Start, error) {
	s := Start{Input: []chat.Message{input}}
	if n.outer != nil {
		s.Unstreamed, s.Quiet, s.Runtime = n.outer.unstreamed, n.outer.quiet, n.outer.runtime.In(ctx)
	}
	if n.before != nil {
		s.State, s.Verdicts = n.before.State, n.before.Verdicts
	}
	a, ok := r.(*Agent)
	if !ok {
		return r, s, nil
	}
	own := *a
	own.Store, own.RunID = nil, ""
	if n.outer == nil || n.outer.agent.Store == nil {
		return &own, s, nil
	}
	own.Store = n.outer.agent.Store
	own.RunID = n.name()
	stored, err := Load(ctx, own.Store, own.RunID)
	switch {
	case errors.Is(err, ErrNoRun):
		return &own, s, nil
	case err != nil:
		return nil, s, err
	}
	if s.State == nil || seqOf(stored) > seqOf(s.State) {
		s.State, s.Verdicts = stored, nil
	}
	return &own, s, nil
}

// name is under what the inner run is stored: its place in the outer one. The
// call's id could be as long as the provider likes.
func (n *nest) name() string {
	return fmt.Sprintf("%s/%s/%d/%d", n.outer.agent.RunID, n.outer.nonce, n.step, n.at)
}

// innerNames matches what nest.name puts behind the name of the outermost run.
var innerNames = regexp.MustCompile(`(/[A-Z2-7]{8}/\d+/\d+)+$`)

func seqOf(raw json.RawMessage) int {
	var s struct {
		Seq int `json:"seq"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return 0
	}
	return s.Seq
}

// errWaits is the error of a call whose run waits; nobody sees it.
var errWaits = errors.New("the run that the call made waits")

// stopped keeps a run that did not end well, and returns what the model is told.
func (n *nest) stopped(result *Result, err error) error {
	stop, ok := errors.AsType[*StopError](err)
	if !ok {
		return err
	}
	if stop.Reason == StopStore {
		n.broken = stop
	}
	if state, failed := result.State(); failed == nil {
		n.left, n.waits = leave(state, stop.Reason, result.Pending), n.outer != nil && stop.Reason.waits()
	}
	if n.before != nil && slipped(err) {
		if n.left == nil { // nothing was done
			kept := *n.before
			kept.Verdicts = nil
			n.left = &kept
		}
		n.left.Reason, n.left.refused, n.waits = n.before.Reason, err, true
	}
	if n.waits {
		return errWaits
	}
	why := string(stop.Reason)
	if stop.Err != nil {
		why += ": " + stop.Err.Error()
	}
	if said := result.Text(); said != "" {
		why += "\nWhat it said last: " + said
	}
	return errors.New("the agent did not finish: " + why)
}

// slipped reports whether a run has stopped over a verdict that can't be. Then it
// waits for a better one.
func slipped(err error) bool {
	stop, stopped := errors.AsType[*StopError](err)
	e, refused := errors.AsType[*chat.Error](err)
	return stopped && stop.Reason == StopRefused && refused && e.Param == "verdicts"
}

// keep books the inner run on its call, when the call has ended. A call that was
// cut off before its function was entered has none.
func (n *nest) keep(call *Call) {
	if !n.taken.Load() {
		return
	}
	call.Usage, call.Cost, call.inner = n.usage, n.cost, n.left
	if n.waits {
		*call = call.answered(NotRun, errWaits.Error())
	}
}

// countInner adds what the runs inside of a step's calls have used.
func (r *run) countInner(o *openStep) {
	for _, c := range o.Calls {
		o.Usage.Add(c.Usage)
		o.Cost += c.Cost
		r.result.Usage.Add(c.Usage)
		r.result.Cost += c.Cost
	}
}

// ended reports whether a run has ended well.
func (r Reason) ended() bool {
	return r == StopAnswered || r == StopTool || r == StopCondition
}

// waits reports whether a run that stopped is to be gone on with when somebody
// says so.
func (r Reason) waits() bool {
	return r == StopApproval || r == StopQuestion || r == StopPaused
}
