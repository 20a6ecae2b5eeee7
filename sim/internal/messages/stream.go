package messages

import (
	"github.com/sabir-go/sabir/sim/internal/core"
)

// Stream writes the reply as events, from message_start to message_stop.
func (p *reply) Stream() {
	s := &eventStream{p, p.x.OpenSSE(p.turn.Fault, "\n")}
	start := p.encodeEnvelope([]any{})
	start["usage"] = p.encodeFullUsage(1, 0)
	s.sendEvent("message_start", object{"message": start})
	s.sendEvent("ping", object{})
	s.sendContent()
	s.sendEvent("message_delta",
		object{"delta": p.encodeStop(), "usage": p.encodeUsage(p.answer.Usage.Output, p.answer.Usage.Reasoning)})
	if !p.turn.Fault.NoEndMark {
		s.sendEvent("message_stop", object{})
	}
}

type eventStream struct {
	*reply
	out *core.SSE
}

// sendContent writes the blocks one by one; interleaved calls are open together.
func (s *eventStream) sendContent() {
	blocks := s.blocks
	if s.turn.Fault.Interleave {
		n := len(blocks) - len(s.answer.Calls)
		s.sendInterleaved(n)
		return
	}
	s.sendInOrder(blocks)
}

func (s *eventStream) sendInOrder(blocks []outBlock) {
	for i, b := range blocks {
		s.sendStart(i, b)
		for _, d := range b.deltas {
			s.sendDelta(i, d)
		}
		s.sendEvent("content_block_stop", object{"index": i})
	}
}

// sendInterleaved writes the first n blocks in order and the others side by side.
func (s *eventStream) sendInterleaved(n int) {
	s.sendInOrder(s.blocks[:n])
	type step struct {
		index int
		delta object
	}
	queues := make([][]step, 0, len(s.blocks)-n)
	for i, b := range s.blocks[n:] {
		s.sendStart(n+i, b)
		q := make([]step, 0, len(b.deltas))
		for _, d := range b.deltas {
			q = append(q, step{n + i, d})
		}
		queues = append(queues, q)
	}
	for _, st := range core.Interleave(queues) {
		s.sendDelta(st.index, st.delta)
	}
	for i := len(s.blocks) - 1; i >= n; i-- {
		s.sendEvent("content_block_stop", object{"index": i})
	}
}

func (s *eventStream) sendStart(i int, b outBlock) {
	s.sendEvent("content_block_start", object{"index": i, "content_block": b.empty})
}

func (s *eventStream) sendDelta(i int, d object) {
	s.sendEvent("content_block_delta", object{"index": i, "delta": d})
}

// sendEvent writes one event, or the scripted failure where it is due.
func (s *eventStream) sendEvent(name string, doc object) {
	if s.turn.Fail != nil && s.out.FailureDue() {
		s.out.WriteJSON("error", encodeError(s.turn.Fail.MakeRefusal(), s.x.ID))
		s.out.Ended = true
		return
	}
	doc["type"] = name
	s.out.WriteJSON(name, doc)
}
