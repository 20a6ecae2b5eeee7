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
				var err error
				for attempts := client.Attempts(); attempts.Next(t.Context(), err); {
					err = unary(t.Context(), client, transport.Request{URL: testURL, Body: []byte("hi")})
				}
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
				start, made := time.Now(), 0
				attempts := transport.New(tt.opts).Attempts()
				var err error
				for attempts.Next(ctx, err) {
					made++
					if n := attempts.Count(); n != made {
						t.Errorf("attempt %d is counted as %d", made, n)
					}
					err = tt.err()
				}
				if made != tt.attempts || attempts.Count() != made || time.Since(start) != tt.waited {
					t.Errorf("%d attempts in %v, counted %d, want %d in %v",
						made, time.Since(start), attempts.Count(), tt.attempts, tt.waited)
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

func TestSuccessEndsTheAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts := transport.New(transport.Options{}).Attempts()
		if attempts.Count() != 0 {
			t.Errorf("%d attempts before the first", attempts.Count())
		}
		made := 0
		var err error
		for attempts.Next(t.Context(), err) {
			made++
			if err = nil; made < 2 {
				err = later(0)
			}
		}
		if err != nil || made != 2 || attempts.Count() != 2 {
			t.Errorf("%d attempts, counted %d, %v", made, attempts.Count(), err)
		}
	})
}

// Neither an error left over from before nor a context that has ended keeps
// the first attempt from being made: what it returns then is the outcome.
func TestFirstAttemptIsAlwaysMade(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, before := range []error{nil, errors.New("plain"), later(time.Hour), &chat.Error{Kind: chat.ErrAuth}} {
		attempts := transport.New(transport.Options{MaxAttempts: 1}).Attempts()
		if !attempts.Next(ctx, before) || attempts.Count() != 1 {
			t.Errorf("%v: no first attempt, counted %d", before, attempts.Count())
		}
	}
}

// Both what the provider said and why the wait ended are in the error.
func TestContextEndsAWait(t *testing.T) {
	t.Parallel()
	reset := errors.New("connection reset")
	for _, before := range []error{nil, reset} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			attempts := transport.New(transport.Options{}).Attempts()
			var err error
			for attempts.Next(ctx, err) {
				e := later(30 * time.Second)
				e.Err = before
				err = e
			}
			if d := time.Since(start); d != time.Second || attempts.Count() != 1 {
				t.Errorf("%d attempts in %v", attempts.Count(), d)
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
		attempts := transport.New(transport.Options{}).Attempts()
		var err error
		for attempts.Next(ctx, err) {
			time.Sleep(2 * time.Second)
			err = later(time.Second)
		}
		if attempts.Count() != 1 || !errors.Is(err, chat.ErrRateLimited) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d attempts, %v", attempts.Count(), err)
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
			var err error
			for attempts := client.Attempts(); attempts.Next(t.Context(), err); {
				n := attempts.Count()
				waits[n-1] = append(waits[n-1], time.Since(last))
				last = time.Now()
				err = later(0)
			}
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
