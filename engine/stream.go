package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/plan"
	"github.com/sabir-go/sabir/internal/transport"
	"github.com/sabir-go/sabir/internal/wire"
)

// Stream implements [Engine].
func (c core) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return c.streamOnce(ctx, func() (*prepared, error) { return c.prepare(req) })
}

// SendStream implements [Sender].
func (c core) SendStream(ctx context.Context, plan *chat.Plan) iter.Seq2[chat.Event, error] {
	return c.streamOnce(ctx, func() (*prepared, error) { return c.ownPlan(plan) })
}

// streamOnce is a stream that can be ranged over once.
func (c core) streamOnce(ctx context.Context, prepare func() (*prepared, error)) iter.Seq2[chat.Event, error] {
	var used atomic.Bool
	return func(yield func(chat.Event, error) bool) {
		if used.Swap(true) {
			yield(nil, &chat.Error{Kind: chat.ErrStreamUsed, Engine: c.Name(), Message: "call Stream again for another answer"})
			return
		}
		p, err := prepare()
		if err != nil {
			yield(nil, err)
			return
		}
		k, err := p.begin(ctx, true)
		if err != nil {
			yield(nil, err)
			return
		}
		if err := k.deliver(ctx, yield); err != nil {
			yield(nil, err)
		}
	}
}

// deliver delivers a whole stream. A nil error means that it ended well, or
// that the listener has had enough.
func (k *call) deliver(ctx context.Context, yield func(chat.Event, error) bool) error {
	var s *opened
	var err error
	for k.next(ctx, &err) {
		s, err = k.open(ctx)
	}
	if err != nil {
		return k.fail(err, s.partial())
	}
	defer s.close()
	settle := k.plan.NewStreamSettler()
	for {
		for _, ev := range s.events {
			for _, ev := range settle.SettleEvent(ev) {
				if !yield(ev, nil) {
					return nil
				}
			}
		}
		if s.whole {
			return k.finish(s, settle, yield)
		}
		if err := s.next(); err != nil {
			return k.fail(addHints(cut(ctx, err), s.hints), s.partial())
		}
	}
}

// cut turns a connection that broke in the middle of a stream into the error of
// a stream without its end mark; the cause stays visible. If the context ended,
// that is the cause, whatever the connection made of it.
func cut(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		if cause := context.Cause(ctx); !errors.Is(cause, ended) {
			ended = fmt.Errorf("%w: %w", ended, cause)
		}
		return &chat.Error{Kind: chat.ErrTruncated, Status: 200, Err: ended}
	}
	if e, ok := errors.AsType[*chat.Error](err); ok && errors.Is(e.Kind, chat.ErrNetwork) {
		return &chat.Error{Kind: chat.ErrTruncated, Status: 200, RequestID: e.RequestID, Err: e}
	}
	return err
}

// finish settles the reply and delivers what is still due.
func (k *call) finish(s *opened, settle *plan.StreamSettler, yield func(chat.Event, error) bool) error {
	reply := s.reply
	if reply == nil {
		reply = s.assembly.Reply()
	}
	k.stamp(reply, s.hints)
	k.measure(reply, s.first)
	s.close()
	last, err := settle.Finish(reply)
	if err != nil {
		return k.fail(err, reply)
	}
	for _, ev := range last {
		if !yield(ev, nil) {
			return nil
		}
	}
	return nil
}

// opened is a stream whose first events have come.
type opened struct {
	codec    wire.Codec
	resp     *transport.Response
	hints    transport.Hints
	frames   frames
	assembly *wire.Assembly
	stream   *wire.Stream
	// events are those of the last frame; valid until next.
	events []chat.Event
	first  time.Time
	// whole: the last event was read. reply is set if it came as a document.
	whole bool
	reply *chat.Reply
}

// open sends the request and reads up to the first event, so that what fails
// before it can be tried again.
func (k *call) open(ctx context.Context) (*opened, error) {
	resp, hints, err := k.send(ctx)
	if err != nil {
		return nil, err
	}
	s := &opened{
		codec: codecOf(k.profile.Dialect), resp: resp, hints: hints,
		frames:   dialects[k.profile.Dialect].frames(resp.Body, k.config.limits.Line),
		assembly: k.assembly(),
	}
	s.stream = wire.NewStream(s.codec, s.frames, s.assembly)
	if !k.stream || isDocument(resp.Header) {
		err = s.document()
	} else {
		for len(s.events) == 0 && !s.whole && err == nil {
			err = s.next()
		}
	}
	s.first = time.Now()
	if err != nil {
		s.close()
		return s, addHints(err, s.hints)
	}
	return s, nil
}

// document reads an answer that isn't a stream although one was asked for: an
// error, or a reply from a server that can't stream.
func (s *opened) document() error {
	body, err := s.resp.ReadAll()
	if err != nil {
		return err
	}
	if s.reply, err = wire.ReadReply(s.codec, s.assembly, body); err != nil {
		return err
	}
	s.reply.Raw = nil
	s.events, s.whole = slices.Collect(chat.Deltas(s.reply)), true
	return nil
}

// next reads one frame.
func (s *opened) next() (err error) {
	s.events, err = s.stream.Next()
	s.whole = s.stream.Whole()
	return err
}

// partial is what was read so far.
func (s *opened) partial() *chat.Reply {
	if s == nil {
		return nil
	}
	s.assembly.Flush() // what a text filter held back is part of it
	if s.assembly.Empty() {
		return nil
	}
	r := s.assembly.Reply()
	r.RequestID, r.RateLimit = s.hints.RequestID, s.hints.RateLimit
	return r
}

// close ends the stream wherever it is; a stream read to its last event leaves
// a connection that can be used again.
func (s *opened) close() {
	if s.whole {
		s.resp.Finish()
	} else {
		_ = s.resp.Close()
	}
	s.frames.Release()
}
