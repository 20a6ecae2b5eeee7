package middleware

import (
	"context"
	"errors"
	"iter"
	"maps"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
)

// RateLimitConfig says how much may be sent. Limits hold for each model of each
// engine by itself, as those of the providers do. The zero value holds to what
// the providers say in the headers of their replies.
type RateLimitConfig struct {
	// Requests is the most requests per minute; 0: no limit of our own. That
	// many may go at once, then one after the other as they come free.
	Requests int
	// Tokens is the most tokens per minute, input and output; 0: no limit of our
	// own. A request waits for an estimate of its input, four bytes of text to a
	// token; what the call really took is booked after it, so that those behind
	// it wait for the rest.
	Tokens int
}

// RateLimit holds calls back before they are sent, so that the provider needn't
// refuse them: it keeps to the limits of its config, to those in the headers of
// each reply (chat.Reply.RateLimit), and to a wait that an error asked for
// (chat.Error.RetryAfter). Calls go in the order in which they came.
//
// The wait ends with the context. If the context's deadline leaves no room for
// it, the call fails at once with a *chat.Error of kind chat.ErrRateLimited and
// RetryAfter; its Status is 0, because no provider said so. Requests that the
// plan refuses don't wait.
//
// One middleware serves several engines and any number of goroutines. Other
// processes with the same key are seen in the headers only.
func RateLimit(cfg RateLimitConfig) Middleware {
	l := &limiter{cfg: cfg, lanes: make(map[laneKey]*lane), sweep: manyNames}
	return func(e engine.Engine) engine.Engine { return limited{e, l} }
}

// limiter keeps a lane for each model.
type limiter struct {
	cfg   RateLimitConfig
	mu    sync.Mutex
	lanes map[laneKey]*lane
	// sweep is how many lanes are too many.
	sweep int
}

type laneKey struct{ engine, model string }

func (l *limiter) lane(key laneKey) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := l.lanes[key]; found != nil {
		return found
	}
	if len(l.lanes) >= l.sweep {
		now := time.Now()
		maps.DeleteFunc(l.lanes, func(_ laneKey, old *lane) bool { return old.idle(now) })
		l.sweep = max(manyNames, 2*len(l.lanes))
	}
	made := newLane(key, l.cfg)
	l.lanes[key] = made
	return made
}

type limited struct {
	engine.Engine

	limiter *limiter
}

// enter waits until the request may be sent. The caller ends the ticket.
func (l limited) enter(ctx context.Context, req *chat.Request) (*ticket, error) {
	plan, err := planned(l, req)
	if err != nil {
		return nil, err
	}
	key := laneKey{l.Name(), req.Model}
	if plan != nil {
		key = laneKey{plan.Engine, plan.Model}
	}
	return l.limiter.lane(key).enter(ctx, amount{1, estimate(req)})
}

// Chat implements [engine.Engine].
func (l limited) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	t, err := l.enter(ctx, req)
	if err != nil {
		return nil, err
	}
	defer t.end()
	reply, err := l.Engine.Chat(ctx, req)
	t.learn(reply, err)
	return reply, err
}

// Stream implements [engine.Engine].
func (l limited) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(l.Name(), func(yield func(chat.Event, error) bool) {
		t, err := l.enter(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer t.end()
		for ev, err := range l.Engine.Stream(ctx, req) {
			if done, ok := ev.(chat.Done); ok || err != nil {
				t.learn(done.Reply, err)
				t.end() // the listener may take its time
			}
			if !yield(ev, err) {
				return
			}
		}
	})
}

// estimate is about how many tokens a request's texts are.
func estimate(req *chat.Request) float64 {
	bytes := len(req.System)
	for _, m := range req.Messages {
		bytes += partBytes(m.Parts)
	}
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	if req.Output != nil {
		bytes += len(req.Output.Schema)
	}
	return float64(bytes) / 4
}

func partBytes(parts []chat.Part) int {
	n := 0
	for _, p := range parts {
		switch p := p.(type) {
		case chat.Text:
			n += len(p.Text)
		case chat.Thinking:
			n += len(p.Text)
		case chat.ToolCall:
			n += len(p.Name) + len(p.Arguments)
		case chat.ToolResult:
			n += partBytes(p.Parts)
		case chat.Image, chat.File, chat.Audio: // their bytes say nothing of their tokens
		}
	}
	return n
}

// retryAfter is how long an error asked to wait; 0 if it didn't.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*chat.Error](err); ok && (errors.Is(e, chat.ErrRateLimited) || errors.Is(e, chat.ErrOverloaded)) {
		return e.RetryAfter
	}
	return 0
}

// leavesRoom is false if ctx will have ended when a wait is over.
func leavesRoom(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}
