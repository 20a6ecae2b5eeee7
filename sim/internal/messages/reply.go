package messages

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// reply writes an answer in the Messages dialect.
type reply struct {
	x       *core.Exchange
	request *Request
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

func (m *reply) buildBlocks(seed string) {
	if m.answer.Thinking != "" {
		m.blocks = append(m.blocks, m.encodeThought())
	}
	if m.answer.Text != "" {
		m.blocks = append(m.blocks, m.encodeText())
	}
	for i, call := range m.answer.Calls {
		if call.ID == "" {
			call.ID = MakeCallID(fmt.Sprint(seed, i))
		}
		m.blocks = append(m.blocks, m.encodeCall(call))
	}
}

func (m *reply) encodeThought() outBlock {
	shown, sig := m.request.SignThought(m.answer.Thinking)
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

func (m *reply) encodeText() outBlock {
	b := outBlock{
		whole: object{"type": "text", "text": m.answer.Text, "citations": nil},
		empty: object{"type": "text", "text": "", "citations": nil},
	}
	for _, piece := range m.x.CutText(m.turn.Fault, m.answer.Text, true) {
		b.deltas = append(b.deltas, object{"type": "text_delta", "text": piece})
	}
	return b
}

// encodeCall is a call. One without arguments streams an empty text. Source:
// anthropic-sdk-go v2.15.0, messageutil.go, read 2026-11-30.
func (m *reply) encodeCall(call core.ToolCall) outBlock {
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
func (m *reply) Whole() object {
	content := make([]any, len(m.blocks))
	for i, b := range m.blocks {
		content[i] = b.whole
	}
	doc := m.encodeEnvelope(content)
	maps.Copy(doc, m.encodeStop())
	doc["usage"] = m.encodeFullUsage(m.answer.Usage.Output, m.answer.Usage.Reasoning)
	return doc
}

func (m *reply) encodeEnvelope(content []any) object {
	return object{
		"id": m.id, "type": "message", "role": "assistant", "model": m.request.Model, "content": content,
		"stop_reason": nil, "stop_sequence": nil, "stop_details": nil, "container": nil, "diagnostics": nil,
	}
}

// encodeStop says why the reply ended. Source: anthropic-sdk-go v2.15.0,
// message.go, read 2026-11-30.
func (m *reply) encodeStop() object {
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

// encodeUsage counts as the dialect does: the input without what the cache served.
func (m *reply) encodeUsage(output, thinking int) object {
	u := m.answer.Usage
	return object{
		"input_tokens":                u.Input - u.Cached - u.CacheWrite,
		"cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.Cached,
		"output_tokens": output, "output_tokens_details": object{"thinking_tokens": thinking}, "server_tool_use": nil,
	}
}

func (m *reply) encodeFullUsage(output, thinking int) object {
	u := m.encodeUsage(output, thinking)
	u["cache_creation"] = object{"ephemeral_5m_input_tokens": m.answer.Usage.CacheWrite, "ephemeral_1h_input_tokens": 0}
	u["service_tier"], u["inference_geo"], u["speed"] = "standard", "global", "standard"
	return u
}

// object is a JSON object to be sent.
type object = map[string]any
