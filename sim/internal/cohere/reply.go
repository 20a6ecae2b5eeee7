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
func (p *reply) buildCalls(seed string) {
	calls := p.answer.Calls
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
	p.plan, p.answer.Text = p.answer.Text, ""
	if p.plan == "" && p.turn.IsDefault() && !p.request.thinks() {
		p.plan = "I will call " + calls[0].Name + "."
	}
}

func (p *reply) finishReason() string {
	switch p.answer.Finish {
	case "stop", "refusal":
		if p.answer.Stop != "" {
			return "STOP_SEQUENCE"
		}
		return "COMPLETE"
	case "tool_calls":
		return "TOOL_CALL"
	case "length":
		return "MAX_TOKENS"
	}
	return p.answer.Finish
}

// encodeUsage: what is billed leaves out what the cache served.
func (p *reply) encodeUsage() object {
	u := p.answer.Usage
	doc := object{
		"billed_units": object{"input_tokens": u.Input - u.Cached, "output_tokens": u.Output},
		"tokens":       object{"input_tokens": u.Input, "output_tokens": u.Output},
	}
	if u.Cached > 0 {
		doc["cached_tokens"] = u.Cached
	}
	return doc
}

func (p *reply) listItems() []object {
	var out []object
	if p.answer.Thinking != "" {
		out = append(out, object{"type": "thinking", "thinking": p.answer.Thinking})
	}
	if p.answer.Text != "" || len(p.answer.Calls) == 0 {
		out = append(out, object{"type": "text", "text": p.answer.Text})
	}
	return out
}

func (p *reply) Whole() object {
	msg := object{"role": "assistant"}
	if items := p.listItems(); len(items) > 0 {
		msg["content"] = items
	}
	if p.plan != "" {
		msg["tool_plan"] = p.plan
	}
	if len(p.answer.Calls) > 0 {
		calls := make([]any, len(p.answer.Calls))
		for i, call := range p.answer.Calls {
			calls[i] = encodeCall(call, string(call.Arguments))
		}
		msg["tool_calls"] = calls
	}
	return object{"id": p.id, "message": msg, "finish_reason": p.finishReason(), "usage": p.encodeUsage()}
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
func (p *reply) Stream() {
	s := &eventStream{p, p.x.OpenSSE(p.turn.Fault, "\n")}
	s.sendEvent("message-start", object{"id": p.id, "delta": wrapMessage(object{
		"role": "assistant", "content": []any{}, "tool_plan": "", "tool_calls": []any{}, "citations": []any{},
	})})
	for i, item := range p.listItems() {
		s.sendItem(i, item)
	}
	for _, piece := range p.x.CutText(p.turn.Fault, p.plan, true) {
		s.sendEvent("tool-plan-delta", object{"delta": wrapMessage(object{"tool_plan": piece})})
	}
	s.sendCalls()
	if p.turn.Fault.NoEndMark {
		return
	}
	s.sendEvent("message-end", object{"delta": object{"finish_reason": p.finishReason(), "usage": p.encodeUsage()}})
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
