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
	// Tasks begins a group of tasks: the calls of one step, or the runs of a
	// Parallel.
	Tasks() Tasks
	// In returns the Runtime for a run inside of this one, that goes on in a task:
	// ctx comes from what Tasks.Go passed on.
	In(ctx context.Context) Runtime
}

// Tasks runs functions side by side.
type Tasks interface {
	// Go starts a task. It may pass on another context than ctx, one with more
	// values.
	Go(ctx context.Context, task func(ctx context.Context))
	// Wait returns when a further task has ended: after as many calls as of Go,
	// nothing runs any more.
	Wait()
	// Do is for the tasks: it has f run inside of Wait, by whoever waits, and
	// returns when f has. One f runs at a time.
	Do(f func())
}

// pickRuntime is the first Runtime that there is, or else that of an ordinary
// program.
func pickRuntime(own, around Runtime) Runtime {
	switch {
	case own != nil:
		return own
	case around != nil:
		return around
	}
	return process{}
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

func (process) In(context.Context) Runtime { return process{} }

func (process) Tasks() Tasks { return goroutines{make(chan struct{}), make(chan errand)} }

type goroutines struct {
	ended   chan struct{}
	errands chan errand
}

// errand is what a task wants to have done by the goroutine that waits.
type errand struct {
	f    func()
	done chan struct{}
}

func (g goroutines) Go(ctx context.Context, task func(context.Context)) {
	go func() {
		defer func() { g.ended <- struct{}{} }()
		task(ctx)
	}()
}

func (g goroutines) Wait() {
	for {
		select {
		case <-g.ended:
			return
		case e := <-g.errands:
			e.run()
		}
	}
}

func (e errand) run() {
	defer close(e.done) // also where f panics, so that the task can end
	e.f()
}

func (g goroutines) Do(f func()) {
	e := errand{f, make(chan struct{})}
	g.errands <- e
	<-e.done
}

// abandon is for who stops waiting because a panic goes through it, such as one
// of whoever takes the events: it waits for the tasks that still run, whose
// context has ended. Other hosts unwind their tasks themselves.
func abandon(tasks Tasks, running int) {
	g, ok := tasks.(goroutines)
	for ; ok && running > 0; running-- {
		g.Wait()
	}
}
