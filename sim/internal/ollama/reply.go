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

func (p *reply) buildCalls(seed string) {
	for i, call := range p.answer.Calls {
		id := call.ID
		if id == "" {
			id = core.MakeOllamaCallID(fmt.Sprint(seed, i))
		}
		args := call.Arguments
		if !jsondoc.IsObject(args) {
			args = json.RawMessage(`{}`)
		}
		p.calls = append(p.calls, object{"id": id, "function": object{"index": i, "name": call.Name, "arguments": args}})
	}
}

func (p *reply) encodeLine(message object) object {
	p.lines++
	doc := object{"role": "assistant", "content": ""}
	maps.Copy(doc, message)
	return object{
		"model": p.request.Model, "done": false, "message": doc,
		"created_at": fmt.Sprintf("2026-11-30T12:%02d:%02d.417003921Z", p.lines/60%60, p.lines%60),
	}
}

// addEnding puts what only the last line has into it: nothing in done_reason says
// that tools were called. Source: ollama/ollama, api/types.go and
// llm/server.go, state of 2026-08-21, read 2026-11-30.
func (p *reply) addEnding(doc object) object {
	reason := p.answer.Finish
	switch reason {
	case "tool_calls", "refusal":
		reason = "stop"
	}
	u := p.answer.Usage
	maps.Copy(doc, object{
		"done": true, "done_reason": reason, "total_duration": 2841557334, "load_duration": 91397084,
		"prompt_eval_count": u.Input, "prompt_eval_duration": 130747910, "eval_count": u.Output, "eval_duration": 2524797090,
	})
	return doc
}

func (p *reply) Whole() object {
	message := object{"content": p.answer.Text}
	if p.answer.Thinking != "" {
		message["thinking"] = p.answer.Thinking
	}
	if len(p.calls) > 0 {
		message["tool_calls"] = p.calls
	}
	return p.addEnding(p.encodeLine(message))
}

// Stream writes one object per line; each call comes whole in its own. Source:
// ollama/ollama, docs/api/errors.mdx and api/client.go, state of 2026-08-21,
// read 2026-11-30.
func (p *reply) Stream() {
	s := &lineStream{p, p.x.OpenFlow(p.turn.Fault, "application/x-ndjson")}
	for _, piece := range p.x.CutText(p.turn.Fault, p.answer.Thinking, true) {
		s.sendLine(p.encodeLine(object{"thinking": piece}))
	}
	for _, piece := range p.x.CutText(p.turn.Fault, p.answer.Text, true) {
		s.sendLine(p.encodeLine(object{"content": piece}))
	}
	for _, call := range p.calls {
		s.sendLine(p.encodeLine(object{"tool_calls": []any{call}}))
	}
	if !p.turn.Fault.NoEndMark {
		s.sendLine(p.addEnding(p.encodeLine(object{})))
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
