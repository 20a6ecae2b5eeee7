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

func (p *reply) buildBlocks(seed string) {
	if p.answer.Thinking != "" {
		p.blocks = append(p.blocks, p.encodeThought())
	}
	if p.answer.Text != "" {
		p.blocks = append(p.blocks, p.encodeText())
	}
	for i, call := range p.answer.Calls {
		if call.ID == "" {
			call.ID = MakeCallID(fmt.Sprint(seed, i))
		}
		p.blocks = append(p.blocks, p.encodeCall(call))
	}
}

func (p *reply) encodeThought() outBlock {
	shown, sig := p.request.SignThought(p.answer.Thinking)
	b := outBlock{
		whole: object{"type": "thinking", "thinking": shown, "signature": sig},
		empty: object{"type": "thinking", "thinking": "", "signature": ""},
	}
	for _, piece := range p.x.CutText(p.turn.Fault, shown, true) {
		b.deltas = append(b.deltas, object{"type": "thinking_delta", "thinking": piece})
	}
	b.deltas = append(b.deltas, object{"type": "signature_delta", "signature": sig})
	return b
}

func (p *reply) encodeText() outBlock {
	b := outBlock{
		whole: object{"type": "text", "text": p.answer.Text, "citations": nil},
		empty: object{"type": "text", "text": "", "citations": nil},
	}
	for _, piece := range p.x.CutText(p.turn.Fault, p.answer.Text, true) {
		b.deltas = append(b.deltas, object{"type": "text_delta", "text": piece})
	}
	return b
}

// encodeCall is a call. One without arguments streams an empty text. Source:
// anthropic-sdk-go v2.15.0, messageutil.go, read 2026-11-30.
func (p *reply) encodeCall(call core.ToolCall) outBlock {
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
	parts := p.x.CutText(p.turn.Fault, string(args), false)
	if p.turn.Fault.WholeCalls {
		parts, b.deltas = []string{string(args)}, nil
	}
	for _, piece := range parts {
		b.deltas = append(b.deltas, object{"type": "input_json_delta", "partial_json": piece})
	}
	return b
}

// Whole is the unstreamed reply.
func (p *reply) Whole() object {
	content := make([]any, len(p.blocks))
	for i, b := range p.blocks {
		content[i] = b.whole
	}
	doc := p.encodeEnvelope(content)
	maps.Copy(doc, p.encodeStop())
	doc["usage"] = p.encodeFullUsage(p.answer.Usage.Output, p.answer.Usage.Reasoning)
	return doc
}

func (p *reply) encodeEnvelope(content []any) object {
	return object{
		"id": p.id, "type": "message", "role": "assistant", "model": p.request.Model, "content": content,
		"stop_reason": nil, "stop_sequence": nil, "stop_details": nil, "container": nil, "diagnostics": nil,
	}
}

// encodeStop says why the reply ended. Source: anthropic-sdk-go v2.15.0,
// message.go, read 2026-11-30.
func (p *reply) encodeStop() object {
	reason := p.answer.Finish
	doc := object{"stop_sequence": nil, "stop_details": nil, "container": nil}
	switch reason {
	case "stop":
		reason = "end_turn"
		if p.answer.Stop != "" {
			reason, doc["stop_sequence"] = "stop_sequence", p.answer.Stop
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
func (p *reply) encodeUsage(output, thinking int) object {
	u := p.answer.Usage
	return object{
		"input_tokens":                u.Input - u.Cached - u.CacheWrite,
		"cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.Cached,
		"output_tokens": output, "output_tokens_details": object{"thinking_tokens": thinking}, "server_tool_use": nil,
	}
}

func (p *reply) encodeFullUsage(output, thinking int) object {
	u := p.encodeUsage(output, thinking)
	u["cache_creation"] = object{"ephemeral_5m_input_tokens": p.answer.Usage.CacheWrite, "ephemeral_1h_input_tokens": 0}
	u["service_tier"], u["inference_geo"], u["speed"] = "standard", "global", "standard"
	return u
}

// object is a JSON object to be sent.
type object = map[string]any
