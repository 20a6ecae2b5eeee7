package ollama

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// reply writes an answer of /api/chat.
type reply struct {
	x       *core.Exchange
	request *request
	answer  *core.Answer
	turn    *core.Turn
	calls   []any
	lines   int
}

func (o *reply) buildCalls(seed string) {
	for i, call := range o.answer.Calls {
		id := call.ID
		if id == "" {
			id = core.MakeOllamaCallID(fmt.Sprint(seed, i))
		}
		args := call.Arguments
		if !jsondoc.IsObject(args) {
			args = json.RawMessage(`{}`)
		}
		o.calls = append(o.calls, object{"id": id, "function": object{"index": i, "name": call.Name, "arguments": args}})
	}
}

func (o *reply) encodeLine(message object) object {
	o.lines++
	doc := object{"role": "assistant", "content": ""}
	maps.Copy(doc, message)
	return object{
		"model": o.request.Model, "done": false, "message": doc,
		"created_at": fmt.Sprintf("2026-11-30T12:%02d:%02d.417003921Z", o.lines/60%60, o.lines%60),
	}
}

// addEnding puts what only the last line has into it: nothing in done_reason says
// that tools were called. Source: ollama/ollama, api/types.go and
// llm/server.go, state of 2026-08-21, read 2026-11-30.
func (o *reply) addEnding(doc object) object {
	reason := o.answer.Finish
	switch reason {
	case "tool_calls", "refusal":
		reason = "stop"
	}
	u := o.answer.Usage
	maps.Copy(doc, object{
		"done": true, "done_reason": reason, "total_duration": 2841557334, "load_duration": 91397084,
		"prompt_eval_count": u.Input, "prompt_eval_duration": 130747910, "eval_count": u.Output, "eval_duration": 2524797090,
	})
	return doc
}

func (o *reply) Whole() object {
	message := object{"content": o.answer.Text}
	if o.answer.Thinking != "" {
		message["thinking"] = o.answer.Thinking
	}
	if len(o.calls) > 0 {
		message["tool_calls"] = o.calls
	}
	return o.addEnding(o.encodeLine(message))
}

// Stream writes one object per line; each call comes whole in its own. Source:
// ollama/ollama, docs/api/errors.mdx and api/client.go, state of 2026-08-21,
// read 2026-11-30.
func (o *reply) Stream() {
	s := &lineStream{o, o.x.OpenFlow(o.turn.Fault, "application/x-ndjson")}
	for _, piece := range o.x.CutText(o.turn.Fault, o.answer.Thinking, true) {
		s.sendLine(o.encodeLine(object{"thinking": piece}))
	}
	for _, piece := range o.x.CutText(o.turn.Fault, o.answer.Text, true) {
		s.sendLine(o.encodeLine(object{"content": piece}))
	}
	for _, call := range o.calls {
		s.sendLine(o.encodeLine(object{"tool_calls": []any{call}}))
	}
	if !o.turn.Fault.NoEndMark {
		s.sendLine(o.addEnding(o.encodeLine(object{})))
	}
}

type lineStream struct {
	*reply
	out *core.Flow
}

// sendLine writes one line, or the scripted failure where it is due.
func (s *lineStream) sendLine(doc object) {
	failed := s.turn.Fail != nil && s.out.FailureDue()
	if failed {
		f := s.turn.Fail.MakeRefusal()
		if f.Message == "" {
			f.Message = core.OllamaWords(f.Status)
		}
		doc = object{"error": f.Message}
	}
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		s.out.Ended = true
		return
	}
	s.out.WriteFrame(append(b, '\n'))
	s.out.Ended = s.out.Ended || failed
}

// object is a JSON object to be sent.
type object = map[string]any
