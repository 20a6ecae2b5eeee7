package middleware

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/stream"
)

// amount is what a call takes from its lane: requests and tokens.
type amount [2]float64

func (a *amount) add(b amount, sign float64) {
	for i := range a {
		a[i] += sign * b[i]
	}
}

// lane is where the calls of one model wait, in the order in which they came.
// Only the first looks at the clock, so that none is overtaken, and what a reply
// says in the meantime holds for all.
type lane struct {
	key laneKey

	mu sync.Mutex
	// own are the config's limits; told those of the provider, as far as it
	// told them.
	own, told [2]bucket
	// pause is when an error allows the next call.
	pause time.Time
	// queue holds *waiter, wanted what they take together, flying what the calls
	// under way took.
	queue  list.List
	wanted amount
	flying amount
}

// waiter is a call that waits. wake tells it to look again.
type waiter struct {
	takes amount
	wake  chan struct{}
}

func newLane(key laneKey, cfg RateLimitConfig) *lane {
	now := time.Now()
	return &lane{key: key, own: [2]bucket{perMinute(cfg.Requests, now), perMinute(cfg.Tokens, now)}}
}

// idle reports whether a new lane would be the same.
func (l *lane) idle(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue.Len() > 0 || l.flying != (amount{}) || now.Before(l.pause) {
		return false
	}
	for i := range l.own {
		if !l.own[i].full(now) || !l.told[i].full(now) {
			return false
		}
	}
	return true
}

// enter waits for the turn of a call and takes its amount.
func (l *lane) enter(ctx context.Context, takes amount) (*ticket, error) {
	w := &waiter{takes: takes, wake: make(chan struct{}, 1)}
	at, wait, err := l.join(ctx, w)
	for err == nil && wait > 0 {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-w.wake:
		case <-ctx.Done():
		}
		timer.Stop()
		wait, err = l.look(ctx, at)
	}
	if err != nil {
		return nil, err
	}
	return &ticket{lane: l, takes: takes}, nil
}

// join puts a call at the end of the queue, unless its turn would come too
// late.
func (l *lane) join(ctx context.Context, w *waiter) (*list.Element, time.Duration, error) {
	l.mu.Lock()
	ahead := l.wanted
	at := l.queue.PushBack(w)
	l.wanted.add(w.takes, 1)
	wait := l.wait(ahead, w.takes, time.Now())
	l.mu.Unlock()
	if late := l.late(ctx, wait); late != nil {
		l.leave(at)
		return nil, 0, late
	}
	wait, err := l.look(ctx, at)
	return at, wait, err
}

// look lets the first of the queue through if it may go, and says how long to
// wait otherwise. Whoever isn't the first waits to be woken.
func (l *lane) look(ctx context.Context, at *list.Element) (time.Duration, error) {
	if ctx.Err() != nil {
		l.leave(at)
		return 0, stream.WaitEnded(ctx, l.key.engine, "held back by the rate limit")
	}
	l.mu.Lock()
	if l.queue.Front() != at {
		l.mu.Unlock()
		return untilWoken, nil
	}
	w, now := at.Value.(*waiter), time.Now()
	wait := l.wait(amount{}, w.takes, now)
	if wait <= 0 {
		l.take(w.takes, 1, now)
		l.flying.add(w.takes, 1)
		l.remove(at)
		wait = 0
	}
	l.mu.Unlock()
	if late := l.late(ctx, wait); late != nil {
		l.leave(at)
		return 0, late
	}
	return wait, nil
}

// untilWoken is a wait that is meant to be ended by another call.
const untilWoken = 1 << 62

// leave takes a call out of the queue; remove does it under the lock.
func (l *lane) leave(at *list.Element) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(at)
}

func (l *lane) remove(at *list.Element) {
	first := l.queue.Front() == at
	w := l.queue.Remove(at).(*waiter)
	l.wanted.add(w.takes, -1)
	if l.queue.Len() == 0 {
		l.wanted = amount{} // no rest of rounding
	}
	if first {
		l.wakeFirst()
	}
}

func (l *lane) wakeFirst() {
	if l.queue.Len() == 0 {
		return
	}
	select {
	case l.queue.Front().Value.(*waiter).wake <- struct{}{}:
	default: // it has been told and not looked yet
	}
}

// wait is how long it takes until a call may go behind others.
func (l *lane) wait(ahead, takes amount, now time.Time) time.Duration {
	wait := l.pause.Sub(now)
	for i := range takes {
		wait = max(wait, l.own[i].wait(ahead[i], takes[i], now), l.told[i].wait(ahead[i], takes[i], now))
	}
	return wait
}

func (l *lane) take(takes amount, sign float64, now time.Time) {
	for i := range takes {
		l.own[i].take(sign*takes[i], now)
		l.told[i].take(sign*takes[i], now)
	}
}

// late refuses a wait that the context has no room for.
func (l *lane) late(ctx context.Context, wait time.Duration) error {
	if wait > 0 && ctx.Err() == nil && !leavesRoom(ctx, wait) {
		why := fmt.Sprintf("held back here: the wait of %v is longer than the context lasts", wait.Round(time.Millisecond))
		return &chat.Error{
			Kind: chat.ErrRateLimited, Engine: l.key.engine, Model: l.key.model, RetryAfter: wait, Retryable: true,
			Message: why, Err: stream.UnsentError(why),
		}
	}
	return nil
}

// ticket is a call that was let through. Ending it twice is ending it once.
type ticket struct {
	lane  *lane
	takes amount
	ended bool
}

// learn books what the call really took, and what the provider said.
func (t *ticket) learn(reply *chat.Reply, err error) {
	l, now := t.lane, time.Now()
	if err != nil {
		reply = replyIn(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(t.unforeseen(reply, err), 1, now)
	if pause := now.Add(retryAfter(err)); pause.After(l.pause) {
		l.pause = pause
	}
	if reply == nil || stoodIn(reply) && reply.Engine != l.key.engine {
		return
	}
	others := l.flying
	others.add(t.takes, -1)
	said := now
	if first := reply.Timing.FirstToken; first > 0 { // the headers came before it
		said = now.Add(min(0, first-reply.Timing.Total))
	}
	l.told[0].tell(reply.RateLimit.Requests, others[0], said, now)
	l.told[1].tell(reply.RateLimit.Tokens, others[1], said, now)
}

// unforeseen is what a call took beyond its estimate: attempts after the first,
// and tokens. A call that failed without a reply took no tokens.
func (t *ticket) unforeseen(reply *chat.Reply, err error) amount {
	var more amount
	attempts := 0
	if e, ok := errors.AsType[*chat.Error](err); ok {
		attempts = e.Attempts
	} else if reply != nil {
		attempts = reply.Timing.Attempts
	}
	more[0] = float64(max(attempts-1, 0))
	switch {
	case reply != nil && reply.Usage.Total() > 0:
		more[1] = float64(reply.Usage.Total()) - t.takes[1]
	case err != nil:
		more[1] = -t.takes[1]
	}
	return more
}

// end says that the call is over.
func (t *ticket) end() {
	if t.ended {
		return
	}
	t.ended = true
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.lane.flying.add(t.takes, -1)
	t.lane.wakeFirst()
}
