// Package stream holds what every engine that wraps another needs for its calls:
// a stream that can be ranged over once, and the error of a call that was held
// back before anything was sent.
package stream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
)

// Once is a stream of an engine that fails with chat.ErrStreamUsed when it is
// ranged over a second time.
func Once(engine string, events iter.Seq2[chat.Event, error]) iter.Seq2[chat.Event, error] {
	var used atomic.Bool
	return func(yield func(chat.Event, error) bool) {
		if used.Swap(true) {
			yield(nil, &chat.Error{Kind: chat.ErrStreamUsed, Engine: engine, Message: "call Stream again for another answer"})
			return
		}
		events(yield)
	}
}

// UnsentError says why a call was held back before anything was sent. It is the
// cause in the call's error: who counts calls or failures leaves that one out.
type UnsentError string

func (u UnsentError) Error() string { return string(u) }

// WaitEnded is the error of a call whose context ended before it was sent;
// waiting says what it waited for.
func WaitEnded(ctx context.Context, engine, waiting string) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return fmt.Errorf("%s: %w: %w", engine, UnsentError(waiting), err)
}
