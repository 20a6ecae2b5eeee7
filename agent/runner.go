package agent

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/sabir-go/sabir/chat"
)

// Runner is what can be run: an [Agent], or a flow of several: [Sequential],
// [Parallel] and [Loop], with [Func] between them. The methods promise what
// those of Agent do.
type Runner interface {
	Run(ctx context.Context, input ...chat.Message) (*Result, error)
	Stream(ctx context.Context, input ...chat.Message) iter.Seq2[Event, error]
	Resume(ctx context.Context, state json.RawMessage, verdicts ...Verdict) (*Result, error)
	ResumeStream(ctx context.Context, state json.RawMessage, verdicts ...Verdict) iter.Seq2[Event, error]
}

// streamed is a stream of what run does, once; gone: nobody takes its events any
// more.
func streamed(run func(yield func(Event) bool) (result *Result, gone bool, err error)) iter.Seq2[Event, error] {
	var used atomic.Bool
	return func(yield func(Event, error) bool) {
		if used.Swap(true) {
			yield(nil, chat.ErrStreamUsed)
			return
		}
		switch result, gone, err := run(func(ev Event) bool { return yield(ev, nil) }); {
		case gone:
		case err != nil:
			yield(nil, err)
		default:
			yield(Done{result}, nil)
		}
	}
}

// start is how a run inside of another begins: with the input, or from a state.
type start struct {
	input    []chat.Message
	state    json.RawMessage
	verdicts []Verdict
}

// drive runs r and hands its events over; tell is nil where nobody listens. The
// result is never nil.
func drive(ctx context.Context, r Runner, s start, tell func(Event) bool) (*Result, error) {
	var result *Result
	var err error
	switch {
	case tell != nil && s.state != nil:
		result, err = listen(r.ResumeStream(ctx, s.state, s.verdicts...), tell)
	case tell != nil:
		result, err = listen(r.Stream(ctx, s.input...), tell)
	case s.state != nil:
		result, err = r.Resume(ctx, s.state, s.verdicts...)
	default:
		result, err = r.Run(ctx, s.input...)
	}
	if result == nil {
		result = &Result{}
	}
	return result, err
}

// listen hands the events of a run over. It fails with errGone when nobody takes
// them.
func listen(events iter.Seq2[Event, error], tell func(Event) bool) (*Result, error) {
	for ev, err := range events {
		if err != nil {
			if stop, ok := errors.AsType[*StopError](err); ok {
				return stop.Result, err
			}
			return nil, err
		}
		if !tell(ev) {
			return nil, errGone
		}
		if done, ok := ev.(Done); ok {
			return done.Result, nil
		}
	}
	return nil, errors.New("the events of a run ended without agent.Done")
}

// host is what runs inside of a run take over from it.
type host struct {
	runtime Runtime
	whole   bool // replies are not streamed
	depth   int  // how many runs are around it
}

type hostKey struct{}

func hostOf(ctx context.Context) host {
	h, _ := ctx.Value(hostKey{}).(host)
	return h
}

// runtimeOf is the runtime that a run states, or else the one around it.
func runtimeOf(ctx context.Context, stated Runtime) Runtime {
	if stated != nil {
		return stated
	}
	if h := hostOf(ctx); h.runtime != nil {
		return h.runtime.In(ctx)
	}
	return process{}
}
