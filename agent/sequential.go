package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// Sequential runs one runner after the other. The first gets the input, each
// further one the answer of the one before it, as a user's message; a [Func]
// between them can hand on something else. It stops at the first that does not
// end well, with that one's reason, in a *[StopError] whose Step is its place.
//
// The result is that of the last run, but for Runs, Usage and Cost, which are
// those of all; the events are [Nested]. A flow is not stored, and limits are
// those of its runners. [Result.State] holds the states of all its runs, and
// Resume goes on in the middle of one. The methods are safe for concurrent use.
type Sequential []Runner

// Start implements [Runner].
func (s Sequential) Start(ctx context.Context, start Start) iter.Seq2[Event, error] {
	return s.plot().events(ctx, start)
}

func (s Sequential) plot() plot { return plot{"sequential", s, s.work} }

func (s Sequential) work(ctx context.Context, f *flow) error {
	if len(s) == 0 {
		return f.refuse(chat.Invalid("Sequential", "is empty"))
	}
	input := f.input
	for _, r := range s {
		if err := f.next(ctx, r, input); err != nil {
			return err
		}
		input = handOn(f.last)
	}
	return nil
}

// Func is a step in a flow that is no agent: it makes the message that goes on
// from the one that came, such as by picking out a part, or by reading what the
// agents before it have left in a [Shared]. An error or a panic ends the flow with
// StopFailed. It is not called again when the flow is resumed.
type Func func(ctx context.Context, input []chat.Message) (chat.Message, error)

// Start implements [Runner].
func (fn Func) Start(ctx context.Context, s Start) iter.Seq2[Event, error] {
	return fn.plot().events(ctx, s)
}

func (fn Func) plot() plot { return plot{"func", nil, fn.work} }

func (fn Func) work(ctx context.Context, f *flow) error {
	if f.output != nil {
		f.last = answered(f)
		return nil
	}
	out, err := fn.call(ctx, f.input)
	switch {
	case err != nil && ctx.Err() != nil:
		return f.cut(ctx, 0)
	case err != nil:
		return f.stop(0, err)
	}
	f.output = &out
	f.last = answered(f)
	return nil
}

// answered is the result of a flow that answers itself.
func answered(f *flow) *Result {
	said := chat.Assistant(f.output.Text())
	return &Result{Reason: StopAnswered, Messages: append(slices.Clone(f.input), said)}
}

func (fn Func) call(ctx context.Context, input []chat.Message) (out chat.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function crashed: %v", p)
		}
	}()
	return fn(ctx, input)
}
