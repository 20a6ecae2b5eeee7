package chat

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// reply writes an answer in the Chat Completions dialect.
type reply struct {
	x       *core.Exchange
	persona *Persona
	request *request
	answer  *core.Answer
	turn    *core.Turn
	id      string
	parts   bool   // thoughts are parts of the content
	member  string // thoughts stand in this member
}

// applyStyle fits the answer to the provider: ids of calls, place of the thoughts.
func (p *reply) applyStyle(seed string) {
	st := &p.persona.style
	for i := range p.answer.Calls {
		call := &p.answer.Calls[i]
		if call.ID == "" {
			call.ID = st.callID(fmt.Sprint(seed, i))
		}
		if len(call.Arguments) == 0 {
			call.Arguments = json.RawMessage(`{}`)
		}
		if st.nullArguments && string(call.Arguments) == "{}" {
			call.Arguments = json.RawMessage(`null`)
		}
	}
	if p.answer.Thinking == "" {
		return
	}
	switch st.thoughts(p.request) {
	case thoughtsReasoningContent:
		p.member = "reasoning_content"
	case thoughtsReasoning:
		p.member = "reasoning"
	case thoughtsTags:
		p.answer.Text = "<think>\n" + p.answer.Thinking + "\n</think>\n\n" + p.answer.Text
	case thoughtsParts:
		p.parts = true
	case thoughtsHidden:
	}
}

// Whole is the unstreamed reply.
func (p *reply) Whole() object {
	choice := object{"index": 0, "message": p.encodeMessage(), "finish_reason": p.finishReason()}
	doc := p.encodeEnvelope("chat.completion", choice)
	doc["usage"] = p.encodeUsage()
	if p.persona.style.logprobs {
		choice["logprobs"] = nil
	}
	if p.persona.style.xGroq {
		doc["x_groq"] = object{"id": p.x.ID}
	}
	return doc
}

// encodeEnvelope makes what whole replies and chunks share.
func (p *reply) encodeEnvelope(kind string, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	doc := object{
		"id": p.makeReplyID(), "object": kind, "created": core.Created, "model": p.request.Model, "choices": choices,
	}
	maps.Copy(doc, p.persona.style.extras)
	return doc
}

func (p *reply) makeReplyID() string {
	if p.persona.style.replyID != nil {
		return p.persona.style.replyID(p.id)
	}
	return "chatcmpl-" + p.id
}

func formatUUID(id string) string {
	hex := fmt.Sprintf("%032x", []byte(id + "sim0")[:16])
	return hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-8" + hex[17:20] + "-" + hex[20:32]
}

func (p *reply) encodeMessage() object {
	st := &p.persona.style
	msg := object{"role": "assistant", "content": p.encodeContent()}
	if st.openai {
		msg["refusal"], msg["annotations"] = nil, []any{}
		if p.answer.Refusal {
			msg["refusal"], msg["content"] = p.answer.Text, nil
		}
	}
	if p.member != "" {
		msg[p.member] = p.answer.Thinking
	}
	if len(p.answer.Calls) > 0 {
		calls := make([]any, len(p.answer.Calls))
		for i, call := range p.answer.Calls {
			calls[i] = p.encodeCall(i, call, st.indexedCalls)
		}
		msg["tool_calls"] = calls
	}
	return msg
}

func (p *reply) encodeContent() any {
	switch {
	case p.parts:
		parts := []any{encodeThinkingPart(p.answer.Thinking)}
		if p.answer.Text != "" {
			parts = append(parts, object{"type": "text", "text": p.answer.Text})
		}
		return parts
	case p.answer.Text == "" && len(p.answer.Calls) > 0:
		return p.persona.style.emptyContent
	}
	return p.answer.Text
}

// encodeThinkingPart is Mistral's place for thoughts. Source: Mistral, "Reasoning",
// read 2026-11-30.
func encodeThinkingPart(text string) object {
	return object{"type": "thinking", "thinking": []any{object{"type": "text", "text": text}}}
}

func (p *reply) encodeCall(i int, call core.ToolCall, indexed bool) object {
	out := object{
		"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": string(call.Arguments)},
	}
	if p.isCustom(call.Name) {
		input, _ := jsondoc.Text(call.Arguments)
		delete(out, "function")
		out["type"], out["custom"] = "custom", object{"name": call.Name, "input": input}
	}
	if p.persona.style.untypedCalls {
		delete(out, "type")
	}
	if indexed && !p.turn.Fault.NoIndex {
		out["index"] = i
	}
	return out
}

func (p *reply) isCustom(name string) bool {
	for _, t := range p.request.Tools {
		if t.Custom != nil && t.name() == name {
			return true
		}
	}
	return false
}

func (p *reply) finishReason() string {
	if p.answer.Finish == "refusal" {
		return "stop"
	}
	return p.answer.Finish
}

// encodeUsage counts as the dialect does: totals that include the details.
func (p *reply) encodeUsage() object {
	u := p.answer.Usage
	doc := object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
	if p.persona.style.usageDetails != nil {
		p.persona.style.usageDetails(doc, u)
		return doc
	}
	if u.Cached > 0 {
		doc["prompt_tokens_details"] = object{"cached_tokens": u.Cached}
	}
	if u.Reasoning > 0 {
		doc["completion_tokens_details"] = object{"reasoning_tokens": u.Reasoning}
	}
	return doc
}

// object is a JSON object to be sent.
type object = map[string]any
