package middleware

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
)

// CacheConfig says where replies are kept, and for how long. The zero value
// keeps a thousand of them in memory.
type CacheConfig struct {
	// Store keeps the replies; nil: the memory of this process, bounded by
	// Entries (0: 1,000) and Bytes (0: 64 MiB), where what was used least recently
	// makes room.
	Store   CacheStore
	Entries int
	Bytes   int
	// TTL is how long a reply is good; 0: for ever.
	TTL time.Duration
	// Scope keeps apart what shares a Store and must not share replies: tenants,
	// or engines that differ in what the body doesn't say, such as headers.
	Scope string
	// Skip is asked whether a request goes past the cache; nil: none does.
	Skip func(*chat.Request) bool
}

// CacheStore keeps replies outside of this process. It is safe for concurrent
// use. A store that fails costs a call and a warning in its reply, no more.
type CacheStore interface {
	// Load returns what was saved under a key; nil if there is nothing.
	Load(ctx context.Context, key string) ([]byte, error)
	// Save keeps a reply, which is JSON, for ttl at most (0: no limit) and may
	// forget it sooner. Neither side changes a slice that it was given.
	Save(ctx context.Context, key string, reply []byte, ttl time.Duration) error
}

// Cache answers a request that was answered before without sending it. Two
// requests are the same if their plans are: same engine, address and model, the
// same body to the byte, and the same terms that a reply is held against, such
// as the tool choice. So what is refused or adapted without a cache is with it,
// and Chat and Stream share replies.
//
// Only good replies are kept: those that ended by themselves or with calls that
// can be run, not those that were cut, filtered or paused, nor those for which a
// [Fallback] passed an engine over, and no errors. Equal calls of Chat at the same
// time become one; the others get its reply, or its error. If the context of the
// one that was sent ends, or leaves no room for a wait that was asked for, another
// is sent.
//
// A reply from the cache is the caller's own copy. Timing.Attempts is 0: no
// request was sent. Its Usage, RateLimit and Timing are zero, so that nobody
// pays twice, and Raw is nil; ID and RequestID are those of the call that was
// made. A stream brings each of its parts at once.
func Cache(cfg CacheConfig) Middleware {
	if cfg.Store == nil {
		cfg.Store = newMemory(cfg.Entries, cfg.Bytes)
	}
	flights := newFlights()
	return func(e engine.Engine) engine.Engine { return cached{e, cfg, flights} }
}

type cached struct {
	engine.Engine

	cfg     CacheConfig
	flights *flights
}

// Chat implements [engine.Engine].
func (c cached) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	q, err := c.question(req)
	if err != nil {
		return nil, err
	}
	if q == nil {
		return c.Engine.Chat(ctx, req)
	}
	for {
		if ctx.Err() != nil {
			return nil, stream.WaitEnded(ctx, c.Name(), "looking into the cache")
		}
		f, first := c.flights.join(q.key)
		if first {
			return c.lead(ctx, q, f)
		}
		select {
		case <-f.landed:
		case <-ctx.Done():
		}
		if reply, err, ok := f.result(ctx, q); ok {
			return reply, err
		}
	}
}

// lead makes the call that equal ones wait for.
func (c cached) lead(ctx context.Context, q *question, f *flight) (*chat.Reply, error) {
	defer c.flights.land(q.key, f)
	hit, failed := c.load(ctx, q, f)
	if hit != nil {
		return hit, nil
	}
	reply, err := c.Engine.Chat(ctx, q.req)
	if err != nil {
		// What the caller's own context did is no answer to others, and what a
		// failed reply cost is counted once.
		if ctx.Err() == nil && replyIn(err) == nil {
			f.err = err
			if wait := retryAfter(err); !leavesRoom(ctx, wait) {
				f.lacked = wait
			}
		}
		return nil, err
	}
	return c.keep(ctx, q, f, reply, failed), nil
}

// Stream implements [engine.Engine].
func (c cached) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(c.Name(), func(yield func(chat.Event, error) bool) {
		q, err := c.question(req)
		switch {
		case err != nil:
			yield(nil, err)
			return
		case q == nil:
			c.Engine.Stream(ctx, req)(yield)
			return
		case ctx.Err() != nil:
			yield(nil, stream.WaitEnded(ctx, c.Name(), "looking into the cache"))
			return
		}
		var f flight // nobody waits for it
		hit, failed := c.load(ctx, q, &f)
		if hit != nil {
			q.replay(hit, yield)
			return
		}
		for ev, err := range c.Engine.Stream(ctx, req) {
			if done, ok := ev.(chat.Done); ok {
				ev = chat.Done{Reply: c.keep(ctx, q, &f, done.Reply, failed)}
			}
			if !yield(ev, err) {
				return
			}
		}
	})
}

// load looks into the store. What can't be read counts as not there.
func (c cached) load(ctx context.Context, q *question, f *flight) (*chat.Reply, error) {
	data, err := c.cfg.Store.Load(ctx, q.key)
	if err != nil || data == nil {
		return nil, err
	}
	hit, err := q.hit(data)
	if err != nil {
		return nil, err
	}
	f.reply = data
	return hit, nil
}

// keep puts a reply into the store if it is good, and into the flight. A store
// that failed, then or before, is told in the reply.
func (c cached) keep(ctx context.Context, q *question, f *flight, reply *chat.Reply, failed error) *chat.Reply {
	if reply == nil {
		return nil
	}
	stored := *reply
	stored.Raw, stored.Warnings = nil, q.ownWarnings(reply)
	data, err := json.Marshal(stored)
	if err == nil {
		f.reply = data
	}
	if err == nil && good(reply) {
		err = c.cfg.Store.Save(ctx, q.key, data, c.cfg.TTL)
	}
	told := *reply
	for _, err := range []error{failed, err} {
		if err != nil {
			told.Warnings = append(slices.Clip(told.Warnings), chat.Warning{Message: "the cache of replies failed: " + err.Error()})
		}
	}
	return &told
}

// good reports whether the same reply would be a good answer again.
func good(r *chat.Reply) bool {
	if stoodIn(r) {
		return false
	}
	ended := r.Finish == chat.FinishStop || r.Finish == chat.FinishStopSequence || r.Finish == chat.FinishToolCalls
	unsound := func(c chat.ToolCall) bool { return !c.Sound() }
	return ended && len(r.Parts) > 0 && !slices.ContainsFunc(r.ToolCalls(), unsound)
}
