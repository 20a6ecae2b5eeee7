package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
)

// BreakerConfig says when a [Breaker] opens, and for how long. The zero value is
// ready for use.
type BreakerConfig struct {
	// Failures is how many calls of a model must fail in a row; 0 means 5.
	Failures int
	// Pause is how long no call gets through then; 0 means 30 seconds. If the
	// last failure asked for a longer wait (RetryAfter), that is kept instead.
	Pause time.Duration
}

// Breaker spares a provider that is down, and its callers the wait for it. After
// some failures in a row the breaker is open: calls fail at once, without being
// sent, with a *chat.Error of kind ErrOverloaded whose RetryAfter says when the
// next one is let through. That one is a trial: while it runs others still fail,
// with no RetryAfter; once it is answered, or a stream has brought its first
// event, all get through, and if it fails, the pause begins anew. A stream that
// breaks off after such a trial reopens the breaker.
//
// Each model has a breaker of its own, by the name in the request, and so has each
// engine that the middleware wraps. What counts is the outcome of whole calls, the
// engine's own attempts included:
//   - failures: ErrOverloaded, ErrRateLimited, ErrServer, ErrNetwork, ErrBadReply,
//     ErrTruncated, whatever else is Retryable, and a deadline that passed before
//     anything had come, which is how a provider looks that hangs;
//   - successes: replies, streams that ended well or were left by their reader,
//     and whatever else the provider answered, such as ErrBadRequest or ErrAuth;
//   - neither: what was not sent (ErrInvalid, ErrUnsupported, a missing key, what
//     another middleware held back), what its caller cancelled, and errors of no
//     kind of package chat.
//
// A breaker inside of [Fallback], around one of its engines, makes it go on at
// once.
func Breaker(cfg BreakerConfig) Middleware {
	return func(e engine.Engine) engine.Engine {
		return &breaker{
			Engine:   e,
			failures: cmp.Or(max(cfg.Failures, 0), 5),
			pause:    cmp.Or(max(cfg.Pause, 0), 30*time.Second),
			circuits: map[string]*circuit{},
			sweep:    manyNames,
		}
	}
}

type breaker struct {
	engine.Engine

	failures int
	pause    time.Duration

	mu sync.Mutex
	// circuits holds the models whose last calls failed, and no others: callers
	// may make up names. When they are as many as sweep, those that hold up nobody
	// are dropped.
	circuits map[string]*circuit
	sweep    int
}

// circuit is the state of one model.
type circuit struct {
	failures int
	until    time.Time // the end of the pause; zero while closed
	trial    bool      // a trial is under way
	last     string    // the last failure; its error may hold a caller's reply
}

// passage is a call that the breaker let through.
type passage struct {
	model string
	trial bool
	// over: the context had ended before, so that the outcome tells nothing.
	over bool
}

// verdict is what a call tells about the provider.
type verdict uint8

const (
	unclear verdict = iota
	well
	unwell
)

// Chat implements [engine.Engine].
func (b *breaker) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	p, err := b.enter(ctx, req)
	if err != nil {
		return nil, err
	}
	v := unclear // which holds for a panic
	defer func() { b.leave(p, v, err) }()
	reply, err := b.Engine.Chat(ctx, req)
	v = p.judge(err, false)
	return reply, err
}

// Stream implements [engine.Engine].
func (b *breaker) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(b.Name(), func(yield func(chat.Event, error) bool) {
		p, err := b.enter(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		v, begun := unclear, false
		defer func() { b.leave(p, v, err) }()
		var ev chat.Event
		for ev, err = range b.Engine.Stream(ctx, req) {
			if err == nil && !begun {
				begun = true
				b.begun(&p)
			}
			v = p.judge(err, begun)
			if !yield(ev, err) {
				return
			}
		}
	})
}

// enter lets a call through or refuses it.
func (b *breaker) enter(ctx context.Context, req *chat.Request) (passage, error) {
	p := passage{over: ctx.Err() != nil}
	if req != nil {
		p.model = req.Model
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[p.model]
	if c == nil || c.until.IsZero() {
		return p, nil
	}
	wait := max(time.Until(c.until), 0)
	if wait == 0 && !c.trial {
		p.trial, c.trial = true, true
		return p, nil
	}
	why := fmt.Sprintf("the breaker is open; failures in a row: %d, the last: %s", c.failures, c.last)
	return p, &chat.Error{
		Kind: chat.ErrOverloaded, Engine: b.Name(), Model: p.model, RetryAfter: wait, Retryable: true,
		Message: why, Err: stream.UnsentError(why),
	}
}

// begun ends a trial whose answer has begun: others get through from now on, and
// one failure, such as the end of this very stream, opens the breaker again.
func (b *breaker) begun(p *passage) {
	if !p.trial {
		return
	}
	p.trial = false
	b.mu.Lock()
	defer b.mu.Unlock()
	b.circuits[p.model] = &circuit{failures: b.failures - 1}
}

// leave notes how a call ended. Once the breaker is open, only the trial says
// something new: others began before.
func (b *breaker) leave(p passage, v verdict, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.circuits[p.model]
	if c != nil && !c.until.IsZero() {
		if !p.trial {
			return
		}
		c.trial = false
	}
	switch v {
	case well:
		delete(b.circuits, p.model)
	case unwell:
		if c == nil {
			c = b.add(p.model)
		}
		b.fail(c, err)
	case unclear:
	}
}

// add begins to count the failures of a model.
func (b *breaker) add(model string) *circuit {
	if len(b.circuits) >= b.sweep {
		now := time.Now()
		maps.DeleteFunc(b.circuits, func(_ string, c *circuit) bool { return !c.trial && !now.Before(c.until) })
		b.sweep = max(manyNames, 2*len(b.circuits))
	}
	c := &circuit{}
	b.circuits[model] = c
	return c
}

// fail counts a failure.
func (b *breaker) fail(c *circuit, err error) {
	if c.failures++; c.failures < b.failures {
		return
	}
	wait := b.pause
	if e, ok := errors.AsType[*chat.Error](err); ok {
		wait = max(wait, e.RetryAfter)
	}
	c.until = time.Now().Add(wait)
	c.last = strings.TrimPrefix(err.Error(), b.Name()+": ")
}

// judge says what a call, or an event of it, tells about the provider. begun:
// something of the answer had come.
func (p passage) judge(err error, begun bool) verdict {
	switch {
	case err == nil:
		return well
	case p.over, !wasSent(err), errors.Is(err, context.Canceled), begun && errors.Is(err, context.DeadlineExceeded):
		return unclear
	case errors.Is(err, context.DeadlineExceeded), outage(err):
		return unwell
	}
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Status != 0 {
		return well // the provider is there
	}
	return unclear
}

// outages are the kinds of error that speak of the provider's state, and not of
// the request.
var outages = []error{
	chat.ErrOverloaded, chat.ErrRateLimited, chat.ErrServer, chat.ErrNetwork, chat.ErrBadReply, chat.ErrTruncated,
}

// outage reports whether the same request may well succeed later, or on another
// connection.
func outage(err error) bool {
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Retryable {
		return true
	}
	return slices.ContainsFunc(outages, func(kind error) bool { return errors.Is(err, kind) })
}
