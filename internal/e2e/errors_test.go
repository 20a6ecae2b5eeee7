//go:build e2e

package e2e_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

func TestRateLimitIsWaitedFor(t *testing.T) {
	t.Parallel()
	for d, f := range pairs(dialects, forms) {
		t.Run(d.name+" "+f.name, func(t *testing.T) {
			t.Parallel()
			s := d.open(nil)
			start := time.Now()
			got := f.call(t, s, ask("busy at first"))
			if got.err != nil {
				t.Fatal(got.err)
			}
			if got.reply.Text() != "Now I have time." || got.reply.Timing.Attempts != 2 {
				t.Errorf("got %q after %d attempts", got.reply.Text(), got.reply.Timing.Attempts)
			}
			if waited := time.Since(start); waited < time.Second {
				t.Errorf("waited %v, Retry-After says 1 s", waited)
			}
			wantStatuses(t, s, http.StatusTooManyRequests, http.StatusOK)
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		prompt string
		kind   error
		status int
		wait   time.Duration
	}{
		{"busy for ever", chat.ErrRateLimited, http.StatusTooManyRequests, time.Second},
		{"bad request", chat.ErrBadRequest, http.StatusBadRequest, 0},
		{"unknown key", chat.ErrAuth, http.StatusUnauthorized, 0},
		{"unknown model", chat.ErrNotFound, http.StatusNotFound, 0},
		{"out of breath", chat.ErrOverloaded, http.StatusServiceUnavailable, 0},
	}
	for _, tt := range tests {
		t.Run(tt.prompt, func(t *testing.T) {
			t.Parallel()
			for d, f := range pairs(dialects, forms) {
				t.Run(d.name+" "+f.name, func(t *testing.T) {
					t.Parallel()
					s := d.open(func(c *engine.Config) { c.MaxAttempts = 1 })
					got := f.call(t, s, ask(tt.prompt))
					e, ok := errors.AsType[*chat.Error](got.err)
					if !ok || !errors.Is(e, tt.kind) {
						t.Fatalf("got %v, want %v", got.err, tt.kind)
					}
					if e.Status != tt.status || e.RetryAfter != tt.wait || e.RequestID == "" {
						t.Errorf("status %d, wait %v, request %q", e.Status, e.RetryAfter, e.RequestID)
					}
					if strings.Contains(e.Error(), "sk-of-nobody") {
						t.Errorf("the key is in the error: %v", e)
					}
					wantStatuses(t, s, tt.status)
				})
			}
		})
	}
}
