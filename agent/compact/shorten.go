package compact

import (
	"context"
	"errors"
	"slices"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
)

// Begin implements [agent.Compactor].
func (c Compactor) Begin(template *chat.Request, memory *agent.Memory) (agent.Shortener, error) {
	if err := c.check(template); err != nil {
		return nil, err
	}
	return &shortener{compact: c, memory: memory}, nil
}

// shortener is a Compactor at work on one run.
type shortener struct {
	compact Compactor
	memory  *agent.Memory
	meter   meter
	learned int // steps that the meter knows
}

// Shorten makes the working history fit, as far as it can.
func (s *shortener) Shorten(ctx context.Context, h agent.History) (*agent.Shortened, error) {
	before := s.measure(h)
	if h.TooLong {
		s.memory.Refused = before
	}
	b := s.compact.bounds(h.Request.MaxTokens, s.memory.Refused)
	switch {
	case h.TooLong:
		b.most = b.limit
	case before <= max(b.limit, s.memory.Again):
		return nil, nil
	}
	messages := h.Request.Messages
	d := newDraft(messages, h.Fixed, s.meter.upTo(messages, len(messages)), before)
	out := &agent.Shortened{Event: agent.Compacted{Before: before}}
	for _, pass := range []struct{ keep, over int }{{s.compact.keep(), b.goal}, {1, b.limit}} {
		if d.tokens() <= pass.over {
			break
		}
		end := tail(d.messages, pass.keep)
		d.drop(end, b.goal)
		if d.tokens() <= b.goal || d.summed > 0 || out.Event.Err != nil {
			continue
		}
		if out.Reply, out.Event.Err = s.summarise(ctx, d, messages, end, b); ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	d.drop(len(d.messages), b.most)
	if d.dropped+d.summed > 0 {
		out.Messages = sayable(d, h)
		s.memory.Steps, s.memory.Ratio = len(h.Steps), d.scale
		s.meter = newMeter(headUnits(&h.Request), d.scale)
		messages = out.Messages
	}
	out.Event.After, out.Event.Dropped, out.Event.Summarised = s.meter.tokens(messages), d.dropped, d.summed
	s.memory.Again = min(out.Event.After+b.limit/8, b.most)
	return out, nil
}

// measure is the size of the next request in tokens.
func (s *shortener) measure(h agent.History) int {
	head := headUnits(&h.Request)
	if len(s.meter.sums) == 0 || s.meter.sums[0] != head {
		s.meter = newMeter(head, s.memory.Ratio)
	}
	if n := len(h.Steps); n > max(s.memory.Steps, s.learned) {
		s.learned = n
		s.meter.learn(h.Request.Messages, h.Steps[n-1].Reply)
		s.memory.Ratio = s.meter.ratio
	}
	return s.meter.tokens(h.Request.Messages)
}

// summarise puts a summary in the place of the messages before end, if it is
// shorter. An outline stands in for one that can't be had, once there is no
// other way. whole are the messages as they were before results were left out,
// of which the summary is made.
func (s *shortener) summarise(ctx context.Context, d *draft, whole []chat.Message, end int, b bounds) (*chat.Reply, error) {
	c, old := s.compact, whole[d.fixed:max(end, d.fixed)]
	if len(old) <= len(carried(old))+1 {
		return nil, nil
	}
	if c.Model == nil {
		if d.tokens() > b.limit {
			d.replace(end, outline(old))
		}
		return nil, nil
	}
	room := int(unitBytes * float64(b.most) / 2 / max(s.memory.Ratio, 1))
	text, reply, err := c.summarise(ctx, old, room, max(b.goal/6, leastWords))
	if err == nil && !d.replace(end, text) {
		err = errors.New("summary: it is not shorter than what it stands for")
	}
	if err != nil && d.tokens() > b.most {
		d.replace(end, outline(old))
	}
	return reply, err
}

// sayable is a draft without the thoughts that don't hold any more. A planner
// that insists on the thought of an open tool loop does so for models that bind
// a thought to nothing else: there all of them stay.
func sayable(d *draft, h agent.History) []chat.Message {
	bare, some := withoutBound(d.messages, d.changed)
	if !some {
		return d.messages
	}
	plan, err := h.Plan(bare)
	off := func(s chat.PlanStep) bool { return s.Kind == chat.StepThinkingOff }
	if errors.Is(err, chat.ErrUnsupported) || err == nil && plan != nil && slices.ContainsFunc(plan.Steps, off) {
		return d.messages
	}
	return bare
}
