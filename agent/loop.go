package agent

import (
	"context"
	"fmt"
	"iter"
)

// Loop runs a runner again and again. The first round gets the input, each
// further one the answer of the one before it, as a user's message. It stops at
// a round that does not end well, with its reason. See [Sequential] for results,
// states and events; [Result.Runs] are the rounds.
type Loop struct {
	Runner Runner
	// Until ends the flow after a round, which counts from 0; nil: it ends after
	// Rounds. It is asked once about each.
	Until func(ctx context.Context, round int, result *Result) bool
	// Rounds is the most rounds; 0: 10. Where Until has not been true by then, the
	// flow stops with StopRounds.
	Rounds int
}

// defaultRounds is Loop.Rounds where it is 0.
const defaultRounds = 10

// Start implements [Runner].
func (l Loop) Start(ctx context.Context, s Start) iter.Seq2[Event, error] {
	return l.plot().events(ctx, s)
}

func (l Loop) plot() plot { return plot{"loop", []Runner{l.Runner}, l.work} }

func (l Loop) work(ctx context.Context, f *flow) error {
	rounds := l.Rounds
	if rounds <= 0 {
		rounds = defaultRounds
	}
	input := f.input
	for i := range rounds {
		if err := f.next(ctx, l.Runner, input); err != nil {
			return err
		}
		if l.over(ctx, f, i) {
			return nil
		}
		input = handOn(f.last)
	}
	if l.Until == nil {
		return nil
	}
	return &StopError{
		Reason: StopRounds, Step: rounds - 1, Result: f.result,
		Err: fmt.Errorf("after %d rounds it is not done", rounds),
	}
}

// over asks whether the round was the last. About those that a resumed flow has
// been asked about, its state tells: another round came, or the flow ended.
func (l Loop) over(ctx context.Context, f *flow, round int) bool {
	last := len(f.before) - 1
	switch {
	case round < last:
		return false
	case round == last && f.reason.ended():
		return true
	case round == last && f.reason == StopRounds:
		return false
	}
	return l.Until != nil && l.Until(ctx, round, f.last)
}
