package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
)

// HedgeConfig says when a [Hedge] sends a request again.
type HedgeConfig struct {
	// After is how long a request may go without a reply, or in a stream without
	// the first event, before an equal one is sent beside it. It should be longer
	// than most calls take. 0 hedges nothing: there is no delay that suits all
	// models.
	After time.Duration
	// Most is the most requests for one call, each sent After later than the one
	// before; 0 means 2. 1 hedges nothing.
	Most int
}

// Hedge shortens the wait for an answer that is late, at the price of more
// requests: where the first has brought nothing after some time, an equal one is
// sent beside it. The first to bring a reply, or the first event of its stream, is
// the answer, and the others are cancelled. They have ended when the call ends.
//
// A request that fails as a busy or broken provider makes it fail, or that another
// middleware held back, does not end the call while another is under way; any
// other failure does. If all fail, the last error of one that was sent is the
// call's. Nothing is sent in the place of one that failed: that is what the
// engine's attempts are for.
//
// What the cancelled requests cost is not known: providers count what they had
// read and written, and tell nobody. Usage and Timing are those of the request
// that won, and a warning in the reply says that there were others.
func Hedge(cfg HedgeConfig) Middleware {
	most := cmp.Or(max(cfg.Most, 0), 2)
	return func(e engine.Engine) engine.Engine {
		if cfg.After <= 0 || most == 1 {
			return e
		}
		return &hedge{Engine: e, after: cfg.After, most: most}
	}
}

type hedge struct {
	engine.Engine

	after time.Duration
	most  int
}

// Chat implements [engine.Engine].
func (h *hedge) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	r := race[*chat.Reply]{
		begin: func(ctx context.Context) (*chat.Reply, error) { return h.Engine.Chat(ctx, req) },
		drop:  func(*chat.Reply) {},
	}
	defer r.end()
	reply, err := r.run(ctx, h.after, h.most)
	if err != nil {
		return nil, err
	}
	return r.told(reply), nil
}

// Stream implements [engine.Engine].
func (h *hedge) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(h.Name(), func(yield func(chat.Event, error) bool) {
		r := race[*pulled]{
			begin: func(ctx context.Context) (*pulled, error) { return pull(h.Engine.Stream(ctx, req)) },
			drop:  func(p *pulled) { p.stop() },
		}
		defer r.end()
		p, err := r.run(ctx, h.after, h.most)
		if err != nil {
			yield(nil, err)
			return
		}
		defer p.stop()
		for ev, more := p.first, true; more; ev, err, more = p.next() {
			if done, ok := ev.(chat.Done); ok {
				ev = chat.Done{Reply: r.told(done.Reply)}
			}
			if !yield(ev, err) {
				return
			}
		}
	})
}

// pulled is a stream that has brought its first event.
type pulled struct {
	first chat.Event
	next  func() (chat.Event, error, bool)
	stop  func()
}

// pull begins a stream and waits for its first event. One that fails before is
// closed.
func pull(stream iter.Seq2[chat.Event, error]) (*pulled, error) {
	next, stop := iter.Pull2(stream)
	first, err, ok := next()
	if err == nil && !ok {
		err = &chat.Error{Kind: chat.ErrTruncated, Message: "the stream held nothing"}
	}
	if err != nil {
		stop()
		return nil, err
	}
	return &pulled{first, next, stop}, nil
}

// race is one call: equal requests, of which the first good one wins. What another
// has brought by then is dropped.
type race[T any] struct {
	begin func(context.Context) (T, error)
	drop  func(T)

	results chan result[T]
	cancels []context.CancelFunc
	running int
}

// result is what became of a request, by the order in which they were sent.
type result[T any] struct {
	place int
	value T
	err   error
	bug   any // what it panicked with, for the goroutine of the call
}

// run waits for the winner and cancels the others. The winner's context lives
// until end.
func (r *race[T]) run(ctx context.Context, after time.Duration, most int) (T, error) {
	r.results = make(chan result[T])
	timer := time.NewTimer(after)
	defer timer.Stop()
	r.start(ctx)
	var failed error // the last of a request that was sent
	for {
		select {
		case <-timer.C:
			if r.start(ctx); len(r.cancels) < most {
				timer.Reset(after)
			}
		case got := <-r.results:
			r.running--
			got.raise()
			if got.err == nil {
				r.cancelAllBut(got.place)
				return got.value, nil
			}
			sent := wasSent(got.err)
			if sent || failed == nil {
				failed = got.err
			}
			if r.running == 0 || sent && !outage(got.err) {
				return got.value, failed
			}
		}
	}
}

// start sends one more request.
func (r *race[T]) start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	place := len(r.cancels)
	r.cancels = append(r.cancels, cancel)
	r.running++
	go func() {
		got := result[T]{place: place, err: errEnded} // where runtime.Goexit ends it
		defer func() {
			got.bug = recover()
			r.results <- got
		}()
		got.value, got.err = r.begin(ctx)
	}()
}

// errEnded is the error of a request that neither returned nor panicked.
var errEnded = errors.New("the goroutine of a hedged request was ended")

// raise panics where the request did: whoever made the call may recover.
func (r result[T]) raise() {
	if r.bug != nil {
		panic(r.bug) //nolint:forbidigo // it is the engine's
	}
}

func (r *race[T]) cancelAllBut(place int) {
	for i, cancel := range r.cancels {
		if i != place {
			cancel()
		}
	}
}

// end cancels what still runs and waits for it.
func (r *race[T]) end() {
	r.cancelAllBut(-1)
	for r.running > 0 {
		late := <-r.results
		r.running--
		if late.bug != nil {
			defer late.raise()
		} else if late.err == nil {
			r.drop(late.value)
		}
	}
}

// told is a copy of the winner's reply that tells of the other requests, if there
// were any.
func (r *race[T]) told(reply *chat.Reply) *chat.Reply {
	if len(r.cancels) == 1 || reply == nil {
		return reply
	}
	told := *reply
	told.Warnings = append(slices.Clip(reply.Warnings), chat.Warning{Message: fmt.Sprintf(
		"the request was sent %d times, because an answer was late; Usage is that of one of them", len(r.cancels))})
	return &told
}
