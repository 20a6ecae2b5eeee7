package cohere

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// reply writes an answer of /v2/chat.
type reply struct {
	x       *core.Exchange
	request *request
	answer  *core.Answer
	turn    *core.Turn
	id      string
	plan    string // what is said before calls
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	c := &reply{x: x, request: r, answer: out, turn: t, id: strings.ToLower(core.MakeID(26, x.ID, seed))}
	c.buildCalls(seed)
	return c
}

// buildCalls makes ids and the plan, which models that don't think write before
// their calls. A call without arguments has the text null. Source: vercel/ai,
// packages/cohere, cohere-null-args.json, a recording; read 2026-11-30.
func (c *reply) buildCalls(seed string) {
	calls := c.answer.Calls
	for i := range calls {
		call := &calls[i]
		if call.ID == "" {
			call.ID = call.Name + "_" + core.MakeHexID(12, fmt.Sprint(seed, i))
		}
		if args := string(call.Arguments); args == "" || args == "{}" {
			call.Arguments = json.RawMessage("null")
		}
	}
	if len(calls) == 0 {
		return
	}
	c.plan, c.answer.Text = c.answer.Text, ""
	if c.plan == "" && c.turn.IsDefault() && !c.request.thinks() {
		c.plan = "I will call " + calls[0].Name + "."
	}
}

func (c *reply) finishReason() string {
	switch c.answer.Finish {
	case "stop", "refusal":
		if c.answer.Stop != "" {
			return "STOP_SEQUENCE"
		}
		return "COMPLETE"
	case "tool_calls":
		return "TOOL_CALL"
	case "length":
		return "MAX_TOKENS"
	}
	return c.answer.Finish
}

// encodeUsage: what is billed leaves out what the cache served.
func (c *reply) encodeUsage() object {
	u := c.answer.Usage
	doc := object{
		"billed_units": object{"input_tokens": u.Input - u.Cached, "output_tokens": u.Output},
		"tokens":       object{"input_tokens": u.Input, "output_tokens": u.Output},
	}
	if u.Cached > 0 {
		doc["cached_tokens"] = u.Cached
	}
	return doc
}

func (c *reply) listItems() []object {
	var out []object
	if c.answer.Thinking != "" {
		out = append(out, object{"type": "thinking", "thinking": c.answer.Thinking})
	}
	if c.answer.Text != "" || len(c.answer.Calls) == 0 {
		out = append(out, object{"type": "text", "text": c.answer.Text})
	}
	return out
}

func (c *reply) Whole() object {
	msg := object{"role": "assistant"}
	if items := c.listItems(); len(items) > 0 {
		msg["content"] = items
	}
	if c.plan != "" {
		msg["tool_plan"] = c.plan
	}
	if len(c.answer.Calls) > 0 {
		calls := make([]any, len(c.answer.Calls))
		for i, call := range c.answer.Calls {
			calls[i] = encodeCall(call, string(call.Arguments))
		}
		msg["tool_calls"] = calls
	}
	return object{"id": c.id, "message": msg, "finish_reason": c.finishReason(), "usage": c.encodeUsage()}
}

func encodeCall(call core.ToolCall, args string) object {
	return object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": args}}
}

type eventStream struct {
	*reply
	out *core.SSE
}

// Stream writes typed events, in which a call is an object and no list. Source:
// cohere-ai/cohere-developer-experience, cohere-openapi.yaml; maruel/genai,
// providers/cohere/dto.go; read 2026-11-30.
func (c *reply) Stream() {
	s := &eventStream{c, c.x.OpenSSE(c.turn.Fault, "\n")}
	s.sendEvent("message-start", object{"id": c.id, "delta": wrapMessage(object{
		"role": "assistant", "content": []any{}, "tool_plan": "", "tool_calls": []any{}, "citations": []any{},
	})})
	for i, item := range c.listItems() {
		s.sendItem(i, item)
	}
	for _, piece := range c.x.CutText(c.turn.Fault, c.plan, true) {
		s.sendEvent("tool-plan-delta", object{"delta": wrapMessage(object{"tool_plan": piece})})
	}
	s.sendCalls()
	if c.turn.Fault.NoEndMark {
		return
	}
	s.sendEvent("message-end", object{"delta": object{"finish_reason": c.finishReason(), "usage": c.encodeUsage()}})
	s.out.WriteEvent("", []byte("[DONE]"))
}

func wrapMessage(doc object) object { return object{"message": doc} }

func (s *eventStream) sendItem(i int, item object) {
	kind, _ := item["type"].(string)
	text, _ := item[kind].(string)
	at := object{"index": i}
	s.sendEvent("content-start", addMember(at, "delta", wrapMessage(object{"content": object{"type": kind, kind: ""}})))
	for _, piece := range s.x.CutText(s.turn.Fault, text, true) {
		s.sendEvent("content-delta", addMember(at, "delta", wrapMessage(object{"content": object{kind: piece}})))
	}
	s.sendEvent("content-end", addMember(at, "", nil))
}

func addMember(doc object, name string, value any) object {
	out := maps.Clone(doc)
	if name != "" {
		out[name] = value
	}
	return out
}

func (s *eventStream) sendCalls() {
	var queues [][]func()
	for i, call := range s.answer.Calls {
		steps := s.listCallSteps(i, call)
		if s.turn.Fault.Interleave {
			queues = append(queues, steps)
			continue
		}
		for _, step := range steps {
			step()
		}
	}
	for _, step := range core.Interleave(queues) {
		step()
	}
}

func (s *eventStream) listCallSteps(i int, call core.ToolCall) []func() {
	var steps []func()
	add := func(name string, doc object) {
		steps = append(steps, func() { s.sendEvent(name, addMember(doc, "index", i)) })
	}
	args := string(call.Arguments)
	parts := s.x.CutText(s.turn.Fault, args, false)
	start := ""
	if s.turn.Fault.WholeCalls {
		start, parts = args, nil
	}
	add("tool-call-start", object{"delta": wrapMessage(object{"tool_calls": encodeCall(call, start)})})
	for _, piece := range parts {
		add("tool-call-delta",
			object{"delta": wrapMessage(object{"tool_calls": object{"function": object{"arguments": piece}}})})
	}
	add("tool-call-end", object{})
	return steps
}

// sendEvent writes one event, or the scripted failure where it is due: the message
// ends with an error.
func (s *eventStream) sendEvent(name string, doc object) {
	failed := s.turn.Fail != nil && s.out.FailureDue()
	if failed {
		f := s.turn.Fail.MakeRefusal()
		if f.Message == "" {
			f.Message = "the generation failed"
		}
		name, doc = "message-end", object{
			"delta": object{"error": f.Message, "finish_reason": "ERROR", "usage": s.encodeUsage()},
		}
	}
	doc["type"] = name
	s.out.WriteJSON(name, doc)
	if failed {
		s.out.WriteEvent("", []byte("[DONE]"))
		s.out.Ended = true
	}
}

// object is a JSON object to be sent.
type object = map[string]any
