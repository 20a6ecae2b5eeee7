package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// cohereReply writes an answer of /v2/chat.
type cohereReply struct {
	x       *exchange
	request *cohereRequest
	answer  *answer
	turn    *Turn
	id      string
	plan    string // what is said before calls
}

func (r *cohereRequest) fill(x *exchange, out *answer, t *Turn, seed string) response {
	c := &cohereReply{x: x, request: r, answer: out, turn: t, id: strings.ToLower(hashed(26, x.id, seed))}
	c.build(seed)
	return c
}

// build makes ids and the plan, which models that don't think write before
// their calls. A call without arguments has the text null. Source: vercel/ai,
// packages/cohere, cohere-null-args.json, a recording; read 2026-11-30.
func (c *cohereReply) build(seed string) {
	calls := c.answer.calls
	for i := range calls {
		call := &calls[i]
		if call.ID == "" {
			call.ID = call.Name + "_" + hexed(12, fmt.Sprint(seed, i))
		}
		if args := string(call.Arguments); args == "" || args == "{}" {
			call.Arguments = json.RawMessage("null")
		}
	}
	if len(calls) == 0 {
		return
	}
	c.plan, c.answer.text = c.answer.text, ""
	if c.plan == "" && c.turn.isDefault() && !c.request.thinks() {
		c.plan = "I will call " + calls[0].Name + "."
	}
}

func (c *cohereReply) finish() string {
	switch c.answer.finish {
	case "stop", "refusal":
		if c.answer.stop != "" {
			return "STOP_SEQUENCE"
		}
		return "COMPLETE"
	case "tool_calls":
		return "TOOL_CALL"
	case "length":
		return "MAX_TOKENS"
	}
	return c.answer.finish
}

// usage: what is billed leaves out what the cache served.
func (c *cohereReply) usage() object {
	u := c.answer.usage
	doc := object{
		"billed_units": object{"input_tokens": u.Input - u.Cached, "output_tokens": u.Output},
		"tokens":       object{"input_tokens": u.Input, "output_tokens": u.Output},
	}
	if u.Cached > 0 {
		doc["cached_tokens"] = u.Cached
	}
	return doc
}

// items are the content: thought and text.
func (c *cohereReply) items() []object {
	var out []object
	if c.answer.thinking != "" {
		out = append(out, object{"type": "thinking", "thinking": c.answer.thinking})
	}
	if c.answer.text != "" || len(c.answer.calls) == 0 {
		out = append(out, object{"type": "text", "text": c.answer.text})
	}
	return out
}

func (c *cohereReply) whole() object {
	msg := object{"role": "assistant"}
	if items := c.items(); len(items) > 0 {
		msg["content"] = items
	}
	if c.plan != "" {
		msg["tool_plan"] = c.plan
	}
	if len(c.answer.calls) > 0 {
		calls := make([]any, len(c.answer.calls))
		for i, call := range c.answer.calls {
			calls[i] = cohereCallDoc(call, string(call.Arguments))
		}
		msg["tool_calls"] = calls
	}
	return object{"id": c.id, "message": msg, "finish_reason": c.finish(), "usage": c.usage()}
}

func cohereCallDoc(call ToolCall, args string) object {
	return object{"id": call.ID, "type": "function", "function": object{"name": call.Name, "arguments": args}}
}

type cohereStream struct {
	*cohereReply
	out *sse
}

// stream writes typed events, in which a call is an object and no list. Source:
// cohere-ai/cohere-developer-experience, cohere-openapi.yaml; maruel/genai,
// providers/cohere/dto.go; read 2026-11-30.
func (c *cohereReply) stream() {
	s := &cohereStream{c, c.x.openStream(c.turn.Fault, "\n")}
	s.send("message-start", object{"id": c.id, "delta": inMessage(object{
		"role": "assistant", "content": []any{}, "tool_plan": "", "tool_calls": []any{}, "citations": []any{},
	})})
	for i, item := range c.items() {
		s.item(i, item)
	}
	for _, piece := range c.x.pieces(c.turn.Fault, c.plan, true) {
		s.send("tool-plan-delta", object{"delta": inMessage(object{"tool_plan": piece})})
	}
	s.calls()
	if c.turn.Fault.NoEndMark {
		return
	}
	s.send("message-end", object{"delta": object{"finish_reason": c.finish(), "usage": c.usage()}})
	s.out.event("", []byte("[DONE]"))
}

func inMessage(doc object) object { return object{"message": doc} }

func (s *cohereStream) item(i int, item object) {
	kind, _ := item["type"].(string)
	text, _ := item[kind].(string)
	at := object{"index": i}
	s.send("content-start", with(at, "delta", inMessage(object{"content": object{"type": kind, kind: ""}})))
	for _, piece := range s.x.pieces(s.turn.Fault, text, true) {
		s.send("content-delta", with(at, "delta", inMessage(object{"content": object{kind: piece}})))
	}
	s.send("content-end", with(at, "", nil))
}

// with is a document and one more member.
func with(doc object, name string, value any) object {
	out := maps.Clone(doc)
	if name != "" {
		out[name] = value
	}
	return out
}

func (s *cohereStream) calls() {
	var queues [][]func()
	for i, call := range s.answer.calls {
		steps := s.call(i, call)
		if s.turn.Fault.Interleave {
			queues = append(queues, steps)
			continue
		}
		for _, step := range steps {
			step()
		}
	}
	for _, step := range alternate(queues) {
		step()
	}
}

// call is the steps of one call.
func (s *cohereStream) call(i int, call ToolCall) []func() {
	var steps []func()
	add := func(name string, doc object) {
		steps = append(steps, func() { s.send(name, with(doc, "index", i)) })
	}
	args := string(call.Arguments)
	parts := s.x.pieces(s.turn.Fault, args, false)
	start := ""
	if s.turn.Fault.WholeCalls {
		start, parts = args, nil
	}
	add("tool-call-start", object{"delta": inMessage(object{"tool_calls": cohereCallDoc(call, start)})})
	for _, piece := range parts {
		add("tool-call-delta", object{"delta": inMessage(object{"tool_calls": object{"function": object{"arguments": piece}}})})
	}
	add("tool-call-end", object{})
	return steps
}

// send writes one event, or the scripted failure where it is due: the message
// ends with an error.
func (s *cohereStream) send(name string, doc object) {
	failed := s.turn.Fail != nil && s.out.fails()
	if failed {
		f := s.turn.Fail.scripted()
		if f.message == "" {
			f.message = "the generation failed"
		}
		name, doc = "message-end", object{"delta": object{"error": f.message, "finish_reason": "ERROR", "usage": s.usage()}}
	}
	doc["type"] = name
	s.out.json(name, doc)
	if failed {
		s.out.event("", []byte("[DONE]"))
		s.out.ended = true
	}
}
