package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// tenTokens is what each call in these tests reports.
var tenTokens = sim.Usage{Input: 8, Output: 2}

// tenTokensEach says "hi" as often as wanted, for ten tokens each.
func tenTokensEach(n int) *enginetest.Fake {
	turns := make([]sim.Turn, n)
	for i := range turns {
		turns[i] = enginetest.Says("hi")
		turns[i].Usage = tenTokens
	}
	return enginetest.New(turns...)
}

func TestBudget(t *testing.T) {
	t.Parallel()
	cent := func(r *chat.Reply) float64 { return float64(r.Usage.Total()) / 1000 }
	for _, c := range []struct {
		name   string
		budget *middleware.Budget
		kept   int
		words  string
	}{
		{"calls", &middleware.Budget{Calls: 3}, 3, "3 of 3 calls"},
		{"tokens", &middleware.Budget{Tokens: 20}, 2, "20 of 20 tokens"},
		{"tokens, overshot", &middleware.Budget{Tokens: 21}, 3, "30 of 21 tokens"},
		{"money", &middleware.Budget{Money: 0.015, Price: cent}, 2, "0.02 of 0.015 in money"},
		{"the first limit", &middleware.Budget{Calls: 4, Tokens: 10, Money: 1, Price: cent}, 1, "10 of 10 tokens"},
	} {
		for form, call := range bothForms {
			t.Run(c.name+", "+form, func(t *testing.T) {
				t.Parallel()
				fake := tenTokensEach(5)
				budget := &middleware.Budget{Calls: c.budget.Calls, Tokens: c.budget.Tokens, Money: c.budget.Money, Price: c.budget.Price}
				eng := budget.Wrap(fake)
				for i := range c.kept {
					if reply, err := call(t.Context(), eng, sayHello()); err != nil || reply.Text() != "hi" {
						t.Fatalf("call %d: %v", i, err)
					}
				}
				_, err := call(t.Context(), eng, sayHello())
				e, ok := errors.AsType[*chat.Error](err)
				want := "openai-compatible: quota exhausted: the caller's own budget is spent: " + c.words
				if !ok || !errors.Is(err, chat.ErrQuota) || e.Status != 0 || e.Retryable || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
				spent := budget.Spent()
				if len(fake.Sent()) != c.kept || spent.Calls != c.kept || spent.Usage.Total() != 10*c.kept || spent.Usage.Input != 8*c.kept {
					t.Errorf("%d were sent, %+v", len(fake.Sent()), spent)
				}
			})
		}
	}
}

// TestBudgetCounts: which calls count, and with what.
func TestBudgetCounts(t *testing.T) {
	t.Parallel()
	forced := sayHello()
	forced.Tools, forced.ToolChoice = []chat.ToolDef{{Name: "place"}}, toolchoice.Any()
	unmet := enginetest.IgnoresChoice()
	unmet.Usage = tenTokens
	cut := enginetest.Cut(2, enginetest.Says("half of it"))
	for _, c := range []struct {
		name   string
		turn   sim.Turn
		req    *chat.Request
		kind   error
		calls  int
		tokens int
	}{
		{"refused by the plan", enginetest.Says("hi"), &chat.Request{}, chat.ErrInvalid, 0, 0},
		{"refused by the provider", enginetest.Fails(400, "no"), sayHello(), chat.ErrBadRequest, 1, 0},
		{"a choice that wasn't met", unmet, forced, chat.ErrToolChoiceUnmet, 1, 10},
		{"a cut stream", cut, sayHello(), chat.ErrTruncated, 1, 0},
	} {
		for form, call := range bothForms {
			if form == "chat" && errors.Is(c.kind, chat.ErrTruncated) {
				continue
			}
			t.Run(c.name+", "+form, func(t *testing.T) {
				t.Parallel()
				budget := &middleware.Budget{}
				if _, err := call(t.Context(), budget.Wrap(enginetest.New(c.turn)), c.req); !errors.Is(err, c.kind) {
					t.Errorf("%v, want %v", err, c.kind)
				}
				if spent := budget.Spent(); spent.Calls != c.calls || spent.Usage.Total() != c.tokens {
					t.Errorf("%+v, want %d calls of %d tokens", spent, c.calls, c.tokens)
				}
			})
		}
	}
}

// TestBudgetAfterReplanning: a request that was refused in the second planning
// had been sent under the first.
func TestBudgetAfterReplanning(t *testing.T) {
	t.Parallel()
	for want, err := range map[int]error{
		0: &chat.UnsupportedError{},
		1: errors.Join(&chat.UnsupportedError{}, &chat.Error{Kind: chat.ErrBadRequest, Attempts: 1}),
	} {
		budget := &middleware.Budget{}
		_, _ = budget.Wrap(failsWith{newParrot(), err}).Chat(t.Context(), sayHello())
		if got := budget.Spent().Calls; got != want {
			t.Errorf("%v: %d calls, want %d", err, got, want)
		}
	}
}

// TestBudgetStream: the number of calls is booked when the stream is ranged
// over, and stays when the listener leaves.
func TestBudgetStream(t *testing.T) {
	t.Parallel()
	budget := &middleware.Budget{Calls: 2}
	eng := budget.Wrap(tenTokensEach(2))
	events := eng.Stream(t.Context(), sayHello())
	if spent := budget.Spent(); spent.Calls != 0 {
		t.Errorf("before the first range: %+v", spent)
	}
	for range events {
		break
	}
	for _, err := range events {
		if !errors.Is(err, chat.ErrStreamUsed) {
			t.Errorf("%v, want ErrStreamUsed", err)
		}
	}
	if spent := budget.Spent(); spent.Calls != 1 || spent.Usage.Total() != 0 {
		t.Errorf("after the break: %+v", spent)
	}
	for ev, err := range eng.Stream(t.Context(), sayHello()) {
		if _, ok := ev.(chat.Done); ok && budget.Spent().Usage.Total() != 10 {
			t.Errorf("at Done: %+v, %v", budget.Spent(), err)
		}
	}
}

// TestBudgetNeedsPrice: money without a price would be a limit that never
// holds.
func TestBudgetNeedsPrice(t *testing.T) {
	t.Parallel()
	fake := tenTokensEach(1)
	for form, call := range bothForms {
		_, err := call(t.Context(), (&middleware.Budget{Money: 1}).Wrap(fake), sayHello())
		if !errors.Is(err, chat.ErrInvalid) || len(fake.Sent()) > 0 {
			t.Errorf("%s: %v", form, err)
		}
	}
}

// TestBudgetSideBySide: calls from many goroutines on two engines never exceed
// the number.
func TestBudgetSideBySide(t *testing.T) {
	t.Parallel()
	budget := &middleware.Budget{Calls: 10}
	a, b := tenTokensEach(40), tenTokensEach(40)
	engines := []engine.Engine{budget.Wrap(a), budget.Wrap(b)}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if _, err := engines[i%2].Chat(t.Context(), sayHello()); err != nil && !errors.Is(err, chat.ErrQuota) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if sent, spent := len(a.Sent())+len(b.Sent()), budget.Spent(); sent != 10 || spent.Calls != 10 || spent.Usage.Total() != 100 {
		t.Errorf("%d were sent, %+v", sent, spent)
	}
}

// TestBudgetBehindCache: what comes from a cache in front of it is free.
func TestBudgetBehindCache(t *testing.T) {
	t.Parallel()
	budget := &middleware.Budget{Calls: 1}
	client := sabir.New(tenTokensEach(1), middleware.Cache(middleware.CacheConfig{}), budget.Wrap)
	for range 3 {
		if _, err := client.Chat(t.Context(), sayHello()); err != nil {
			t.Error(err)
		}
	}
	if spent := budget.Spent(); spent.Calls != 1 || spent.Usage.Total() != 10 {
		t.Errorf("%+v", spent)
	}
}

//nolint:paralleltest // the suite counts goroutines
func TestBudgetSuite(t *testing.T) {
	enginetest.Suite(t, (&middleware.Budget{Calls: 1000}).Wrap(enginetest.New()))
}

// A budget is shared by all calls through it, whoever makes them.
func ExampleBudget() {
	budget := &middleware.Budget{Calls: 2}
	client := sabir.New(enginetest.New(), budget.Wrap)
	for range 3 {
		if _, err := client.Ask(context.Background(), "Where is the Gravensteen?"); err != nil {
			fmt.Println(errors.Is(err, chat.ErrQuota), err)
		}
	}
	fmt.Println(budget.Spent().Calls, "calls")
	// Output:
	// true openai-compatible: quota exhausted: the caller's own budget is spent: 2 of 2 calls
	// 2 calls
}
