package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

// piped returns an answer whose body the test writes. Like many transports
// made for tests, it doesn't watch the request's context. A goroutine that
// stays behind fails the test: a synctest bubble waits for all of its own.
func piped(ctx context.Context, t *testing.T, status int, opts transport.Options) (*transport.Response, *io.PipeWriter) {
	t.Helper()
	r, w := io.Pipe()
	opts.HTTPClient = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return answer(status, r), nil
	})}
	resp, err := transport.New(opts).Send(ctx, transport.Request{URL: testURL, Body: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	return resp, w
}

// resty reads the whole body first unless told not to.
func TestSendReturnsBeforeTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, w := piped(t.Context(), t, 200, transport.Options{})
		go func() {
			_, _ = io.WriteString(w, "late")
			_ = w.Close()
		}()
		if data, err := resp.ReadAll(); err != nil || string(data) != "late" {
			t.Errorf("ReadAll() = %q, %v", data, err)
		}
	})
}

func TestIdle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		idle     time.Duration
		write    time.Duration // between two writes
		read     time.Duration // between two reads
		wantIdle time.Duration // 0: the body is read to its end
	}{
		{"slow but alive", 0, 4 * time.Minute, 0, 0},
		{"silent", 0, 6 * time.Minute, 0, 5 * time.Minute},
		{"own limit", time.Second, 2 * time.Second, 0, time.Second},
		{"slow reader", time.Second, 0, time.Hour, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				resp, w := piped(t.Context(), t, 200, transport.Options{Idle: tt.idle})
				var writer sync.WaitGroup
				defer writer.Wait()
				defer func() { _ = resp.Close() }()
				writer.Go(func() {
					for range 20 {
						time.Sleep(tt.write)
						if _, err := io.WriteString(w, "x"); err != nil {
							return // closed by the limit
						}
					}
					_ = w.Close()
				})
				start, n, err := time.Now(), 0, error(nil)
				for buf := make([]byte, 10); err == nil; n++ {
					time.Sleep(tt.read)
					_, err = resp.Body.Read(buf)
				}
				if tt.wantIdle == 0 {
					if err != io.EOF || n != 21 { //nolint:errorlint // the very value.
						t.Fatalf("read %d times, then %v", n, err)
					}
					return
				}
				e := chatError(t, err)
				if !errors.Is(err, chat.ErrNetwork) || e.Status != 200 || e.Retryable || !strings.Contains(err.Error(), "timeout") {
					t.Errorf("got %v, retryable %v", err, e.Retryable)
				}
				if d := time.Since(start); d != tt.wantIdle {
					t.Errorf("ended after %v, want %v", d, tt.wantIdle)
				}
			})
		})
	}
}

func TestContextEndsARead(t *testing.T) {
	t.Parallel()
	errWhy := errors.New("the user left")
	tests := []struct {
		name string
		ctx  func(context.Context) (context.Context, func())
		want []error
	}{
		{"cancel", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, []error{context.Canceled}},
		{"cancel with a cause", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(errWhy) })
			return ctx, func() { cancel(nil) }
		}, []error{context.Canceled, errWhy}},
		{"deadline", func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			return ctx, cancel
		}, []error{context.DeadlineExceeded}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := tt.ctx(t.Context())
				defer stop()
				resp, w := piped(ctx, t, 200, transport.Options{})
				start := time.Now()
				_, err := resp.ReadAll()
				for _, want := range tt.want {
					if !errors.Is(err, want) {
						t.Errorf("got %v, want %v in it", err, want)
					}
				}
				if d := time.Since(start); d != time.Second {
					t.Errorf("ended after %v", d)
				}
				if _, err := io.WriteString(w, "x"); !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("the body is open: %v", err)
				}
			})
		})
	}
}

// Data that is there is not read past the context's end, even if the body
// would still give it.
func TestEndedContextGivesNoMoreData(t *testing.T) {
	t.Parallel()
	rt := roundTrip(func(*http.Request) (*http.Response, error) {
		return answer(200, io.NopCloser(strings.NewReader("abc"))), nil
	})
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
	ctx, cancel := context.WithCancel(t.Context())
	resp := mustSend(t, ctx, client, transport.Request{URL: testURL})
	cancel()
	if n, err := resp.Body.Read(make([]byte, 3)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Read() = %d, %v", n, err)
	}
}

func TestContextEndsSend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt := roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := client.Send(ctx, transport.Request{URL: testURL})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if _, ok := errors.AsType[*chat.Error](err); ok {
			t.Errorf("the context's end is blamed on the network: %v", err)
		}
	})
}

// A context that lives as long as its caller's would pile up in it.
func TestAttemptsContextEndsWithTheCall(t *testing.T) {
	t.Parallel()
	var attempt context.Context
	fail := error(nil)
	rt := roundTrip(func(r *http.Request) (*http.Response, error) {
		attempt = r.Context()
		return answer(200, http.NoBody), fail
	})
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
	resp := mustSend(t, t.Context(), client, transport.Request{URL: testURL})
	if attempt.Err() != nil {
		t.Error("the attempt ended before its body")
	}
	if _, err := resp.ReadAll(); err != nil || attempt.Err() == nil {
		t.Errorf("the attempt goes on after ReadAll (%v)", err)
	}
	fail = io.ErrUnexpectedEOF
	if _, err := client.Send(t.Context(), transport.Request{URL: testURL}); err == nil || attempt.Err() == nil {
		t.Errorf("the attempt goes on after it failed with %v", err)
	}
}

// Only io.EOF itself is the end of a body.
func TestWrappedEOFIsACut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, w := piped(t.Context(), t, 200, transport.Options{})
		go func() { _ = w.CloseWithError(fmt.Errorf("tunnel: %w", io.EOF)) }()
		_, err := resp.ReadAll()
		if !errors.Is(err, chat.ErrNetwork) || !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCloseDuringRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, _ := piped(t.Context(), t, 200, transport.Options{})
		go func() { _ = resp.Close() }()
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("read of a closed body: %v", err)
		}
		if err := resp.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
}

func TestFinishIsBounded(t *testing.T) {
	t.Parallel()
	t.Run("in time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			resp, w := piped(t.Context(), t, 200, transport.Options{})
			var writer sync.WaitGroup
			writer.Go(func() {
				for err := error(nil); err == nil; _, err = io.WriteString(w, "more") {
					time.Sleep(30 * time.Millisecond)
				}
			})
			start := time.Now()
			resp.Finish()
			if d := time.Since(start); d != 100*time.Millisecond {
				t.Errorf("took %v", d)
			}
			writer.Wait() // its next write fails, because the body is closed
		})
	})
	t.Run("in size", func(t *testing.T) {
		t.Parallel()
		endless, closed := &countingReader{}, &atomic.Int32{}
		rt := roundTrip(func(*http.Request) (*http.Response, error) {
			return answer(200, closeCounter{endless, closed}), nil
		})
		client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
		mustSend(t, t.Context(), client, transport.Request{URL: testURL}).Finish()
		if endless.n > 64<<10 || closed.Load() != 1 {
			t.Errorf("read %d bytes, closed %d times", endless.n, closed.Load())
		}
	})
}

// countingReader never ends.
type countingReader struct{ n int }

func (r *countingReader) Read(p []byte) (int, error) {
	r.n += len(p)
	return len(p), nil
}

// The status decides, whatever is wrong with the page that came with it.
func TestReadAllOfARefusal(t *testing.T) {
	t.Parallel()
	t.Run("longer than a MiB", func(t *testing.T) {
		t.Parallel()
		rt := roundTrip(func(*http.Request) (*http.Response, error) {
			return answer(502, io.NopCloser(&countingReader{})), nil
		})
		client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
		data, err := mustSend(t, t.Context(), client, transport.Request{URL: testURL}).ReadAll()
		if err != nil || len(data) != 1<<20 {
			t.Errorf("ReadAll() = %d bytes, %v", len(data), err)
		}
	})
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			resp, w := piped(t.Context(), t, 502, transport.Options{})
			go func() {
				_, _ = io.WriteString(w, "<html>")
				_ = w.CloseWithError(io.ErrUnexpectedEOF)
			}()
			if data, err := resp.ReadAll(); err != nil || string(data) != "<html>" {
				t.Errorf("ReadAll() = %q, %v", data, err)
			}
		})
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			resp, w := piped(t.Context(), t, 429, transport.Options{})
			go func() { _, _ = io.WriteString(w, "{") }()
			start := time.Now()
			if data, err := resp.ReadAll(); err != nil || string(data) != "{" {
				t.Errorf("ReadAll() = %q, %v", data, err)
			}
			if d := time.Since(start); d != 10*time.Second {
				t.Errorf("took %v", d)
			}
		})
	})
	t.Run("context ended", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			resp, _ := piped(ctx, t, 429, transport.Options{})
			if _, err := resp.ReadAll(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	})
}
