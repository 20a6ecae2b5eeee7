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

// Retry calls attempt, with n counting from 1, until it returns nil or an
// error that isn't a Retryable *chat.Error, or until attempts, Options.MaxWait
// or ctx are used up. Then it returns the last error, with Attempts set in it:
// attempt must return a new *chat.Error each time.
//
// Between attempts it waits for as long as the provider asked in RetryAfter,
// and at least for a random part of a time that doubles from half a second to
// thirty. A wait that MaxWait or ctx's deadline doesn't leave room for is not
// begun: the provider's error is returned at once and doesn't look like the
// context's, which hasn't ended. If ctx has ended, or ends during a wait, the
// provider's error is returned with the context's inside; both are visible.
func (c *Client) Retry(ctx context.Context, attempt func(n int) error) error {
	var waited time.Duration
	for n := 1; ; n++ {
		err := attempt(n)
		if err == nil {
			return nil
		}
		failed, ok := errors.AsType[*chat.Error](err)
		if !ok {
			return err
		}
		failed.Attempts = n
		if !failed.Retryable || n >= c.opts.MaxAttempts {
			return err
		}
		wait := max(failed.RetryAfter, backoff(n))
		if wait > c.opts.MaxWait-waited || !leavesRoom(ctx, wait) {
			return err
		}
		waited += wait
		if ended := sleep(ctx, wait); ended != nil {
			failed.Err = stopped(failed.Err, ended)
			return err
		}
	}
}

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

func stopped(before, ended error) error {
	if before == nil {
		return fmt.Errorf("no further attempt: %w", ended)
	}
	return fmt.Errorf("%w; no further attempt: %w", before, ended)
}
