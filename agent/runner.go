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
// [Parallel] and [Loop], with [Func] between them. [Run], [Stream], [Resume] and
// [ResumeStream] run it.
type Runner interface {
	// Start returns the events of one run. Nothing happens before the first range,
	// which may happen once. An error, a *[StopError] with the partial result,
	// comes last, with a nil event; success ends with a [Done]. Breaking out of the
	// range ends the run and waits for what it has started. See [NewStream].
	Start(ctx context.Context, s Start) iter.Seq2[Event, error]
}

// Start says how a run begins, and holds what a run takes over from the one
// around it: a flow starts its runs with a copy of its own Start, but for Input,
// State and Verdicts. The zero Start begins a run without input.
type Start struct {
	// Input is the conversation of a new run; it is not used with State.
	Input []chat.Message
	// State is that of a run to go on with, as for [Agent.Resume]; nil: a new run
	// begins. Verdicts decide about its calls.
	State    json.RawMessage
	Verdicts []Verdict
	// Unstreamed makes the run ask for whole replies, as Agent.Unstreamed does.
	Unstreamed bool
	// Quiet says that only the last event matters: those of runs inside of this one
	// may be left out.
	Quiet bool
	// Runtime is for a run that has none of its own; nil: it is an ordinary process.
	Runtime Runtime
}

// Run runs r on the input; see [Agent.Run]. The result is never nil.
func Run(ctx context.Context, r Runner, input ...chat.Message) (*Result, error) {
	return Collect(r.Start(ctx, Start{Input: input, Unstreamed: true, Quiet: true}))
}

// Stream runs r on the input and gives the events as they come; see
// [Agent.Stream].
func Stream(ctx context.Context, r Runner, input ...chat.Message) iter.Seq2[Event, error] {
	return r.Start(ctx, Start{Input: input})
}

// Resume goes on with a run of r from its state; see [Agent.Resume]. The result is
// never nil.
func Resume(ctx context.Context, r Runner, state json.RawMessage, verdicts ...Verdict) (*Result, error) {
	return Collect(r.Start(ctx, Start{State: given(state), Verdicts: verdicts, Unstreamed: true, Quiet: true}))
}

// ResumeStream is [Resume] with the events as they come.
func ResumeStream(ctx context.Context, r Runner, state json.RawMessage, verdicts ...Verdict) iter.Seq2[Event, error] {
	return r.Start(ctx, Start{State: given(state), Verdicts: verdicts})
}

// given makes a missing state one that is refused: it must not begin a new run.
func given(state json.RawMessage) json.RawMessage {
	if state == nil {
		return json.RawMessage{}
	}
	return state
}

// Collect ranges over the events of a run and returns its result, which is never
// nil: beside a *[StopError], it is the partial one.
func Collect(events iter.Seq2[Event, error]) (*Result, error) {
	result, err := collect(events, ignore)
	if result == nil {
		result = &Result{}
	}
	return result, err
}

func ignore(Event) bool { return true }

// collect is Collect with a listener. It fails with errGone when tell takes no
// more events; the result is nil where there is none.
func collect(events iter.Seq2[Event, error], tell func(Event) bool) (*Result, error) {
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

// NewStream is for types that implement [Runner]: it makes what Start returns of a
// function that does the work, hands the events over by yield and returns the
// result. When yield returns false nobody takes more events, and run should
// return: what it returns is then not used.
func NewStream(run func(yield func(Event) bool) (*Result, error)) iter.Seq2[Event, error] {
	var used atomic.Bool
	return func(yield func(Event, error) bool) {
		if used.Swap(true) {
			yield(nil, chat.ErrStreamUsed)
			return
		}
		gone := false
		result, err := run(func(ev Event) bool {
			gone = gone || !yield(ev, nil)
			return !gone
		})
		switch {
		case gone:
		case err != nil:
			yield(nil, err)
		default:
			yield(Done{result}, nil)
		}
	}
}
