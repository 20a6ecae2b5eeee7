package middleware

import (
	"errors"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/stream"
)

// Middleware wraps an engine in another: for logging, caching, tracing. What
// it returns is used like any engine, so it must be safe for concurrent use.
type Middleware func(engine.Engine) engine.Engine

// manyNames is for how many models something is kept before what is idle is
// dropped: their names may come from outside.
const manyNames = 1024

// wasSent is false for an error with which a call was refused beforehand.
func wasSent(err error) bool {
	if several, ok := errors.AsType[*joined](err); ok {
		return slices.ContainsFunc(several.errs, wasSent)
	}
	if _, held := errors.AsType[stream.UnsentError](err); held {
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
func planned(e engine.Engine, req *chat.Request) (*chat.Plan, error) {
	plan, err := e.Plan(req)
	if err == nil && req == nil {
		err = chat.Invalid("Request", "is nil")
	}
	return plan, err
}
