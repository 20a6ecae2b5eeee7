package middleware

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
)

// Budget bounds what all calls through it cost together; [Budget.Wrap] is the
// middleware. Once it is spent, calls are refused before anything is sent, with
// a *chat.Error of kind chat.ErrQuota whose Status is 0: no provider said so.
//
// The number of calls is never exceeded. What a call costs is known when it has
// ended: the one that reaches a limit is kept, and so are those that were under
// way beside it. The zero Budget limits nothing and counts.
//
// A Budget is safe for concurrent use, and one may serve several engines; set
// its fields before the first call. Put it behind a [Cache], so that what comes
// from there is free.
type Budget struct {
	// Calls is the most model calls that are sent, retries of the engine not
	// counted; 0: no limit.
	Calls int
	// Tokens is the most tokens, input and output; 0: no limit.
	Tokens int
	// Money is the most that Price may add up to; 0: no limit.
	Money float64
	// Price is what a reply cost, in the currency of Money; required with it. It
	// must be safe for concurrent use.
	Price func(*chat.Reply) float64

	mu    sync.Mutex
	spent Spent
}

// Spent is what the calls through a [Budget] have cost so far.
type Spent struct {
	// Calls counts those under way, too.
	Calls int
	// Usage includes that of failed calls, where the error holds what was read. A
	// stream that its listener left tells no usage.
	Usage chat.Usage
	Money float64
}

// Wrap is the [Middleware].
func (b *Budget) Wrap(e engine.Engine) engine.Engine { return budgeted{e, b} }

// Spent is what was spent so far.
func (b *Budget) Spent() Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// reserve books a call, or says why it can't be made.
func (b *Budget) reserve(engine string) error {
	if b.Money != 0 && b.Price == nil {
		return &chat.Error{Kind: chat.ErrInvalid, Engine: engine, Param: "Budget.Price", Message: "is needed to limit money"}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var why string
	switch s := b.spent; {
	case b.Calls != 0 && s.Calls >= b.Calls:
		why = fmt.Sprintf("%d of %d calls", s.Calls, b.Calls)
	case b.Tokens != 0 && s.Usage.Total() >= b.Tokens:
		why = fmt.Sprintf("%d of %d tokens", s.Usage.Total(), b.Tokens)
	case b.Money != 0 && s.Money >= b.Money:
		why = fmt.Sprintf("%g of %g in money", s.Money, b.Money)
	default:
		b.spent.Calls++
		return nil
	}
	why = "the caller's own budget is spent: " + why
	return &chat.Error{Kind: chat.ErrQuota, Engine: engine, Message: why, Err: stream.UnsentError(why)}
}

// settle books what a call cost, and takes the reservation back if nothing was
// sent.
func (b *Budget) settle(reply *chat.Reply, err error) {
	if err != nil {
		if !wasSent(err) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.spent.Calls--
			return
		}
		reply = replyIn(err)
	}
	if reply == nil {
		return
	}
	var price float64
	if b.Price != nil {
		price = b.Price(reply)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent.Usage.Add(reply.Usage)
	b.spent.Money += price
}

// replyIn is what a failed call had read; nil if nothing.
func replyIn(err error) *chat.Reply {
	if e, ok := errors.AsType[*chat.Error](err); ok {
		return e.Reply
	}
	return nil
}

type budgeted struct {
	engine.Engine

	budget *Budget
}

// Chat implements [engine.Engine].
func (b budgeted) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	if err := b.budget.reserve(b.Name()); err != nil {
		return nil, err
	}
	reply, err := b.Engine.Chat(ctx, req)
	b.budget.settle(reply, err)
	return reply, err
}

// Stream implements [engine.Engine].
func (b budgeted) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(b.Name(), func(yield func(chat.Event, error) bool) {
		if err := b.budget.reserve(b.Name()); err != nil {
			yield(nil, err)
			return
		}
		for ev, err := range b.Engine.Stream(ctx, req) {
			if done, ok := ev.(chat.Done); ok || err != nil {
				b.budget.settle(done.Reply, err)
			}
			if !yield(ev, err) {
				return
			}
		}
	})
}
