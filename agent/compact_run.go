package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// memory is what a run has to remember about its history beyond the messages.
// It is plain JSON: a run that is stored and resumed elsewhere keeps it beside
// them.
type memory struct {
	// Past is what was said up to the last compaction, as it was said.
	Past []chat.Message `json:"past,omitempty"`
	// Fresh is the first message of the working history that Past doesn't hold.
	Fresh int `json:"fresh,omitempty"`
	// Steps is how many steps there were then: their usage says nothing about
	// the history of now.
	Steps int `json:"steps,omitempty"`
	// Ratio is the meter's.
	Ratio float64 `json:"ratio,omitempty"`
	// Refused is the size in tokens of the last request that the provider refused
	// as too long; 0: none.
	Refused int `json:"refused,omitempty"`
	// Again is the size in tokens up to which nothing more is tried, so that a
	// history that can't be made short enough doesn't lose its cached prefix in
	// each step.
	Again int `json:"again,omitempty"`

	meter   meter
	learned int // steps that the meter knows
}

// lasting is the memory without what can be worked out again.
func (m memory) lasting() memory {
	m.meter, m.learned = meter{}, 0
	return m
}

// archive is everything that was said; nil where nothing is ever left out.
func (r *run) archive() []chat.Message {
	if r.agent.Compact == nil {
		return nil
	}
	return slices.Concat(r.memory.Past, r.result.Messages[r.memory.Fresh:])
}

// compact shortens the working history if the next request would be too large.
func (r *run) compact(ctx context.Context) error {
	c := r.agent.Compact
	if c == nil {
		return nil
	}
	before, b := r.measure(), c.bounds(r.agent.Request.MaxTokens, r.memory.Refused)
	if before <= max(b.limit, r.memory.Again) {
		return nil
	}
	_, err := r.shorten(ctx, b, before)
	return err
}

// askFitting asks, and once more with a shorter history if the provider says
// that the request is too long.
func (r *run) askFitting(ctx context.Context, t *turn, s *StepResult) error {
	err := r.ask(ctx, *t, s)
	c := r.agent.Compact
	if c == nil || !errors.Is(err, chat.ErrTooLong) || s.Reply != nil || len(s.Paused) > 0 {
		return err
	}
	before := r.measure()
	r.memory.Refused = before
	b := c.bounds(r.agent.Request.MaxTokens, before)
	b.most = b.limit
	shorter, failed := r.shorten(ctx, b, before)
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

// measure is the size of the next request in tokens.
func (r *run) measure() int {
	m, res := &r.memory, r.result
	if m.meter.sums == nil {
		m.meter = r.newMeter()
	}
	if n := len(res.Steps); n > max(m.Steps, m.learned) {
		m.learned = n
		m.meter.learn(res.Messages, res.Steps[n-1].Reply)
		m.Ratio = m.meter.ratio
	}
	return m.meter.tokens(res.Messages)
}

func (r *run) newMeter() meter {
	req := r.agent.Request
	req.System, req.Tools = joinSystem(r.agent.System, req.System), r.defs
	return newMeter(headUnits(&req), r.memory.Ratio)
}

// shorten makes the working history fit, as far as it can, and reports whether
// it is shorter. An error ends the run.
func (r *run) shorten(ctx context.Context, b bounds, before int) (bool, error) {
	req, m := &r.agent.Request, &r.memory
	size := m.meter.upTo(r.result.Messages, len(r.result.Messages))
	d := newDraft(r.result.Messages, max(len(req.Messages), req.Cache.Messages), size, before)
	ev := Compacted{Step: len(r.result.Steps), Before: before}
	for _, pass := range []struct{ keep, over int }{{r.agent.Compact.keep(), b.goal}, {1, b.limit}} {
		if d.tokens() <= pass.over {
			break
		}
		end := tail(d.messages, pass.keep)
		d.drop(end, b.goal)
		if d.tokens() <= b.goal || d.summed > 0 || ev.Err != nil {
			continue
		}
		if ev.Err = r.summarise(ctx, d, end, b, &ev); ctx.Err() != nil {
			return false, r.ended(ctx, context.Cause(ctx))
		}
	}
	d.drop(len(d.messages), b.most)
	shorter := d.dropped+d.summed > 0
	if shorter {
		r.adopt(d)
	}
	ev.After, ev.Dropped, ev.Summarised = m.meter.tokens(r.result.Messages), d.dropped, d.summed
	m.Again = min(ev.After+b.limit/8, b.most)
	if (shorter || ev.Err != nil) && !r.tell(ev) {
		return shorter, errGone
	}
	return shorter, r.limits(ctx)
}

// summarise puts a summary in the place of the messages before end, if it is
// shorter. An outline stands in for one that can't be had, once there is no
// other way.
func (r *run) summarise(ctx context.Context, d *draft, end int, b bounds, ev *Compacted) error {
	c := r.agent.Compact
	// The summary is made of what the messages were before results were left out.
	old := r.result.Messages[d.fixed:max(end, d.fixed)]
	if len(old) <= len(carried(old))+1 {
		return nil
	}
	if c.Model == nil {
		if d.tokens() > b.limit {
			d.replace(end, outline(old))
		}
		return nil
	}
	room := int(unitBytes * float64(b.most) / 2 / max(r.memory.Ratio, 1))
	text, reply, err := c.summarise(ctx, old, room, max(b.goal/6, leastWords))
	if reply != nil {
		r.pay(reply, ev)
	}
	if err == nil && !d.replace(end, text) {
		err = errors.New("summary: it is not shorter than what it stands for")
	}
	if err != nil && d.tokens() > b.most {
		d.replace(end, outline(old))
	}
	return err
}

// pay books what a summary cost.
func (r *run) pay(reply *chat.Reply, ev *Compacted) {
	ev.Usage = reply.Usage
	if r.agent.Price != nil {
		ev.Cost = r.agent.Price(reply)
	}
	r.result.Usage.Add(ev.Usage)
	r.result.Cost += ev.Cost
}

// adopt makes a draft the working history.
func (r *run) adopt(d *draft) {
	m := &r.memory
	m.Past = append(m.Past, r.result.Messages[m.Fresh:]...)
	r.result.Messages = r.sayable(d)
	m.Fresh, m.Steps = len(r.result.Messages), len(r.result.Steps)
	m.Ratio = d.scale
	m.meter = r.newMeter()
}

// sayable is a draft without the thoughts that don't hold any more. A planner
// that insists on the thought of an open tool loop does so for models that bind
// a thought to nothing else: there all of them stay.
func (r *run) sayable(d *draft) []chat.Message {
	bare, some := withoutBound(d.messages, d.changed)
	if !some {
		return d.messages
	}
	r.result.Messages = bare
	t, err := r.prepare()
	if err != nil {
		return bare
	}
	p, ok := t.planner()
	if !ok {
		return bare
	}
	plan, err := p.Plan(t.req)
	off := func(s chat.PlanStep) bool { return s.Kind == chat.StepThinkingOff }
	if errors.Is(err, chat.ErrUnsupported) || err == nil && plan != nil && slices.ContainsFunc(plan.Steps, off) {
		return d.messages
	}
	return bare
}
