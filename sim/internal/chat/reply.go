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
func (c *reply) applyStyle(seed string) {
	st := &c.persona.style
	for i := range c.answer.Calls {
		call := &c.answer.Calls[i]
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
	if c.answer.Thinking == "" {
		return
	}
	switch st.thoughts(c.request) {
	case thoughtsReasoningContent:
		c.member = "reasoning_content"
	case thoughtsReasoning:
		c.member = "reasoning"
	case thoughtsTags:
		c.answer.Text = "<think>\n" + c.answer.Thinking + "\n</think>\n\n" + c.answer.Text
	case thoughtsParts:
		c.parts = true
	case thoughtsHidden:
	}
}

// Whole is the unstreamed reply.
func (c *reply) Whole() object {
	choice := object{"index": 0, "message": c.encodeMessage(), "finish_reason": c.finishReason()}
	doc := c.encodeEnvelope("chat.completion", choice)
	doc["usage"] = c.encodeUsage()
	if c.persona.style.logprobs {
		choice["logprobs"] = nil
	}
	if c.persona.style.xGroq {
		doc["x_groq"] = object{"id": c.x.ID}
	}
	return doc
}

// encodeEnvelope makes what whole replies and chunks share.
func (c *reply) encodeEnvelope(kind string, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	doc := object{
		"id": c.makeReplyID(), "object": kind, "created": core.Created, "model": c.request.Model, "choices": choices,
	}
	maps.Copy(doc, c.persona.style.extras)
	return doc
}

func (c *reply) makeReplyID() string {
	if c.persona.style.replyID != nil {
		return c.persona.style.replyID(c.id)
	}
	return "chatcmpl-" + c.id
}

func formatUUID(id string) string {
	hex := fmt.Sprintf("%032x", []byte(id + "sim0")[:16])
	return hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-8" + hex[17:20] + "-" + hex[20:32]
}

func (c *reply) encodeMessage() object {
	st := &c.persona.style
	msg := object{"role": "assistant", "content": c.encodeContent()}
	if st.openai {
		msg["refusal"], msg["annotations"] = nil, []any{}
		if c.answer.Refusal {
			msg["refusal"], msg["content"] = c.answer.Text, nil
		}
	}
	if c.member != "" {
		msg[c.member] = c.answer.Thinking
	}
	if len(c.answer.Calls) > 0 {
		calls := make([]any, len(c.answer.Calls))
		for i, call := range c.answer.Calls {
			calls[i] = c.encodeCall(i, call, st.indexedCalls)
		}
		msg["tool_calls"] = calls
	}
	return msg
}

func (c *reply) encodeContent() any {
	switch {
	case c.parts:
		parts := []any{encodeThinkingPart(c.answer.Thinking)}
		if c.answer.Text != "" {
			parts = append(parts, object{"type": "text", "text": c.answer.Text})
		}
		return parts
	case c.answer.Text == "" && len(c.answer.Calls) > 0:
		return c.persona.style.emptyContent
	}
	return c.answer.Text
}

// encodeThinkingPart is Mistral's place for thoughts. Source: Mistral, "Reasoning",
// read 2026-11-30.
func encodeThinkingPart(text string) object {
	return object{"type": "thinking", "thinking": []any{object{"type": "text", "text": text}}}
}

func (c *reply) encodeCall(i int, call core.ToolCall, indexed bool) object {
	out := object{
		"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": string(call.Arguments)},
	}
	if c.isCustom(call.Name) {
		input, _ := jsondoc.Text(call.Arguments)
		delete(out, "function")
		out["type"], out["custom"] = "custom", object{"name": call.Name, "input": input}
	}
	if c.persona.style.untypedCalls {
		delete(out, "type")
	}
	if indexed && !c.turn.Fault.NoIndex {
		out["index"] = i
	}
	return out
}

func (c *reply) isCustom(name string) bool {
	for _, t := range c.request.Tools {
		if t.Custom != nil && t.name() == name {
			return true
		}
	}
	return false
}

func (c *reply) finishReason() string {
	if c.answer.Finish == "refusal" {
		return "stop"
	}
	return c.answer.Finish
}

// encodeUsage counts as the dialect does: totals that include the details.
func (c *reply) encodeUsage() object {
	u := c.answer.Usage
	doc := object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output}
	if c.persona.style.usageDetails != nil {
		c.persona.style.usageDetails(doc, u)
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
