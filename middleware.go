package sabir

import (
	"iter"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// Middleware wraps an engine in another: for logging, caching, tracing. What
// it returns is used like any engine, so it must be safe for concurrent use.
type Middleware func(engine.Engine) engine.Engine

// rangedOnce is a stream that can't be ranged over twice.
func rangedOnce(engine string, events iter.Seq2[chat.Event, error]) iter.Seq2[chat.Event, error] {
	var used atomic.Bool
	return func(yield func(chat.Event, error) bool) {
		if used.Swap(true) {
			yield(nil, &chat.Error{Kind: chat.ErrStreamUsed, Engine: engine, Message: "call Stream again for another answer"})
			return
		}
		events(yield)
	}
}
