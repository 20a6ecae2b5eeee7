package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

func later(after time.Duration) *chat.Error {
	return &chat.Error{Kind: chat.ErrRateLimited, Status: 429, Retryable: true, RetryAfter: after}
}

// C033 and its neighbours: each spelling of the wait is kept to.
func TestRetryWaitsAsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		header      func(now time.Time) http.Header
		least, most time.Duration
	}{
		{"seconds", func(time.Time) http.Header { return http.Header{"Retry-After": {"30"}} }, 30 * time.Second, 30 * time.Second},
		{"fraction", func(time.Time) http.Header { return http.Header{"Retry-After": {"2.5"}} }, 2500 * time.Millisecond, 2500 * time.Millisecond},
		{"milliseconds", func(time.Time) http.Header {
			return http.Header{"Retry-After-Ms": {"1200"}, "Retry-After": {"2"}}
		}, 1200 * time.Millisecond, 1200 * time.Millisecond},
		{"date", func(now time.Time) http.Header {
			return http.Header{"Retry-After": {now.Add(3 * time.Second).UTC().Format(http.TimeFormat)}}
		}, 3 * time.Second, 3 * time.Second},
		{"date gone by", func(now time.Time) http.Header {
			return http.Header{"Retry-After": {now.Add(-time.Hour).UTC().Format(http.TimeFormat)}}
		}, 0, 500 * time.Millisecond},
		{"not said", func(time.Time) http.Header { return nil }, 0, 500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var sent []string
				client, _ := mocked(func(r *http.Request) (*http.Response, error) {
					body, _ := io.ReadAll(r.Body)
					if sent = append(sent, string(body)); len(sent) > 1 {
						return httpmock.NewStringResponse(200, "{}"), nil
					}
					resp := httpmock.NewStringResponse(429, `{"error":{}}`)
					resp.Header = tt.header(time.Now())
					return resp, nil
				})
				start := time.Now()
				err := client.Retry(t.Context(), func(int) error {
					return unary(t.Context(), client, transport.Request{URL: testURL, Body: []byte("hi")})
				})
				if d := time.Since(start); err != nil || d < tt.least || d > tt.most {
					t.Errorf("waited %v, want %v to %v (%v)", d, tt.least, tt.most, err)
				}
				if !slices.Equal(sent, []string{"hi", "hi"}) {
					t.Errorf("sent %q", sent)
				}
			})
		})
	}
}

func TestRetryEnds(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	tests := []struct {
		name     string
		opts     transport.Options
		timeout  time.Duration
		err      func() error
		attempts int
		waited   time.Duration // exact if the provider says how long
	}{
		{"three attempts by default", transport.Options{}, 0, func() error { return later(time.Second) }, 3, 2 * time.Second},
		{"one attempt", transport.Options{MaxAttempts: 1}, 0, func() error { return later(time.Second) }, 1, 0},
		{"negative means default", transport.Options{MaxAttempts: -1}, 0, func() error { return later(time.Second) }, 3, 2 * time.Second},
		{"not retryable", transport.Options{}, 0, func() error { return &chat.Error{Kind: chat.ErrAuth} }, 1, 0},
		{"quota", transport.Options{}, 0, func() error { return &chat.Error{Kind: chat.ErrQuota, RetryAfter: time.Second} }, 1, 0},
		{"no chat error", transport.Options{}, 0, func() error { return plain }, 1, 0},
		{"wrapped", transport.Options{}, 0, func() error { return fmt.Errorf("engine: %w", later(time.Second)) }, 3, 2 * time.Second},
		{"asked for more than the bound", transport.Options{}, 0, func() error { return later(61 * time.Second) }, 1, 0},
		{"sum above the bound", transport.Options{MaxAttempts: 10}, 0, func() error { return later(25 * time.Second) }, 3, 50 * time.Second},
		{"own bound", transport.Options{MaxWait: 10 * time.Second, MaxAttempts: 10}, 0, func() error { return later(4 * time.Second) }, 3, 8 * time.Second},
		{"deadline before the wait is over", transport.Options{}, 20 * time.Second, func() error { return later(30 * time.Second) }, 1, 0},
		{"deadline at its end", transport.Options{}, 30 * time.Second, func() error { return later(30 * time.Second) }, 1, 0},
		{"deadline after it", transport.Options{MaxAttempts: 2}, 31 * time.Second, func() error { return later(30 * time.Second) }, 2, 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				start, attempts := time.Now(), 0
				err := transport.New(tt.opts).Retry(ctx, func(n int) error {
					attempts++
					if n != attempts {
						t.Errorf("attempt %d is called %d", attempts, n)
					}
					return tt.err()
				})
				if attempts != tt.attempts || time.Since(start) != tt.waited {
					t.Errorf("%d attempts in %v, want %d in %v", attempts, time.Since(start), tt.attempts, tt.waited)
				}
				if err == nil || errors.Is(err, context.DeadlineExceeded) || err.Error() != tt.err().Error() {
					t.Errorf("got %v, want %v", err, tt.err())
				}
				if e, ok := errors.AsType[*chat.Error](err); ok && e.Attempts != tt.attempts {
					t.Errorf("the error counts %d attempts", e.Attempts)
				}
			})
		})
	}
}

func TestRetrySucceeds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		err := transport.New(transport.Options{}).Retry(t.Context(), func(n int) error {
			if attempts = n; n < 3 {
				return later(0)
			}
			return nil
		})
		if err != nil || attempts != 3 {
			t.Errorf("%d attempts, %v", attempts, err)
		}
	})
}

// Both what the provider said and why the wait ended are in the error.
func TestContextEndsAWait(t *testing.T) {
	t.Parallel()
	reset := errors.New("connection reset")
	for _, before := range []error{nil, reset} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start, attempts := time.Now(), 0
			err := transport.New(transport.Options{}).Retry(ctx, func(int) error {
				attempts++
				e := later(30 * time.Second)
				e.Err = before
				return e
			})
			if d := time.Since(start); d != time.Second || attempts != 1 {
				t.Errorf("%d attempts in %v", attempts, d)
			}
			if !errors.Is(err, context.Canceled) || !errors.Is(err, chat.ErrRateLimited) || before != nil && !errors.Is(err, before) {
				t.Errorf("got %v", err)
			}
			if e := chatError(t, err); e.Attempts != 1 || e.RetryAfter != 30*time.Second {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestNoRetryAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		attempts := 0
		err := transport.New(transport.Options{}).Retry(ctx, func(int) error {
			attempts++
			time.Sleep(2 * time.Second)
			return later(time.Second)
		})
		if attempts != 1 || !errors.Is(err, chat.ErrRateLimited) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d attempts, %v", attempts, err)
		}
	})
}

// The back-off doubles, is capped, and differs from client to client.
func TestBackoffIsBoundedAndSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := transport.New(transport.Options{MaxAttempts: 10, MaxWait: time.Hour})
		var waits [10][]time.Duration
		for range 200 {
			last := time.Now()
			_ = client.Retry(t.Context(), func(n int) error {
				waits[n-1] = append(waits[n-1], time.Since(last))
				last = time.Now()
				return later(0)
			})
		}
		ceiling := 500 * time.Millisecond
		for n, some := range waits[1:] {
			low, high := some[0], some[0]
			for _, d := range some {
				low, high = min(low, d), max(high, d)
			}
			if high > ceiling || high < ceiling*3/4 || low > ceiling/4 {
				t.Errorf("wait %d lasts %v to %v, want 0 to %v", n+1, low, high, ceiling)
			}
			ceiling = min(2*ceiling, 30*time.Second)
		}
	})
}
