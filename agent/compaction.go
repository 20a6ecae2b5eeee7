package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// Compactor keeps the conversations of long runs within the model's context
// window. Package compact has one.
type Compactor interface {
	// Begin returns what shortens the history of one run, or an error if it can't be
	// done for requests of that template. memory is zero in a new run and, in one
	// that is resumed, as the Shortener left it.
	Begin(template *chat.Request, memory *Memory) (Shortener, error)
}

// Shortener shortens the history of one run.
type Shortener interface {
	// Shorten is called before each step, and once more if the provider refused the
	// request as too long. It returns nil if nothing was tried. An error ends the
	// run; what comes beside it is not adopted, but paid for.
	Shorten(ctx context.Context, h History) (*Shortened, error)
}

// Memory is what a [Shortener] has to remember of a run beyond the messages. It is
// part of the run's state.
type Memory struct {
	// Steps is how many steps there were when the history was last shortened: their
	// usage says nothing about the history of now.
	Steps int `json:"steps,omitempty"`
	// Ratio is how many tokens the provider counts for one that is estimated; 0: not
	// known yet.
	Ratio float64 `json:"ratio,omitempty"`
	// Refused is the size in tokens of the last request that the provider refused
	// as too long; 0: none.
	Refused int `json:"refused,omitempty"`
	// Again is the size in tokens up to which nothing more is tried, so that a
	// history that can't be made short enough doesn't lose its cached prefix in
	// each step.
	Again int `json:"again,omitempty"`
}

// History is a run between two steps, as a [Shortener] sees it. It belongs to the
// run and must not be changed.
type History struct {
	// Request is the template of the next request, with the agent's instruction and
	// tools. Its Messages are the working history, of which the first Fixed must
	// stay as they are.
	Request chat.Request
	Fixed   int
	// Steps are those before.
	Steps []StepResult
	// TooLong: the provider has refused the request as too long.
	TooLong bool
	// Plan plans the next request with other messages; the plan is nil where the model
	// can't plan.
	Plan func(messages []chat.Message) (*chat.Plan, error)
}

// Shortened is what came of shortening a history.
type Shortened struct {
	// Messages is the new working history; nil: it stays as it was.
	Messages []chat.Message
	// Event says what was done. The run adds Step, Usage and Cost.
	Event Compacted
	// Reply is that of the model call that was made for it; nil: none was.
	Reply *chat.Reply
}

// memory is what a run has to remember about its history beyond the messages.
// It is plain JSON: a run that is stored and resumed elsewhere keeps it beside
// them.
type memory struct {
	// Past is what was said up to the last compaction, as it was said.
	Past []chat.Message `json:"past,omitempty"`
	// Fresh is the first message of the working history that Past doesn't hold.
	Fresh int `json:"fresh,omitempty"`
	Memory
}

// archive is everything that was said; nil where nothing is ever left out.
func (r *run) archive() []chat.Message {
	if r.agent.Compact == nil {
		return nil
	}
	return slices.Concat(r.memory.Past, r.result.Messages[r.memory.Fresh:])
}

// askFitting asks, and once more with a shorter history if the provider says
// that the request is too long.
func (r *run) askFitting(ctx context.Context, t *turn, s *StepResult) error {
	err := r.ask(ctx, *t, s)
	if r.shortener == nil || !errors.Is(err, chat.ErrTooLong) || s.Reply != nil || len(s.Paused) > 0 {
		return err
	}
	shorter, failed := r.shorten(ctx, true)
	switch {
	case failed != nil:
		return failed
	case !shorter:
		return err
	}
	next, failed := r.prepare()
	if failed != nil {
		return r.stop(StopRefused, failed)
	}
	*t, r.result.Reason = next, ""
	return r.ask(ctx, *t, s)
}

// shorten has the history shortened where that is needed, and reports whether it
// is shorter. An error ends the run.
func (r *run) shorten(ctx context.Context, tooLong bool) (shorter bool, err error) {
	if r.shortener == nil {
		return false, nil
	}
	out, err := r.shortener.Shorten(ctx, r.history(tooLong))
	switch {
	case out == nil && err == nil:
		return false, nil
	case out == nil:
		out = &Shortened{}
	}
	ev := out.Event
	ev.Step = len(r.result.Steps)
	if out.Reply != nil {
		ev.Usage = out.Reply.Usage
		if r.agent.Price != nil {
			ev.Cost = r.agent.Price(out.Reply)
		}
		r.result.Usage.Add(ev.Usage)
		r.result.Cost += ev.Cost
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return false, r.ended(ctx, context.Cause(ctx))
	case err != nil:
		return false, r.stop(StopFailed, err)
	}
	shorter = out.Messages != nil
	if shorter {
		m := &r.memory
		m.Past = append(m.Past, r.result.Messages[m.Fresh:]...)
		r.result.Messages, m.Fresh = out.Messages, len(out.Messages)
	}
	if (shorter || ev.Err != nil) && !r.tell(ev) {
		return shorter, errGone
	}
	return shorter, r.limits(ctx)
}

// history is the run as the shortener sees it.
func (r *run) history(tooLong bool) History {
	req := r.agent.Request
	fixed := max(len(req.Messages), req.Cache.Messages)
	req.System, req.Tools, req.Messages = joinSystem(r.agent.System, req.System), r.defs, r.result.Messages
	return History{Request: req, Fixed: fixed, Steps: r.result.Steps, TooLong: tooLong, Plan: r.planWith}
}

// planWith plans the next request with other messages.
func (r *run) planWith(messages []chat.Message) (*chat.Plan, error) {
	had := r.result.Messages
	defer func() { r.result.Messages = had }()
	r.result.Messages = messages
	t, err := r.prepare()
	if err != nil {
		return nil, err
	}
	p, ok := t.planner()
	if !ok {
		return nil, nil
	}
	return p.Plan(t.req)
}
