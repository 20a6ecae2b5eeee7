package sim

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// ollamaReply writes an answer of /api/chat.
type ollamaReply struct {
	x       *exchange
	request *ollamaRequest
	answer  *answer
	turn    *Turn
	calls   []any
	lines   int
}

func (o *ollamaReply) build(seed string) {
	for i, call := range o.answer.calls {
		id := call.ID
		if id == "" {
			id = ollamaCallID(fmt.Sprint(seed, i))
		}
		args := call.Arguments
		if !jsondoc.IsObject(args) {
			args = json.RawMessage(`{}`)
		}
		o.calls = append(o.calls, object{"id": id, "function": object{"index": i, "name": call.Name, "arguments": args}})
	}
}

// line is one response object, with the message in it.
func (o *ollamaReply) line(message object) object {
	o.lines++
	doc := object{"role": "assistant", "content": ""}
	maps.Copy(doc, message)
	return object{
		"model": o.request.Model, "done": false, "message": doc,
		"created_at": fmt.Sprintf("2026-11-30T12:%02d:%02d.417003921Z", o.lines/60%60, o.lines%60),
	}
}

// ended puts what only the last line has into it: nothing in done_reason says
// that tools were called. Source: ollama/ollama, api/types.go and
// llm/server.go, state of 2026-08-21, read 2026-11-30.
func (o *ollamaReply) ended(doc object) object {
	reason := o.answer.finish
	switch reason {
	case "tool_calls", "refusal":
		reason = "stop"
	}
	u := o.answer.usage
	maps.Copy(doc, object{
		"done": true, "done_reason": reason, "total_duration": 2841557334, "load_duration": 91397084,
		"prompt_eval_count": u.Input, "prompt_eval_duration": 130747910, "eval_count": u.Output, "eval_duration": 2524797090,
	})
	return doc
}

func (o *ollamaReply) whole() object {
	message := object{"content": o.answer.text}
	if o.answer.thinking != "" {
		message["thinking"] = o.answer.thinking
	}
	if len(o.calls) > 0 {
		message["tool_calls"] = o.calls
	}
	return o.ended(o.line(message))
}

// stream writes one object per line; each call comes whole in its own. Source:
// ollama/ollama, docs/api/errors.mdx and api/client.go, state of 2026-08-21,
// read 2026-11-30.
func (o *ollamaReply) stream() {
	s := &ollamaStream{o, o.x.openFlow(o.turn.Fault, "application/x-ndjson")}
	for _, piece := range o.x.pieces(o.turn.Fault, o.answer.thinking, true) {
		s.send(o.line(object{"thinking": piece}))
	}
	for _, piece := range o.x.pieces(o.turn.Fault, o.answer.text, true) {
		s.send(o.line(object{"content": piece}))
	}
	for _, call := range o.calls {
		s.send(o.line(object{"tool_calls": []any{call}}))
	}
	if !o.turn.Fault.NoEndMark {
		s.send(o.ended(o.line(object{})))
	}
}

type ollamaStream struct {
	*ollamaReply
	out *flow
}

// send writes one line, or the scripted failure where it is due.
func (s *ollamaStream) send(doc object) {
	failed := s.turn.Fail != nil && s.out.fails()
	if failed {
		f := s.turn.Fail.scripted()
		if f.message == "" {
			f.message = ollamaWords(f.status)
		}
		doc = object{"error": f.message}
	}
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		s.out.ended = true
		return
	}
	s.out.frame(append(b, '\n'))
	s.out.ended = s.out.ended || failed
}
