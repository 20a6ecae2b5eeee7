package middleware

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/stream"
	"github.com/sabir-go/sabir/toolchoice"
)

// Fallback is an engine made of several: each call goes to the first of them,
// and on to the next where that one can't serve it. Each makes its own attempts
// before (engine.Config.MaxAttempts), with the waits between them; 1 goes on at the
// first failure.
//
// A call goes on when an engine
//   - is down or busy: ErrOverloaded, ErrRateLimited, ErrServer, ErrNetwork,
//     ErrBadReply, ErrTruncated;
//   - doesn't serve this account or model: ErrAuth, ErrQuota, ErrNotFound;
//   - can't do this request: ErrUnsupported, ErrTooLong;
//   - fails with an error of no kind of package chat, such as a deadline that a
//     middleware of this engine has set.
//
// It ends where another engine would fail as well, or could answer only against
// somebody's will: ErrInvalid, ErrBadRequest and ErrFiltered; and where the model
// has answered, though not as asked: ErrToolChoiceUnmet, ErrOutputUnmet,
// ErrMalformedCall. It ends with its context, and a stream ends with its error
// once an event was handed out.
//
// The model that a request names is the first engine's. The others are asked for
// their default, engine.Config.Model; one that has none is asked for the model
// that the request names, which suits the same models at another address.
// A conversation may move in its middle, and back: signatures go back to the
// engine that made them and to no other.
//
// Reply.Engine says who answered, and a warning in the reply for each engine that
// was passed over says why. If several fail, errors.Is finds the kinds of all, and
// errors.As first the error that ended the call or, where all were passed over,
// the one that is worth a new try soonest.
//
// Plan gives the plan of the first engine that can plan the request, Capabilities
// and ToolWireFormat are the first engine's, and Name joins the names of all.
// Without any engine all calls fail with ErrInvalid.
func Fallback(engines ...engine.Engine) engine.Engine {
	return &fallback{slices.Clone(engines)}
}

type fallback struct{ engines []engine.Engine }

// Name implements [engine.Engine].
func (f *fallback) Name() string {
	names := make([]string, len(f.engines))
	for i, e := range f.engines {
		names[i] = e.Name()
	}
	return strings.Join(names, "|")
}

// ToolWireFormat implements [engine.Engine].
func (f *fallback) ToolWireFormat() toolchoice.WireFormat {
	if len(f.engines) == 0 {
		return toolchoice.NoTools
	}
	return f.engines[0].ToolWireFormat()
}

// Capabilities implements [engine.Engine].
func (f *fallback) Capabilities(model string) profile.Capabilities {
	if len(f.engines) == 0 {
		return profile.Capabilities{}
	}
	return f.engines[0].Capabilities(model)
}

// Plan implements [engine.Engine].
func (f *fallback) Plan(req *chat.Request) (*chat.Plan, error) {
	var plan *chat.Plan
	err := f.ask(req, func(e engine.Engine, req *chat.Request, _ []failure) (stop bool, err error) {
		plan, err = e.Plan(req)
		return false, err
	})
	return plan, err
}

// Chat implements [engine.Engine].
func (f *fallback) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	var reply *chat.Reply
	err := f.ask(req, func(e engine.Engine, req *chat.Request, passed []failure) (stop bool, err error) {
		if reply, err = e.Chat(ctx, req); err != nil {
			return ended(ctx, err)
		}
		reply = withWarnings(reply, passed)
		return true, nil
	})
	return reply, err
}

// Stream implements [engine.Engine].
func (f *fallback) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return stream.Once(f.Name(), func(yield func(chat.Event, error) bool) {
		err := f.ask(req, func(e engine.Engine, req *chat.Request, passed []failure) (stop bool, err error) {
			begun := false
			for ev, err := range e.Stream(ctx, req) {
				if err != nil {
					stop, err = ended(ctx, err)
					return stop || begun, err
				}
				if done, ok := ev.(chat.Done); ok {
					ev = chat.Done{Reply: withWarnings(done.Reply, passed)}
				}
				if begun = true; !yield(ev, nil) {
					break
				}
			}
			return true, nil
		})
		if err != nil {
			yield(nil, err)
		}
	})
}

// failure is an engine that was asked in vain.
type failure struct {
	engine string
	err    error
}

// ask lets one engine after the other try, until one succeeds or says stop.
func (f *fallback) ask(
	req *chat.Request, try func(e engine.Engine, req *chat.Request, passed []failure) (stop bool, err error),
) error {
	var failed []failure
	for i, e := range f.engines {
		stop, err := try(e, requestFor(e, req, i > 0), failed)
		if err == nil {
			return nil
		}
		failed = append(failed, failure{e.Name(), err})
		if stop || !passable(err) {
			return failedIn(failed, len(failed)-1)
		}
	}
	if len(failed) == 0 {
		return chat.Invalid("Fallback", "has no engines")
	}
	return failedIn(failed, soonest(failed))
}

// requestFor is what an engine is asked: another than the first has its own
// model, if it has a default.
func requestFor(e engine.Engine, req *chat.Request, other bool) *chat.Request {
	if !other || req == nil || req.Model == "" {
		return req
	}
	unnamed := *req
	unnamed.Model = ""
	_, err := e.Plan(&unnamed)
	if bad, ok := errors.AsType[*chat.Error](err); ok && errors.Is(bad.Kind, chat.ErrInvalid) && bad.Param == "Model" {
		return req
	}
	return &unnamed
}

// ended reports whether the caller's context is why there is no next attempt. Its
// error is then visible beside the engine's.
func ended(ctx context.Context, err error) (bool, error) {
	over := ctx.Err()
	if over == nil || errors.Is(err, over) {
		return over != nil, err
	}
	return true, fmt.Errorf("%w; no further engine: %w", err, over)
}

// finalKinds are the kinds of error that another engine can't or shouldn't mend.
var finalKinds = []error{
	chat.ErrInvalid, chat.ErrBadRequest, chat.ErrFiltered, chat.ErrToolChoiceUnmet, chat.ErrOutputUnmet,
	chat.ErrMalformedCall, chat.ErrStreamUsed,
}

// passable reports whether the next engine should be asked. A refusal counts,
// whatever stands beside it: an engine that learned from a 400 joins the two.
func passable(err error) bool {
	return errors.Is(err, chat.ErrUnsupported) ||
		!slices.ContainsFunc(finalKinds, func(kind error) bool { return errors.Is(err, kind) })
}

// soonest is the place of the error that is worth a new try soonest; if none is,
// that of the first.
func soonest(failed []failure) int {
	place, wait := 0, int64(-1)
	for i, f := range failed {
		e, ok := errors.AsType[*chat.Error](f.err)
		if ok && e.Retryable && (wait < 0 || int64(e.RetryAfter) < wait) {
			place, wait = i, int64(e.RetryAfter)
		}
	}
	return place
}

// failedIn is the error of a call for which several engines failed; front is the
// place of the one that errors.As finds first.
func failedIn(failed []failure, front int) error {
	if len(failed) == 1 {
		return failed[0].err
	}
	e := &joined{errs: make([]error, 0, len(failed))}
	texts := make([]string, len(failed))
	e.errs = append(e.errs, failed[front].err)
	for i, f := range failed {
		texts[i] = f.text()
		if i != front {
			e.errs = append(e.errs, f.err)
		}
	}
	e.text = fmt.Sprintf("each of %d engines failed: %s", len(failed), strings.Join(texts, "; "))
	return e
}

// text names the engine, which most errors do themselves.
func (f failure) text() string {
	return f.engine + ": " + strings.TrimPrefix(f.err.Error(), f.engine+": ")
}

// joined is several errors on one line, the one that matters first.
type joined struct {
	errs []error
	text string
}

func (j *joined) Error() string { return j.text }

func (j *joined) Unwrap() []error { return j.errs }

// passedOver begins the warning about an engine that another stood in for.
const passedOver = "passed over "

// stoodIn reports whether a reply may be another engine's than the plan's.
func stoodIn(r *chat.Reply) bool {
	return slices.ContainsFunc(r.Warnings, func(w chat.Warning) bool { return strings.HasPrefix(w.Message, passedOver) })
}

// withWarnings is a copy of a reply that tells who was passed over: the engine's
// own may be shared.
func withWarnings(r *chat.Reply, passed []failure) *chat.Reply {
	if len(passed) == 0 || r == nil {
		return r
	}
	told := *r
	told.Warnings = make([]chat.Warning, 0, len(passed)+len(r.Warnings))
	for _, f := range passed {
		told.Warnings = append(told.Warnings, chat.Warning{Message: passedOver + f.text()})
	}
	told.Warnings = append(told.Warnings, r.Warnings...)
	return &told
}
