package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
)

// errCancelledCall is the cause of a context that [Control.Cancel] ended.
var errCancelledCall = errors.New("the call was cancelled")

// Control steers a run while it goes on, from any goroutine. It belongs to one
// run at a time: put it into a copy of the Agent. The zero Control is ready.
type Control struct {
	mu      sync.Mutex
	pending []chat.Message
	paused  bool
	running map[string]context.CancelCauseFunc
}

// Pause makes the run stop before its next step, or at once if it is to begin,
// with StopPaused. What the model has asked for is run first. The run can be
// gone on with by [Agent.Resume], with another Control.
func (c *Control) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = true
}

func (c *Control) isPaused() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// Inject puts messages into the conversation before the next step. Those that
// come while the model gives its answer make the run go on with a further
// step.
func (c *Control) Inject(messages ...chat.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, messages...)
}

// Left takes back the messages that were injected and that no step has taken:
// those that came after the last one began.
func (c *Control) Left() []chat.Message { return c.take() }

// Cancel ends the context of a call that is running, by the call's id. The
// model gets an error result. It reports whether there was such a call.
func (c *Control) Cancel(callID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, ok := c.running[callID]
	if ok {
		cancel(errCancelledCall)
	}
	return ok
}

// waiting reports whether there are messages to take.
func (c *Control) waiting() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) > 0
}

// take empties the inbox.
func (c *Control) take() []chat.Message {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := slices.Clone(c.pending)
	c.pending = nil
	return taken
}

// watch makes a call cancellable until done is called.
func (c *Control) watch(ctx context.Context, callID string) (watched context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c == nil {
		return ctx, func() { cancel(nil) }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[string]context.CancelCauseFunc{}
	}
	c.running[callID] = cancel
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, callID)
	}
}

// EndRun is for a tool's function: the run ends with this call's result, once
// the calls beside it have finished, unless the call fails. It reports whether
// ctx belongs to a run.
func EndRun(ctx context.Context) bool {
	c, ok := callOf(ctx)
	if ok {
		c.ends.Store(true)
	}
	return ok
}

// CatchEnd is for hosts that run a tool's function away from its run, such as in
// another process: EndRun works in the context that it returns, and ended reports
// whether it was called. The host then calls EndRun in the run.
func CatchEnd(ctx context.Context) (caught context.Context, ended func() bool) {
	c, _ := callOf(ctx)
	c.ends = new(atomic.Bool)
	return c.in(ctx), c.ends.Load
}
