package sabir_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
)

// TestBudgetCountsWhatIsSent: a call that another middleware held back, or that
// has no key, is none. Each budget is asked three times.
func TestBudgetCountsWhatIsSent(t *testing.T) {
	t.Parallel()
	leaving := func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
		return ctx, cancel
	}
	hasty := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Second)
	}
	down := func() engine.Engine { return enginetest.New(enginetest.Fails(503, "busy")) }
	refused := &chat.UnsupportedError{}
	for _, c := range []struct {
		name string
		eng  func() engine.Engine
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		want int
	}{
		{"no room for the wait", func() engine.Engine { return sabir.RateLimit(sabir.RateLimitConfig{Requests: 1})(enginetest.New()) }, hasty, 1},
		{"left while it waited", func() engine.Engine { return sabir.RateLimit(sabir.RateLimitConfig{Requests: 1})(enginetest.New()) }, leaving, 1},
		{"an open breaker", func() engine.Engine { return sabir.Breaker(sabir.BreakerConfig{Failures: 1})(down()) }, hasty, 1},
		{"a smaller budget", func() engine.Engine { return (&sabir.Budget{Calls: 1}).Wrap(enginetest.New()) }, hasty, 1},
		{"no key", func() engine.Engine {
			return engine.NewOpenAICompatible(engine.Config{BaseURL: "http://sim.localhost"})
		}, hasty, 0},
		{"one of two refused", func() engine.Engine {
			return sabir.Fallback(down(), failsWith{newParrot(), chat.Invalid("Messages", "odd")})
		}, hasty, 3},
		{"two refused", func() engine.Engine {
			return sabir.Fallback(failsWith{newParrot(), refused}, failsWith{newParrot(), refused})
		}, hasty, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				budget := &sabir.Budget{}
				eng := budget.Wrap(c.eng())
				var last error
				for range 3 {
					ctx, cancel := c.ctx(t.Context())
					_, last = eng.Chat(ctx, sayHello())
					cancel()
				}
				if got := budget.Spent().Calls; got != c.want {
					t.Errorf("%d calls, want %d; the last: %v", got, c.want, last)
				}
			})
		})
	}
}

// TestBreakerCountsWhatIsSent: calls that a rate limit held back, at once or
// after a while, tell nothing about the provider.
func TestBreakerCountsWhatIsSent(t *testing.T) {
	t.Parallel()
	for form, call := range bothForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				eng := sabir.RateLimit(sabir.RateLimitConfig{Requests: 1})(enginetest.New())
				eng = sabir.Breaker(sabir.BreakerConfig{Failures: 1})(eng)
				_, _ = call(t.Context(), eng, sayHello())
				hasty, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := call(hasty, eng, sayHello()); err == nil {
					t.Error("nothing held the call back")
				}
				if _, err := call(t.Context(), eng, sayHello()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestHedgeBesideABudget: a second request that may not be sent doesn't end the
// first.
func TestHedgeBesideABudget(t *testing.T) {
	t.Parallel()
	for form, call := range bothForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow := newTrack(runner{takes: 5 * time.Second})
				eng := sabir.Hedge(sabir.HedgeConfig{After: time.Second})((&sabir.Budget{Calls: 1}).Wrap(slow))
				if _, err := call(t.Context(), eng, sayHello()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
