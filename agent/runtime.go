package agent

import (
	"context"
	"time"
)

// Runtime is what a run needs of its process: a clock, and a way to do things
// side by side. It is for hosts where the clock and goroutines may not be used,
// such as workflow engines that replay code. Everything else in a run happens on
// the goroutine of its caller.
type Runtime interface {
	Now() time.Time
	// Sleep waits for d, or less if ctx ends: then it returns ctx's error.
	Sleep(ctx context.Context, d time.Duration) error
	// Tasks begins a group of tasks; it is used for the calls of one step.
	Tasks() Tasks
}

// Tasks runs functions side by side.
type Tasks interface {
	// Go starts a task. It may pass on another context than ctx, one with more
	// values.
	Go(ctx context.Context, task func(ctx context.Context))
	// Wait returns when a further task has ended: after as many calls as of Go,
	// nothing runs any more.
	Wait()
}

// process is the Runtime of an ordinary program.
type process struct{}

func (process) Now() time.Time { return time.Now() }

func (process) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (process) Tasks() Tasks { return goroutines{make(chan struct{})} }

type goroutines struct{ ended chan struct{} }

func (g goroutines) Go(ctx context.Context, task func(context.Context)) {
	go func() {
		defer func() { g.ended <- struct{}{} }()
		task(ctx)
	}()
}

func (g goroutines) Wait() { <-g.ended }
