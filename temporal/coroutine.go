package temporal

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
)

// coroutine is where something of a run goes on: SDK calls that wait need the
// workflow.Context of the coroutine that makes them.
type coroutine struct {
	ctx workflow.Context
	run *run
}

type coroutineKey struct{}

// within puts a coroutine into the context of what is called on it.
func within(ctx context.Context, c coroutine) context.Context {
	return context.WithValue(ctx, coroutineKey{}, c)
}

func current(ctx context.Context) (coroutine, bool) {
	c, ok := ctx.Value(coroutineKey{}).(coroutine)
	return c, ok
}

// execute runs an activity. It is cancelled when the workflow is, or when ctx
// ends for a reason of the run's own, and has ended when execute returns.
func (c coroutine) execute(ctx context.Context, o workflow.ActivityOptions, name string, in, out any) error {
	inner, cancel := workflow.WithCancel(workflow.WithActivityOptions(c.ctx, o))
	ended := workflow.ExecuteActivity(inner, name, in)
	// An error means that inner was cancelled, which has reached the activity.
	err := workflow.Await(inner, func() bool { return ended.IsReady() || ctx.Err() != nil })
	if err == nil && !ended.IsReady() {
		cancel()
	}
	err = ended.Get(inner, out)
	if c.ctx.Err() != nil {
		c.run.cancel()
	}
	c.run.receive()
	return err
}

// runtime is the clock and the coroutines of a workflow.
type runtime struct{ coroutine }

var _ agent.Runtime = runtime{}

func (r runtime) Now() time.Time { return workflow.Now(r.ctx) }

// Sleep waits by a timer of the workflow. Like an activity, it ends with the
// workflow's cancellation, or with ctx.
func (r runtime) Sleep(ctx context.Context, d time.Duration) error {
	c := r.coroutine
	if own, ok := current(ctx); ok {
		c = own
	}
	_, err := workflow.AwaitWithTimeout(c.ctx, d, func() bool { return ctx.Err() != nil })
	if err != nil {
		c.run.cancel()
	}
	c.run.receive()
	return ctx.Err()
}

// In is the runtime of the coroutine in which a task runs.
func (r runtime) In(ctx context.Context) agent.Runtime {
	if c, ok := current(ctx); ok {
		return runtime{c}
	}
	return r
}

func (r runtime) Tasks() agent.Tasks { return tasks{r.coroutine, workflow.NewChannel(r.ctx)} }

type tasks struct {
	coroutine
	ended workflow.Channel
}

func (t tasks) Go(ctx context.Context, task func(context.Context)) {
	workflow.Go(t.ctx, func(own workflow.Context) {
		task(within(ctx, coroutine{own, t.run}))
		t.ended.Send(own, nil)
	})
}

// Do runs f at once: coroutines take turns.
func (t tasks) Do(f func()) { f() }

func (t tasks) Wait() { t.ended.Receive(t.ctx, nil) }
