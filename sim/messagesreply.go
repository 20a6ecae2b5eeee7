package sim

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// messagesReply writes an answer in the Messages dialect.
type messagesReply struct {
	x       *core.Exchange
	request *messagesRequest
	answer  *core.Answer
	turn    *core.Turn
	id      string
	blocks  []outBlock
}

// outBlock is a content block of the reply: its final form, its empty form
// that opens it in a stream, and the deltas in between.
type outBlock struct {
	whole, empty object
	deltas       []object
}

// build makes the blocks: thought, text, calls.
func (m *messagesReply) build(seed string) {
	if m.answer.Thinking != "" {
		m.blocks = append(m.blocks, m.thinkingBlock())
	}
	if m.answer.Text != "" {
		m.blocks = append(m.blocks, m.textBlock())
	}
	for i, call := range m.answer.Calls {
		if call.ID == "" {
			call.ID = messagesCallID(fmt.Sprint(seed, i))
		}
		m.blocks = append(m.blocks, m.callBlock(call))
	}
}

func (m *messagesReply) thinkingBlock() outBlock {
	shown, sig := m.request.signThought(m.answer.Thinking)
	b := outBlock{
		whole: object{"type": "thinking", "thinking": shown, "signature": sig},
		empty: object{"type": "thinking", "thinking": "", "signature": ""},
	}
	for _, piece := range m.x.CutText(m.turn.Fault, shown, true) {
		b.deltas = append(b.deltas, object{"type": "thinking_delta", "thinking": piece})
	}
	b.deltas = append(b.deltas, object{"type": "signature_delta", "signature": sig})
	return b
}

func (m *messagesReply) textBlock() outBlock {
	b := outBlock{
		whole: object{"type": "text", "text": m.answer.Text, "citations": nil},
		empty: object{"type": "text", "text": "", "citations": nil},
	}
	for _, piece := range m.x.CutText(m.turn.Fault, m.answer.Text, true) {
		b.deltas = append(b.deltas, object{"type": "text_delta", "text": piece})
	}
	return b
}

// callBlock is a call. One without arguments streams an empty text. Source:
// anthropic-sdk-go v2.15.0, messageutil.go, read 2026-11-30.
func (m *messagesReply) callBlock(call core.ToolCall) outBlock {
	args := call.Arguments
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	var input any = args
	if !json.Valid(args) {
		input = string(args)
	}
	caller := object{"type": "direct"}
	b := outBlock{
		whole:  object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": input, "caller": caller},
		empty:  object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": object{}, "caller": caller},
		deltas: []object{{"type": "input_json_delta", "partial_json": ""}},
	}
	if string(args) == "{}" {
		return b
	}
	parts := m.x.CutText(m.turn.Fault, string(args), false)
	if m.turn.Fault.WholeCalls {
		parts, b.deltas = []string{string(args)}, nil
	}
	for _, piece := range parts {
		b.deltas = append(b.deltas, object{"type": "input_json_delta", "partial_json": piece})
	}
	return b
}

// Whole is the unstreamed reply.
func (m *messagesReply) Whole() object {
	content := make([]any, len(m.blocks))
	for i, b := range m.blocks {
		content[i] = b.whole
	}
	doc := m.envelope(content)
	maps.Copy(doc, m.stopped())
	doc["usage"] = m.fullUsage(m.answer.Usage.Output, m.answer.Usage.Reasoning)
	return doc
}

func (m *messagesReply) envelope(content []any) object {
	return object{
		"id": m.id, "type": "message", "role": "assistant", "model": m.request.Model, "content": content,
		"stop_reason": nil, "stop_sequence": nil, "stop_details": nil, "container": nil, "diagnostics": nil,
	}
}

// stopped says why the reply ended. Source: anthropic-sdk-go v2.15.0,
// message.go, read 2026-11-30.
func (m *messagesReply) stopped() object {
	reason := m.answer.Finish
	doc := object{"stop_sequence": nil, "stop_details": nil, "container": nil}
	switch reason {
	case "stop":
		reason = "end_turn"
		if m.answer.Stop != "" {
			reason, doc["stop_sequence"] = "stop_sequence", m.answer.Stop
		}
	case "tool_calls":
		reason = "tool_use"
	case "length":
		reason = "max_tokens"
	case "refusal":
		doc["stop_details"] = object{"type": "refusal", "category": nil, "explanation": nil}
	}
	doc["stop_reason"] = reason
	return doc
}

// usage counts as the dialect does: the input without what the cache served.
func (m *messagesReply) usage(output, thinking int) object {
	u := m.answer.Usage
	return object{
		"input_tokens":                u.Input - u.Cached - u.CacheWrite,
		"cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.Cached,
		"output_tokens": output, "output_tokens_details": object{"thinking_tokens": thinking}, "server_tool_use": nil,
	}
}

func (m *messagesReply) fullUsage(output, thinking int) object {
	u := m.usage(output, thinking)
	u["cache_creation"] = object{"ephemeral_5m_input_tokens": m.answer.Usage.CacheWrite, "ephemeral_1h_input_tokens": 0}
	u["service_tier"], u["inference_geo"], u["speed"] = "standard", "global", "standard"
	return u
}

// Stream writes the reply as events, from message_start to message_stop.
func (m *messagesReply) Stream() {
	s := &messagesStream{m, m.x.OpenSSE(m.turn.Fault, "\n")}
	start := m.envelope([]any{})
	start["usage"] = m.fullUsage(1, 0)
	s.send("message_start", object{"message": start})
	s.send("ping", object{})
	s.content()
	s.send("message_delta", object{"delta": m.stopped(), "usage": m.usage(m.answer.Usage.Output, m.answer.Usage.Reasoning)})
	if !m.turn.Fault.NoEndMark {
		s.send("message_stop", object{})
	}
}

type messagesStream struct {
	*messagesReply
	out *core.SSE
}

// content writes the blocks one by one; interleaved calls are open together.
func (s *messagesStream) content() {
	blocks := s.blocks
	if s.turn.Fault.Interleave {
		n := len(blocks) - len(s.answer.Calls)
		s.interleaved(n)
		return
	}
	s.inOrder(blocks)
}

func (s *messagesStream) inOrder(blocks []outBlock) {
	for i, b := range blocks {
		s.start(i, b)
		for _, d := range b.deltas {
			s.delta(i, d)
		}
		s.send("content_block_stop", object{"index": i})
	}
}

// interleaved writes the first n blocks in order and the others side by side.
func (s *messagesStream) interleaved(n int) {
	s.inOrder(s.blocks[:n])
	type step struct {
		index int
		delta object
	}
	queues := make([][]step, 0, len(s.blocks)-n)
	for i, b := range s.blocks[n:] {
		s.start(n+i, b)
		var q []step
		for _, d := range b.deltas {
			q = append(q, step{n + i, d})
		}
		queues = append(queues, q)
	}
	for _, st := range core.Interleave(queues) {
		s.delta(st.index, st.delta)
	}
	for i := len(s.blocks) - 1; i >= n; i-- {
		s.send("content_block_stop", object{"index": i})
	}
}

func (s *messagesStream) start(i int, b outBlock) {
	s.send("content_block_start", object{"index": i, "content_block": b.empty})
}

func (s *messagesStream) delta(i int, d object) {
	s.send("content_block_delta", object{"index": i, "delta": d})
}

// send writes one event, or the scripted failure where it is due.
func (s *messagesStream) send(name string, doc object) {
	if s.turn.Fail != nil && s.out.FailureDue() {
		s.out.WriteJSON("error", anthropicError(s.turn.Fail.MakeRefusal(), s.x.ID))
		s.out.Ended = true
		return
	}
	doc["type"] = name
	s.out.WriteJSON(name, doc)
}
