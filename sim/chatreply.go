package sim

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// chatReply writes an answer in the Chat Completions dialect.
type chatReply struct {
	x       *core.Exchange
	persona *chatPersona
	request *chatRequest
	answer  *core.Answer
	turn    *core.Turn
	id      string
	parts   bool   // thoughts are parts of the content
	member  string // thoughts stand in this member
}

// style fits the answer to the provider: ids of calls, place of the thoughts.
func (c *chatReply) style(seed string) {
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
func (c *chatReply) Whole() object {
	choice := object{"index": 0, "message": c.message(), "finish_reason": c.finish()}
	doc := c.envelope("chat.completion", choice)
	doc["usage"] = c.usage()
	if c.persona.style.logprobs {
		choice["logprobs"] = nil
	}
	if c.persona.style.xGroq {
		doc["x_groq"] = object{"id": c.x.ID}
	}
	return doc
}

// envelope is what whole replies and chunks share.
func (c *chatReply) envelope(kind string, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	doc := object{"id": c.replyID(), "object": kind, "created": core.Created, "model": c.request.Model, "choices": choices}
	maps.Copy(doc, c.persona.style.extras)
	return doc
}

func (c *chatReply) replyID() string {
	if c.persona.style.replyID != nil {
		return c.persona.style.replyID(c.id)
	}
	return "chatcmpl-" + c.id
}

// uuidOf is an id in the form of a UUID.
func uuidOf(id string) string {
	hex := fmt.Sprintf("%032x", []byte(id + "sim0")[:16])
	return hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-8" + hex[17:20] + "-" + hex[20:32]
}

// message is the assistant's message.
func (c *chatReply) message() object {
	st := &c.persona.style
	msg := object{"role": "assistant", "content": c.content()}
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
			calls[i] = c.call(i, call, st.indexedCalls)
		}
		msg["tool_calls"] = calls
	}
	return msg
}

func (c *chatReply) content() any {
	switch {
	case c.parts:
		parts := []any{thinkingPart(c.answer.Thinking)}
		if c.answer.Text != "" {
			parts = append(parts, object{"type": "text", "text": c.answer.Text})
		}
		return parts
	case c.answer.Text == "" && len(c.answer.Calls) > 0:
		return c.persona.style.emptyContent
	}
	return c.answer.Text
}

// thinkingPart is Mistral's place for thoughts. Source: Mistral, "Reasoning",
// read 2026-11-30.
func thinkingPart(text string) object {
	return object{"type": "thinking", "thinking": []any{object{"type": "text", "text": text}}}
}

// call is one whole call.
func (c *chatReply) call(i int, call core.ToolCall, indexed bool) object {
	out := object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": string(call.Arguments)}}
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

func (c *chatReply) isCustom(name string) bool {
	for _, t := range c.request.Tools {
		if t.Custom != nil && t.name() == name {
			return true
		}
	}
	return false
}

// finish is the finish reason on this wire.
func (c *chatReply) finish() string {
	if c.answer.Finish == "refusal" {
		return "stop"
	}
	return c.answer.Finish
}

// usage counts as the dialect does: totals that include the details.
func (c *chatReply) usage() object {
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
