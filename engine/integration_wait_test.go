package engine_test

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

var errReset = syscall.ECONNRESET

// TestDeadlineBeforeRetry: a wait that the caller's deadline leaves no room for
// is not begun, and the provider's word is the error.
func TestDeadlineBeforeRetry(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		synctest.Test(t, func(t *testing.T) {
			m := mock(t, entry, engine.Config{APIKey: testKey}, document(429, "").HeaderAdd(http.Header{"Retry-After": {"30"}}))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			_, err := m.Chat(ctx, hello(entry))
			failed(t, m, err, chat.ErrRateLimited)
			if errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 0 || m.calls() != 1 {
				t.Errorf("error %v after %v and %d requests", err, time.Since(start), m.calls())
			}
		})
	})
}

// TestCancelWhileWaiting: both the cause and the provider's word are visible.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(c onEngine) {
		t, entry := c.T, c.entry
		synctest.Test(t, func(t *testing.T) {
			m := mock(t, entry, engine.Config{APIKey: testKey}, document(429, "").HeaderAdd(http.Header{"Retry-After": {"30"}}))
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(3*time.Second, cancel)
			start := time.Now()
			_, _, err := collect(ctx, m, hello(entry))
			failed(t, m, err, chat.ErrRateLimited)
			if !errors.Is(err, context.Canceled) || time.Since(start) != 3*time.Second || m.calls() != 1 {
				t.Errorf("error %v after %v and %d requests", err, time.Since(start), m.calls())
			}
		})
	})
}

// TestSilenceInTheMiddle: a stream that falls silent ends after Config.Idle,
// with what came before.
func TestSilenceInTheMiddle(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(c onEngine) {
		t, entry := c.T, c.entry
		synctest.Test(t, func(t *testing.T) {
			d := entry.Profile.Dialect
			m := mock(t, entry, engine.Config{APIKey: testKey, Idle: 40 * time.Second}, hanging(d, opening(d)+delta(d, "In Gh")))
			start := time.Now()
			_, _, err := collect(t.Context(), m, hello(entry))
			e := failed(t, m, err, nil)
			if e.Reply == nil || e.Reply.Text() != "In Gh" || time.Since(start) != 40*time.Second || m.calls() != 1 {
				t.Errorf("error %v with %+v after %v and %d requests", err, e.Reply, time.Since(start), m.calls())
			}
		})
	})
}

// TestDeadlineInTheMiddle: the caller's deadline ends a stream that is under
// way; what came before is in the error.
func TestDeadlineInTheMiddle(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(c onEngine) {
		t, entry := c.T, c.entry
		synctest.Test(t, func(t *testing.T) {
			d := entry.Profile.Dialect
			m := mock(t, entry, engine.Config{APIKey: testKey}, hanging(d, opening(d)+delta(d, "In Gh")))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			_, _, err := collect(ctx, m, hello(entry))
			e := failed(t, m, err, context.DeadlineExceeded)
			if e.Reply == nil || e.Reply.Text() != "In Gh" || time.Since(start) != 10*time.Second || m.calls() != 1 {
				t.Errorf("error %v with %+v after %v and %d requests", err, e.Reply, time.Since(start), m.calls())
			}
		})
	})
}
