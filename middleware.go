package sabir

import (
	"errors"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// Middleware wraps an engine in another: for logging, caching, tracing. What
// it returns is used like any engine, so it must be safe for concurrent use.
type Middleware func(engine.Engine) engine.Engine

// manyNames is for how many models something is kept before what is idle is
// dropped: their names may come from outside.
const manyNames = 1024

// unsentError says why a middleware held a call back before anything was sent: the
// cause in its error. Others that count calls, or failures, then leave it out.
type unsentError string

func (u unsentError) Error() string { return string(u) }

// wasSent is false for an error with which a call was refused beforehand.
func wasSent(err error) bool {
	if several, ok := errors.AsType[*joined](err); ok {
		return slices.ContainsFunc(several.errs, wasSent)
	}
	if _, held := errors.AsType[unsentError](err); held {
		return false
	}
	if e, ok := errors.AsType[*chat.Error](err); ok {
		switch {
		case errors.Is(e.Kind, chat.ErrAuth) && e.Status == 0: // no key
			return false
		case e.Attempts > 0 || e.Status != 0:
			return true
		}
	}
	return !errors.Is(err, chat.ErrInvalid) && !errors.Is(err, chat.ErrUnsupported)
}

// planned is an engine's plan; nil if it doesn't plan. A request that is nil is
// refused by all.
func planned(e engine.Engine, req *chat.Request) (*engine.Plan, error) {
	plan, err := e.Plan(req)
	if err == nil && req == nil {
		err = chat.Invalid("Request", "is nil")
	}
	return plan, err
}

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
