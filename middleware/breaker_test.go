package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
)

// moody is an engine whose next call goes as its mood says: nil is well. It is
// set and asked by one goroutine at a time.
type moody struct {
	engine.Engine

	mood  error
	takes time.Duration // before anything comes
	late  error         // in a stream, after the first event
	asked []string      // the models
}

func newMoody(mood error) *moody { return &moody{Engine: newParrot(), mood: mood} }

func (m *moody) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	m.asked = append(m.asked, req.Model)
	mood := m.mood
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if mood != nil {
		return nil, mood
	}
	return m.Engine.Chat(context.WithoutCancel(ctx), req)
}

func (m *moody) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		reply, err := m.Chat(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(chat.TextDelta{Text: reply.Text()}, nil) {
			return
		}
		if m.late != nil {
			yield(nil, m.late)
			return
		}
		yield(chat.Done{Reply: reply}, nil)
	}
}

func overloaded() error {
	return &chat.Error{Kind: chat.ErrOverloaded, Engine: "parrot", Status: 503, Retryable: true}
}

// refused reports whether the breaker, and not the engine, gave the error, and
// how long it asks to wait.
func refused(err error) (wait time.Duration, ok bool) {
	e, isError := errors.AsType[*chat.Error](err)
	if !isError || !strings.Contains(e.Message, "the breaker is open") {
		return 0, false
	}
	return e.RetryAfter, errors.Is(e.Kind, chat.ErrOverloaded) && e.Retryable
}

// fail makes failing calls of one model.
func fail(t *testing.T, eng engine.Engine, model string, times int) {
	t.Helper()
	for range times {
		req := ahoy()
		req.Model = model
		if _, err := eng.Chat(t.Context(), req); err == nil {
			t.Fatal("the call went well")
		} else if _, ok := refused(err); ok {
			t.Fatalf("refused: %v", err)
		}
	}
}

// TestBreaker: it opens after failures in a row, lets one call through after the
// pause, and closes when that goes well.
func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMoody(overloaded())
		eng := middleware.Breaker(middleware.BreakerConfig{})(m)
		fail(t, eng, "", 5)
		time.Sleep(10 * time.Second)
		_, err := inBothForms(t, eng, ahoy())
		want := "parrot: overloaded: the breaker is open; failures in a row: 5, the last: overloaded (503)"
		if wait, ok := refused(err); !ok || wait != 20*time.Second || err.Error() != want || len(m.asked) != 5 {
			t.Fatalf("%v, wait %v, after %d calls\nwant %s", err, wait, len(m.asked), want)
		}
		time.Sleep(20 * time.Second)
		fail(t, eng, "", 1) // the trial
		if wait, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok || wait != 30*time.Second {
			t.Fatalf("after a failed trial: wait %v, %v", wait, ok)
		}
		time.Sleep(30 * time.Second)
		m.mood = nil
		for range 2 {
			if _, err := inBothForms(t, eng, ahoy()); err != nil {
				t.Fatal(err)
			}
		}
		m.mood = overloaded()
		fail(t, eng, "", 5) // counted from the start
	})
}

func second[T any](_ T, err error) error { return err }

// TestBreakerCounts: what is a failure, what is a success, and what is neither.
func TestBreakerCounts(t *testing.T) {
	t.Parallel()
	said := func(kind error, status int) error { return &chat.Error{Kind: kind, Status: status} }
	for _, c := range []struct {
		name  string
		err   error
		opens bool // one more after four failures opens
		heals bool // after it, failures are counted from the start
	}{
		{"overloaded", said(chat.ErrOverloaded, 0), true, false},
		{"rate limited", said(chat.ErrRateLimited, 429), true, false},
		{"server", said(chat.ErrServer, 500), true, false},
		{"network", said(chat.ErrNetwork, 0), true, false},
		{"bad reply", said(chat.ErrBadReply, 200), true, false},
		{"truncated", said(chat.ErrTruncated, 200), true, false},
		{"retryable", &chat.Error{Kind: chat.ErrBadRequest, Status: 409, Retryable: true}, true, false},
		{"deadline", context.DeadlineExceeded, true, false},
		{"well", nil, false, true},
		{"bad request", said(chat.ErrBadRequest, 400), false, true},
		{"wrong key", said(chat.ErrAuth, 401), false, true},
		{"quota", said(chat.ErrQuota, 402), false, true},
		{"choice unmet", said(chat.ErrToolChoiceUnmet, 200), false, true},
		{"no key", said(chat.ErrAuth, 0), false, false},
		{"invalid", said(chat.ErrInvalid, 0), false, false},
		{"unsupported, says the provider", said(chat.ErrUnsupported, 400), false, true},
		{"unsupported", &chat.UnsupportedError{}, false, false},
		{"cancelled", context.Canceled, false, false},
		{"cut by cancelling", &chat.Error{Kind: chat.ErrTruncated, Status: 200, Err: context.Canceled}, false, false},
		{"of no kind", errors.New("odd"), false, false},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed %v", c.name, streamed), func(t *testing.T) {
				t.Parallel()
				m := newMoody(overloaded())
				eng := middleware.Breaker(middleware.BreakerConfig{})(m)
				fail(t, eng, "", 4)
				m.mood = c.err
				if streamed {
					_, _, _ = drain(eng.Stream(t.Context(), ahoy()))
				} else {
					_, _ = eng.Chat(t.Context(), ahoy())
				}
				m.mood = overloaded()
				_, err := eng.Chat(t.Context(), ahoy())
				if _, open := refused(err); open != c.opens {
					t.Errorf("open %v, want %v", open, c.opens)
				}
				_, err = eng.Chat(t.Context(), ahoy())
				if _, open := refused(err); open == c.heals {
					t.Errorf("open %v two failures later", open)
				}
			})
		}
	}
}

// TestBreakerSeesHangs: a deadline that passes before anything came counts, one
// in the middle of a stream or passed beforehand doesn't.
func TestBreakerSeesHangs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		takes time.Duration
		late  error
		limit time.Duration
		opens bool
	}{
		{"hangs", time.Hour, nil, time.Minute, true},
		{"cut while it answers", 0, &chat.Error{Kind: chat.ErrTruncated, Status: 200, Err: context.DeadlineExceeded}, time.Minute, false},
		{"too late from the start", time.Hour, nil, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMoody(nil)
				m.takes, m.late = c.takes, c.late
				eng := middleware.Breaker(middleware.BreakerConfig{Failures: 1})(m)
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				if _, _, err := drain(eng.Stream(ctx, ahoy())); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				m.takes, m.late = 0, nil
				if _, open := refused(second(eng.Chat(t.Context(), ahoy()))); open != c.opens {
					t.Errorf("open %v, want %v", open, c.opens)
				}
			})
		})
	}
}

// TestBreakerKeepsLongerWaits: a provider that asks for more than the pause gets
// it.
func TestBreakerKeepsLongerWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMoody(&chat.Error{Kind: chat.ErrRateLimited, RetryAfter: time.Minute})
		eng := middleware.Breaker(middleware.BreakerConfig{Failures: 2, Pause: time.Second})(m)
		fail(t, eng, "", 2)
		if wait, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok || wait != time.Minute {
			t.Errorf("wait %v, %v", wait, ok)
		}
	})
}

// TestBreakerPerModel: one model's failures don't hinder another's calls, nor
// another engine's.
func TestBreakerPerModel(t *testing.T) {
	t.Parallel()
	m := newMoody(overloaded())
	guard := middleware.Breaker(middleware.BreakerConfig{Failures: 2})
	eng := guard(m)
	fail(t, eng, "a", 2)
	fail(t, eng, "b", 1)
	fail(t, guard(m), "a", 1)
	for model, open := range map[string]bool{"a": true, "b": false} {
		req := ahoy()
		req.Model = model
		if _, got := refused(second(eng.Chat(t.Context(), req))); got != open {
			t.Errorf("%s: open %v", model, got)
		}
	}
}

// TestBreakerForgets: names that callers make up while the provider is down don't
// pile up. Of the others, open breakers stay so.
func TestBreakerForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		eng := middleware.Breaker(middleware.BreakerConfig{Failures: 2})(newMoody(overloaded()))
		fail(t, eng, "open", 2)
		fail(t, eng, "closed", 1)
		for i := range 2000 {
			fail(t, eng, fmt.Sprint("made up ", i), 1)
		}
		fail(t, eng, "closed", 1)
		fail(t, eng, "closed", 1) // it would be open by the second, were the first not forgotten
		req := ahoy()
		req.Model = "open"
		if _, ok := refused(second(eng.Chat(t.Context(), req))); !ok {
			t.Error("the open breaker was forgotten, too")
		}
	})
}

// TestBreakerConcurrently: failures, successes, refusals and trials of many
// callers at once.
func TestBreakerConcurrently(t *testing.T) {
	t.Parallel()
	bad := middleware.Breaker(middleware.BreakerConfig{Failures: 3, Pause: time.Microsecond})(failsWith{newParrot(), overloaded()})
	good := middleware.Breaker(middleware.BreakerConfig{Failures: 3})(newParrot())
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 50 {
				_, chatErr := bad.Chat(t.Context(), ahoy())
				_, _, streamErr := drain(bad.Stream(t.Context(), ahoy()))
				if !errors.Is(chatErr, chat.ErrOverloaded) || !errors.Is(streamErr, chat.ErrOverloaded) {
					t.Error(chatErr, streamErr)
				}
			}
			if _, err := good.Chat(t.Context(), ahoy()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestBreakerInFallback: while it is open the next engine is asked at once.
func TestBreakerInFallback(t *testing.T) {
	t.Parallel()
	m := newMoody(overloaded())
	eng := middleware.Fallback(middleware.Breaker(middleware.BreakerConfig{Failures: 2})(m), enginetest.New())
	for range 5 {
		if _, err := inBothForms(t, eng, ahoy()); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.asked) != 2 {
		t.Errorf("the first was asked %d times", len(m.asked))
	}
}

//nolint:paralleltest // the suite counts goroutines
func TestBreakerSuite(t *testing.T) {
	enginetest.Suite(t, middleware.Breaker(middleware.BreakerConfig{Failures: 1})(enginetest.New()))
}

// Two failures in a row, and the provider is left alone for a minute.
func ExampleBreaker() {
	down := enginetest.New(enginetest.Fails(503, "down"), enginetest.Fails(503, "down"))
	client := sabir.New(down, middleware.Breaker(middleware.BreakerConfig{Failures: 2, Pause: time.Minute}))
	for range 3 {
		_, err := client.Ask(context.Background(), "Where is the Gravensteen?")
		fmt.Println(err)
	}
	fmt.Println(len(down.Sent()), "requests were sent")
	// Output:
	// openai-compatible: overloaded (503): down
	// openai-compatible: overloaded (503): down
	// openai-compatible: overloaded: the breaker is open; failures in a row: 2, the last: overloaded (503): down
	// 2 requests were sent
}
