package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// bench runs the calls of one reply side by side. It starts them itself, in
// their order, on the goroutine that hands events over.
type bench struct {
	run     *run
	step    *openStep
	tasks   Tasks
	queue   []int // not yet started
	running int
	serial  bool // a serial tool is running

	mu    sync.Mutex
	ended []int // and not yet told
	err   error // the first that has to end the run
}

// work runs the queue. It returns when nothing runs any more; the error ends
// the run.
func (b *bench) work(ctx context.Context) error {
	inner, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		b.run.gone = b.run.gone || b.running > 0 // whoever took the events has panicked
		abandon(b.tasks, b.running)
	}()
	for {
		for more := true; more && inner.Err() == nil; {
			more = b.start(inner, cancel)
		}
		if b.running == 0 {
			break
		}
		b.tasks.Wait()
		b.running--
		b.finish(ctx, cancel)
	}
	switch {
	case b.run.gone:
		return errGone
	case ctx.Err() != nil:
		return b.run.ended(ctx, context.Cause(ctx))
	case b.err != nil:
		if stop, ok := errors.AsType[*StopError](b.err); ok {
			return b.run.stop(stop.Reason, stop.Err)
		}
		return b.run.stop(StopToolError, b.err)
	}
	return nil
}

// start starts the next call that may start, and reports whether there was one.
func (b *bench) start(ctx context.Context, cancel func()) bool {
	at := slices.IndexFunc(b.queue, func(i int) bool { return !b.serial || !b.isSerial(i) })
	if at < 0 || b.running >= b.parallel() {
		return false
	}
	i := b.queue[at]
	if err := b.run.noteStart(ctx, i); err != nil {
		b.fail(err, cancel)
		return false
	}
	if !b.run.tell(CallStarted{b.step.Index, b.step.Calls[i].ToolCall}) {
		cancel() // and the call is not run
		return false
	}
	b.queue = slices.Delete(b.queue, at, at+1)
	b.serial = b.serial || b.isSerial(i)
	call := &b.step.Calls[i]
	n := b.nest(i)
	b.running++
	*call = call.answered(Failed, "the call did not finish")
	b.tasks.Go(ctx, func(ctx context.Context) {
		defer b.end(i)
		if err := b.run.do(ctx, call, n); err != nil {
			b.fail(err, cancel)
		}
	})
	return true
}

// nest is the place for a run inside of a call.
func (b *bench) nest(i int) *nest {
	call := b.step.Calls[i]
	n := &nest{outer: b.run, step: b.step.Index, at: i, call: call.ToolCall, before: call.inner}
	if b.run.quiet {
		n.tell = ignore
		return n
	}
	n.tell = func(ev Event) (goesOn bool) {
		b.tasks.Do(func() { goesOn = b.run.tell(Nested{n.call.ID, n.call.Name, ev}) })
		return goesOn
	}
	return n
}

// fail ends what runs.
func (b *bench) fail(err error, cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	cancel()
}

// end says that a call's task is over.
func (b *bench) end(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, i)
}

// finish takes one call that has ended.
func (b *bench) finish(ctx context.Context, cancel func()) {
	b.mu.Lock()
	i := b.ended[0]
	b.ended = b.ended[1:]
	b.mu.Unlock()
	b.serial = b.serial && !b.isSerial(i)
	call := &b.step.Calls[i]
	if b.run.gone && call.Outcome == Failed && !b.run.hasSideEffects(call.Name) {
		call.interrupted = true // a run inside of it noticed before the context ended
	}
	if !call.interrupted && call.Outcome != NotRun {
		call.inner = nil
	}
	if err := b.run.note(ctx, i); err != nil {
		b.fail(err, cancel)
	}
	if !b.run.tell(CallFinished{b.step.Index, *call}) {
		cancel()
	}
}

func (b *bench) isSerial(i int) bool {
	t, ok := b.run.set.Lookup(b.step.Calls[i].Name)
	return ok && t.Options.Serial
}

// defaultParallel is tools.Set.MaxParallel where it is 0.
const defaultParallel = 8

func (b *bench) parallel() int {
	if n := b.run.set.MaxParallel; n > 0 {
		return n
	}
	return defaultParallel
}

// do runs one call. The error is one that has to end the run.
func (r *run) do(ctx context.Context, call *Call, n *nest) error {
	ctx, release := r.agent.Control.watch(ctx, call.ID)
	defer release()
	c := callContext{new(atomic.Bool), n}
	ctx = c.in(ctx)
	began := r.runtime.Now()
	cut := func() bool { return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errCancelledCall) }
	if cut() { // before its function was entered, whatever that would have done
		call.interrupted = true
		return nil
	}
	result, err := r.set.RunOne(ctx, call.asRun())
	call.interrupted = cut() && result.IsError && !r.hasSideEffects(call.Name)
	call.Duration = r.since(began)
	call.Result, call.Outcome = result, Succeeded
	if result.IsError {
		call.Outcome = Failed
	}
	if errors.Is(err, tools.ErrOutcomeUnknown) {
		call.Outcome, call.interrupted = Unknown, false
		if t, _ := r.set.Lookup(call.Name); t.Options.OnError != tools.Stop && ctx.Err() == nil {
			err = nil
		}
	}
	if err != nil && errors.Is(context.Cause(ctx), errCancelledCall) {
		err = nil
		if call.Outcome == Failed {
			*call = call.answered(Failed, errCancelledCall.Error())
		}
	}
	if len(call.Edited) > 0 {
		note := chat.Text{Text: "(" + call.Name + " was run with arguments that the user changed: " + string(call.Edited) + ")"}
		call.Result.Parts = append([]chat.Part{note}, call.Result.Parts...)
	}
	call.ends = c.ends.Load()
	n.keep(call)
	call.interrupted = call.interrupted && call.Outcome == Failed
	switch {
	case n.broken != nil:
		return n.broken
	case n.waits:
		return nil
	}
	return err
}

// asRun is the call with the arguments that it runs with.
func (c Call) asRun() chat.ToolCall {
	call := c.ToolCall
	if len(c.Edited) > 0 {
		call.Arguments = c.Edited
	}
	return call
}
