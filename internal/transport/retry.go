package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sabir-go/sabir/chat"
)

const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = 30 * time.Second
)

// Attempts counts the attempts at one request, decides whether there is
// another, and waits for it. Each request has its own; it is not safe for
// concurrent use.
//
//	var err error
//	for attempts := client.Attempts(); attempts.Next(ctx, err); {
//		reply, err = send(ctx)
//	}
type Attempts struct {
	maxAttempts int
	maxWait     time.Duration

	count  int
	waited time.Duration
}

// Attempts returns the attempts at one request, bounded by Options.MaxAttempts
// and Options.MaxWait. None is made yet.
func (c *Client) Attempts() Attempts {
	return Attempts{maxAttempts: c.opts.MaxAttempts, maxWait: c.opts.MaxWait}
}

// Next reports whether to make an attempt. err is the outcome of the attempt
// before; it is ignored before the first, which is always made. Next returns
// false if err is nil, if it isn't a Retryable *chat.Error, or if the attempts,
// MaxWait or ctx are used up. Then err is the outcome of the request.
//
// Next sets Attempts in a *chat.Error that it is given, so each attempt must
// return a new one.
//
// Before it returns true, it waits for as long as the provider asked in
// RetryAfter, and at least for a random part of a time that doubles from half a
// second to thirty. A wait that MaxWait or ctx's deadline doesn't leave room
// for is not begun: Next returns false at once, and the provider's error
// doesn't look like the context's, which hasn't ended. If ctx has ended, or
// ends during a wait, Next puts the context's error into the provider's; both
// are visible.
func (a *Attempts) Next(ctx context.Context, err error) bool {
	if a.count == 0 {
		a.count = 1
		return true
	}
	failed, ok := errors.AsType[*chat.Error](err)
	if !ok {
		return false
	}
	failed.Attempts = a.count
	if !failed.Retryable || a.count >= a.maxAttempts {
		return false
	}
	wait := max(failed.RetryAfter, backoff(a.count))
	if wait > a.maxWait-a.waited || !leavesRoom(ctx, wait) {
		return false
	}
	a.waited += wait
	if ended := sleep(ctx, wait); ended != nil {
		failed.Err = joinEnded(failed.Err, ended)
		return false
	}
	a.count++
	return true
}

// Count is the number of attempts made, the one under way included.
func (a *Attempts) Count() int { return a.count }

// backoff is the wait after the n-th attempt, with full jitter: clients that
// were refused together must not come back together.
func backoff(n int) time.Duration {
	ceiling := maxBackoff
	if n < 7 { // 0.5 s · 2^6 is above the ceiling
		ceiling = min(ceiling, firstBackoff<<(n-1))
	}
	return rand.N(ceiling) //nolint:gosec // spreads load, guards nothing.
}

// leavesRoom is false if a living ctx will have ended when the wait is over.
func leavesRoom(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || ctx.Err() != nil || time.Until(deadline) > wait
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	}
}

func joinEnded(before, ended error) error {
	if before == nil {
		return fmt.Errorf("no further attempt: %w", ended)
	}
	return fmt.Errorf("%w; no further attempt: %w", before, ended)
}
