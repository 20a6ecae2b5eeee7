package agent

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sabir-go/sabir/chat"
)

// bench runs the calls of one reply side by side. It starts them itself, in
// their order, on the goroutine that hands events over.
type bench struct {
	run     *run
	step    *StepResult
	queue   []int // not yet started
	running int
	serial  bool // a serial tool is running
	done    chan int
}

// work runs the queue. It returns when nothing runs any more; the error ends
// the run.
func (b *bench) work(ctx context.Context) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	group, groupCtx := errgroup.WithContext(inner)
	for {
		for groupCtx.Err() == nil && b.start(groupCtx, group) {
			if b.run.gone {
				cancel()
			}
		}
		if b.running == 0 {
			break
		}
		i := <-b.done
		b.running--
		b.serial = b.serial && !b.isSerial(i)
		if !b.run.tell(CallFinished{b.step.Index, b.step.Calls[i]}) {
			cancel()
		}
	}
	err := group.Wait()
	switch {
	case b.run.gone:
		return errGone
	case ctx.Err() != nil:
		return b.run.ended(ctx, context.Cause(ctx))
	case err != nil:
		return b.run.stop(StopToolError, err)
	}
	return nil
}

// start starts the next call that may start, and reports whether there was one.
func (b *bench) start(ctx context.Context, group *errgroup.Group) bool {
	at := slices.IndexFunc(b.queue, func(i int) bool { return !b.serial || !b.isSerial(i) })
	if at < 0 || b.running >= b.parallel() {
		return false
	}
	i := b.queue[at]
	b.queue = slices.Delete(b.queue, at, at+1)
	b.serial = b.serial || b.isSerial(i)
	b.running++
	call := &b.step.Calls[i]
	b.run.tell(CallStarted{b.step.Index, call.ToolCall})
	group.Go(func() error {
		defer func() { b.done <- i }()
		return b.run.do(ctx, call)
	})
	return true
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
func (r *run) do(ctx context.Context, call *Call) error {
	ctx, release := r.agent.Control.watch(ctx, call.ID)
	defer release()
	ctx, ends := withEnd(ctx)
	began := time.Now()
	results, err := r.set.RunApproved(ctx, []chat.ToolCall{call.ToolCall})
	call.Duration = time.Since(began)
	if len(results) == 1 {
		call.Result = results[0]
	}
	call.Outcome = Succeeded
	if call.Result.IsError {
		call.Outcome = Failed
	}
	if err != nil && errors.Is(context.Cause(ctx), errCancelledCall) {
		err = nil
		if call.Outcome == Failed {
			*call = Call{
				ToolCall: call.ToolCall, Duration: call.Duration, Outcome: Failed,
				Result: refusal(call.ToolCall, Failed, errCancelledCall.Error()).Result,
			}
		}
	}
	call.ends = ends.Load()
	return err
}
