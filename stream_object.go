package sabir

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/tools/schema"
)

// Partial is what has come of a T.
type Partial[T any] struct {
	// Value grows: texts get longer, lists get more elements, structs and maps
	// more members. What is not there yet is zero. What only means something
	// when it is whole comes whole: numbers, bools, one of a list of values, and
	// what a type reads for itself, such as a time.
	Value T
	// Round counts, from 0, how often Value began anew: because the answer
	// didn't fit and the model was asked again, or, rarely, because what looked
	// like the answer in a chatty text wasn't. Within a round each Value is the
	// beginning of the next, unless the model writes a member twice: the later
	// one counts.
	Round int
	// Reply is nil but in the last one, whose Value is whole and was held
	// against T's schema. It is what Generate returns beside the value.
	Reply *chat.Reply
}

// StreamObject is [Generate], and yields the answer while it arrives, on every
// engine that has a way to a form. Nothing is sent before the first range,
// which may happen once. An error comes last, with a zero Partial; success ends
// with a Partial that has a Reply. Breaking out of the range closes the
// connection.
//
// An answer that doesn't fit is mended as in Generate. The new answer is
// announced by a Partial with the next Round and a zero Value.
//
// A Value shares no memory with the others; it must not be changed before the
// next one has come. Two that follow each other differ. Each is decoded from
// the beginning, so in an answer of more than a kilobyte or two not every delta
// brings one: all that is decoded is at most 32 times the bytes that came and
// 256 KB, which keeps Value within a thirtieth of what is there.
func StreamObject[T any](ctx context.Context, client *Client, req *chat.Request) iter.Seq2[Partial[T], error] {
	var used atomic.Bool
	return func(yield func(Partial[T], error) bool) {
		if used.Swap(true) {
			yield(Partial[T]{}, &chat.Error{Kind: chat.ErrStreamUsed, Message: "call StreamObject again for another answer"})
			return
		}
		g, err := newGeneration[T](req)
		if err == nil {
			s := objectStream[T]{generation: g, client: client, yield: yield, root: schema.PlaceOf(reflect.TypeFor[T]())}
			if g.wrapped {
				s.root = schema.PlaceOf(reflect.TypeFor[wrapping[T]]())
			}
			err = s.run(ctx)
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(Partial[T]{}, err)
		}
	}
}

// errLeft: whoever ranged over the stream has had enough.
var errLeft = errors.New("nobody listens any more")

// The bounds of what is spent on decoding beginnings, in bytes: so much, and
// so much for each byte that came.
const (
	freeWork    = 256 << 10
	workPerByte = 32
)

// objectStream is a StreamObject on its way.
type objectStream[T any] struct {
	generation[T]

	client *Client
	yield  func(Partial[T], error) bool
	root   schema.Place

	text    rawjson.Growing
	doc     []byte // the last beginning, closed
	arrived int    // bytes
	work    int    // bytes decoded
	starts  int    // of text, when last was read
	last    T
	round   int
	told    bool // of a value in this round
}

func (s *objectStream[T]) run(ctx context.Context) error {
	for round := 0; ; round++ {
		value, reply, err := s.judge(s.receive(ctx))
		switch {
		case err == nil:
			s.finish(value, reply)
			return nil
		case round == repairs || !s.mend(reply, err):
			return err
		}
		s.anew()
		s.text, s.starts = rawjson.Growing{}, 0
		if !s.yield(Partial[T]{Round: s.round}, nil) {
			return errLeft
		}
	}
}

// receive makes one model call.
func (s *objectStream[T]) receive(ctx context.Context) (*chat.Reply, error) {
	var reply *chat.Reply
	for ev, err := range s.client.Stream(ctx, &s.req) {
		if err != nil {
			return nil, err
		}
		switch ev := ev.(type) {
		case chat.TextDelta:
			if !s.grow(ev.Text) {
				return nil, errLeft
			}
		case chat.Done:
			reply = ev.Reply
		case chat.ThinkingDelta, chat.ToolCallStart, chat.ToolCallDelta, chat.ToolCallDone:
		}
	}
	if reply == nil {
		return nil, &chat.Error{Kind: chat.ErrTruncated, Message: "the stream ended without chat.Done"}
	}
	return reply, nil
}

// grow takes more text and yields what it makes of the value; it is false once
// nobody listens.
func (s *objectStream[T]) grow(text string) bool {
	s.text.Feed(text)
	s.arrived += len(text)
	if s.text.Starts() != s.starts {
		if s.starts = s.text.Starts(); s.told { // by an object that broke off
			s.anew()
		}
	}
	size := s.text.Len()
	if size == 0 || s.work+size > freeWork+workPerByte*s.arrived {
		return true
	}
	s.work += size
	value, err := s.read(s.beginning())
	if err != nil || reflect.DeepEqual(value, s.last) {
		return true // if it is wrong, the whole answer will tell why
	}
	s.last, s.told = value, true
	return s.yield(Partial[T]{Value: value, Round: s.round}, nil)
}

// beginning is what of the object means something already, as a document.
func (s *objectStream[T]) beginning() []byte {
	place, depth := s.root, s.text.Depth()
	for level := range depth {
		key, reading := s.text.Member(level)
		if !reading {
			break
		}
		var known bool
		if key == nil {
			place, known = place.Item()
		} else {
			place, known = place.Member(string(key))
		}
		if !known || !place.Grows() {
			s.doc = s.text.Close(s.doc[:0], level+1, false)
			return s.doc
		}
	}
	s.doc = s.text.Close(s.doc[:0], depth, true)
	return s.doc
}

// anew begins the next round.
func (s *objectStream[T]) anew() {
	s.last, s.told = s.zero, false
	s.round++
}

// finish yields the whole value. If that is not what the others were the
// beginnings of, it begins anew.
func (s *objectStream[T]) finish(value T, reply *chat.Reply) {
	if s.told {
		whole, err := s.read(s.beginning())
		if err != nil || !reflect.DeepEqual(whole, value) {
			s.anew()
		}
	}
	s.yield(Partial[T]{Value: value, Round: s.round, Reply: reply}, nil)
}
