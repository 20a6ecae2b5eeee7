package middleware_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
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
		{"no room for the wait", func() engine.Engine {
			return middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})(enginetest.New())
		}, hasty, 1},
		{"left while it waited", func() engine.Engine {
			return middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})(enginetest.New())
		}, leaving, 1},
		{"an open breaker", func() engine.Engine { return middleware.Breaker(middleware.BreakerConfig{Failures: 1})(down()) }, hasty, 1},
		{"a smaller budget", func() engine.Engine { return (&middleware.Budget{Calls: 1}).Wrap(enginetest.New()) }, hasty, 1},
		{"no key", func() engine.Engine {
			return engine.NewOpenAICompatible(engine.Config{BaseURL: "http://sim.localhost"})
		}, hasty, 0},
		{"one of two refused", func() engine.Engine {
			return middleware.Fallback(down(), failsWith{newParrot(), chat.Invalid("Messages", "odd")})
		}, hasty, 3},
		{"two refused", func() engine.Engine {
			return middleware.Fallback(failsWith{newParrot(), refused}, failsWith{newParrot(), refused})
		}, hasty, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				budget := &middleware.Budget{}
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
				eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})(enginetest.New())
				eng = middleware.Breaker(middleware.BreakerConfig{Failures: 1})(eng)
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
				eng := middleware.Hedge(middleware.HedgeConfig{After: time.Second})((&middleware.Budget{Calls: 1}).Wrap(slow))
				if _, err := call(t.Context(), eng, sayHello()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestCacheAroundFallback: the answer of an engine that stood in is not the
// first's, who is asked again. Callers at the same time share it as it is.
func TestCacheAroundFallback(t *testing.T) {
	t.Parallel()
	for form, call := range bothForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			first := enginetest.New(enginetest.Fails(503, "busy"), enginetest.Says("the first"))
			second := enginetest.New(enginetest.Says("the second")) // it has the same name
			eng := middleware.Cache(middleware.CacheConfig{})(middleware.Fallback(first, second))
			for _, want := range []string{"the second", "the first", "the first"} {
				if reply, err := call(t.Context(), eng, sayHello()); err != nil || reply.Text() != want {
					t.Errorf("%+v, %v; want %q", reply, err, want)
				}
			}
		})
	}
}

// TestCacheSharesWhatStoodIn: who waits for a call that another engine answered
// hears what that engine did.
func TestCacheSharesWhatStoodIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := newMetered(func(int) metering { return metering{takes: time.Second, err: overloaded()} })
		answer := &chat.Reply{
			Engine: "other", Finish: chat.FinishStop, Parts: []chat.Part{chat.Text{Text: "x"}},
			Steps: []chat.PlanStep{{Kind: chat.StepThinkingOff}},
		}
		eng := middleware.Cache(middleware.CacheConfig{})(middleware.Fallback(first, fixedReply{newParrot(), answer}))
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				reply, err := eng.Chat(t.Context(), named("a"))
				if err != nil || len(reply.Steps) != 1 || len(reply.Warnings) != 1 {
					t.Errorf("%+v, %v", reply, err)
				}
			})
		}
		wg.Wait()
		if n := len(first.asked()); n != 1 {
			t.Errorf("%d were sent", n)
		}
	})
}

// TestRateLimitAroundFallback: the limits of an engine that stood in don't hold
// the first one's calls.
func TestRateLimitAroundFallback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := newMetered(func(n int) metering {
			if n == 1 {
				return metering{err: overloaded()}
			}
			return metering{}
		})
		spent := says(chat.Window{Limit: 60, Reset: time.Hour}, chat.Window{}, 0).reply
		spent.Engine = "other"
		eng := middleware.RateLimit(middleware.RateLimitConfig{})(middleware.Fallback(first, fixedReply{newParrot(), &spent}))
		for range 2 {
			if _, err := eng.Chat(t.Context(), named("a")); err != nil {
				t.Error(err)
			}
		}
		if d := time.Since(first.start); d > 0 {
			t.Errorf("held back for %v", d)
		}
	})
}

// TestBudgetAroundHedge: a call of which one request was sent is a call, though
// the last one was held back.
func TestBudgetAroundHedge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		budget := &middleware.Budget{}
		busy := middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})(newTrack(runner{takes: 2 * time.Second, err: overloaded()}))
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, leave)
		_, err := budget.Wrap(middleware.Hedge(middleware.HedgeConfig{After: time.Second})(busy)).Chat(ctx, sayHello())
		if got := budget.Spent().Calls; got != 1 || !errors.Is(err, chat.ErrOverloaded) {
			t.Errorf("%d calls, %v", got, err)
		}
	})
}

// TestNoReply: an engine that gives neither a reply nor an error ends no process,
// nor does a request that is none.
func TestNoReply(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]middleware.Middleware{
		"cache":      middleware.Cache(middleware.CacheConfig{}),
		"budget":     (&middleware.Budget{}).Wrap,
		"rate limit": middleware.RateLimit(middleware.RateLimitConfig{}),
		"breaker":    middleware.Breaker(middleware.BreakerConfig{}),
		"hedge":      middleware.Hedge(middleware.HedgeConfig{After: time.Second}),
		"fallback":   func(e engine.Engine) engine.Engine { return middleware.Fallback(e) },
	} {
		if reply, err := wrap(mute{newParrot()}).Chat(t.Context(), sayHello()); reply != nil || err != nil {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
		if reply, err := wrap(planless{newParrot()}).Chat(t.Context(), nil); reply != nil || err == nil {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
	}
}

// planless is an engine that doesn't plan.
type planless struct{ engine.Engine }

func (planless) Plan(*chat.Request) (*chat.Plan, error) { return nil, nil }

func (planless) Chat(_ context.Context, req *chat.Request) (*chat.Reply, error) {
	if req == nil {
		return nil, chat.Invalid("Request", "is nil")
	}
	return &chat.Reply{}, nil
}

// TestCacheLeaderInAHurry: a caller who has no time for the wait that a provider
// asks for fails alone, and with those who haven't either.
func TestCacheLeaderInAHurry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(func(n int) metering {
			if n == 1 {
				return metering{takes: time.Second, err: &chat.Error{Kind: chat.ErrRateLimited, RetryAfter: time.Minute, Retryable: true}}
			}
			return metering{takes: time.Second, reply: chat.Reply{Finish: chat.FinishStop, Parts: []chat.Part{chat.Text{Text: "x"}}}}
		})
		eng := middleware.Cache(middleware.CacheConfig{})(m)
		var wg sync.WaitGroup
		for i, limit := range []time.Duration{5 * time.Second, 6 * time.Second, time.Hour, 0, 0} {
			wg.Go(func() {
				ctx := t.Context()
				if limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, limit)
					defer cancel()
				}
				_, err := eng.Chat(ctx, named("a"))
				if hurried := i < 2; hurried != errors.Is(err, chat.ErrRateLimited) || !hurried && err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if got := m.asked(); len(got) != 2 {
			t.Errorf("asked %q", got)
		}
	})
}

// unlike is a request whose tool takes any city but one, which Ollama's wire
// can't say.
func unlike(city string) *chat.Request {
	req := place(toolchoice.Tool("place"))
	req.Tools[0].Schema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","not":{"const":"` + city +
		`"}}},"required":["city"],"additionalProperties":false}`)
	return req
}

// TestCacheKeepsToolSchemas: two tools that are told alike on a wire that can't
// say all of their schemas are not the same: the call is held against them.
func TestCacheKeepsToolSchemas(t *testing.T) {
	t.Parallel()
	srv := sim.New(sim.Options{Turns: slices.Repeat([]sim.Turn{sim.Calls("place", map[string]string{"city": "Ghent"})}, 2)})
	eng := middleware.Cache(middleware.CacheConfig{})(simulated(t, srv, "ollama", "qwen3.5"))
	for i, not := range []string{"Brugge", "Ghent"} {
		want := []error{nil, chat.ErrToolChoiceUnmet}[i]
		if reply, err := eng.Chat(t.Context(), unlike(not)); !errors.Is(err, want) {
			t.Errorf("not %s: %+v, %v", not, reply, err)
		}
	}
}
