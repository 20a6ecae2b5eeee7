package middleware_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/middleware"
)

// TestBreakerTriesOne: while a trial is under way others are refused, until its
// stream has begun.
func TestBreakerTriesOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMoody(overloaded())
		eng := middleware.Breaker(middleware.BreakerConfig{Failures: 1})(m)
		fail(t, eng, "", 1)
		time.Sleep(30 * time.Second)
		m.mood, m.takes = nil, 5*time.Second
		var wg sync.WaitGroup
		begun, finish := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			for range eng.Stream(t.Context(), ahoy()) {
				close(begun)
				<-finish
				break // which is no failure
			}
		})
		synctest.Wait()
		if wait, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok || wait != 0 {
			t.Errorf("beside the trial: wait %v, %v", wait, ok)
		}
		<-begun
		for range 2 {
			if _, err := eng.Chat(t.Context(), ahoy()); err != nil {
				t.Errorf("after the trial's first event: %v", err)
			}
		}
		m.mood, m.takes = overloaded(), 0
		fail(t, eng, "", 1)
		close(finish)
		wg.Wait()
		if _, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok {
			t.Error("the end of a stream that is no trial any more closed the breaker")
		}
	})
}

// TestBreakerIgnoresTheLate: calls that began before the breaker opened neither
// close it nor make the pause longer.
func TestBreakerIgnoresTheLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMoody(nil)
		eng := middleware.Breaker(middleware.BreakerConfig{Failures: 1})(m)
		var wg sync.WaitGroup
		for _, late := range []struct {
			mood  error
			takes time.Duration
		}{{overloaded(), 10 * time.Second}, {nil, 20 * time.Second}} {
			m.mood, m.takes = late.mood, late.takes
			wg.Go(func() { _, _ = eng.Chat(t.Context(), ahoy()) })
			synctest.Wait()
		}
		m.mood, m.takes = overloaded(), 0
		fail(t, eng, "", 1)
		wg.Wait()
		if wait, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok || wait != 10*time.Second {
			t.Errorf("wait %v, %v", wait, ok)
		}
	})
}

// TestBreakerOnTrial: a stream that breaks off after such a trial reopens, and a
// trial that tells nothing leaves the next call to be one.
func TestBreakerOnTrial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMoody(overloaded())
		eng := middleware.Breaker(middleware.BreakerConfig{Failures: 3})(m)
		fail(t, eng, "", 3)
		time.Sleep(30 * time.Second)
		m.mood, m.late = nil, &chat.Error{Kind: chat.ErrTruncated, Status: 200}
		if text, _, err := drain(eng.Stream(t.Context(), ahoy())); text != "hello" || !errors.Is(err, chat.ErrTruncated) {
			t.Fatal(text, err)
		}
		if wait, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok || wait != 30*time.Second {
			t.Fatalf("after the cut: wait %v, %v", wait, ok)
		}
		time.Sleep(30 * time.Second)
		m.mood, m.late = &chat.UnsupportedError{}, nil
		fail(t, eng, "", 2)
		m.mood = overloaded()
		fail(t, eng, "", 1)
		if _, ok := refused(second(eng.Chat(t.Context(), ahoy()))); !ok {
			t.Error("the trial failed, and the breaker is closed")
		}
	})
}

// TestBreakerSurvivesPanics: a trial that panics is over.
func TestBreakerSurvivesPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMoody(overloaded())
		eng := middleware.Breaker(middleware.BreakerConfig{Failures: 1})(m)
		fail(t, eng, "", 1)
		time.Sleep(30 * time.Second)
		m.mood = nil
		for _, call := range []func(*chat.Request){
			func(req *chat.Request) { _, _ = eng.Chat(t.Context(), req) },
			func(req *chat.Request) { _, _, _ = drain(eng.Stream(t.Context(), req)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				call(nil) // which the engine doesn't survive
			}()
		}
		if _, err := eng.Chat(t.Context(), ahoy()); err != nil {
			t.Error(err)
		}
	})
}
