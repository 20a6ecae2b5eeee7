package responses

import (
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// eventStream writes the events of a response.
type eventStream struct {
	*reply
	out    *core.SSE
	number int
}

// Stream writes the reply as events, from response.created to the terminal one.
// Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
func (p *reply) Stream() {
	s := &eventStream{reply: p, out: p.x.OpenSSE(p.turn.Fault, "\n")}
	s.sendEvent("response.created", object{"response": p.encodeEnvelope()})
	s.sendEvent("response.in_progress", object{"response": p.encodeEnvelope()})
	s.sendContent()
	if !p.turn.Fault.NoEndMark {
		s.sendEvent("response."+p.status(), object{"response": p.Whole()})
	}
}

// sendContent writes the items one by one; interleaved calls are open together.
func (s *eventStream) sendContent() {
	var queues [][]func()
	for i := range s.items {
		item := &s.items[i]
		if !item.call || !s.turn.Fault.Interleave {
			for _, step := range s.listSteps(i, item) {
				step()
			}
			continue
		}
		queues = append(queues, s.listSteps(i, item))
	}
	for _, step := range core.Interleave(queues) {
		step()
	}
}

func (s *eventStream) listSteps(i int, item *outItem) []func() {
	var steps []func()
	add := func(name string, doc object) {
		doc["output_index"] = i
		steps = append(steps, func() { s.sendEvent(name, doc) })
	}
	place := func(doc object, more object) object {
		doc["item_id"] = item.id
		maps.Copy(doc, more)
		return doc
	}
	add("response.output_item.added", object{"item": item.open})
	switch item.kind {
	case itemReasoning:
		s.addSummary(item, add, place)
	case itemText, itemRefusal:
		s.addSpoken(item, add, place)
	case itemFunction:
		s.addPieces(item, "response.function_call_arguments", "arguments", nil, add, place)
	case itemCustom:
		s.addPieces(item, "response.custom_tool_call_input", "input", nil, add, place)
	}
	add("response.output_item.done", object{"item": item.whole})
	return steps
}

type (
	addFunc   func(name string, doc object)
	placeFunc func(doc, more object) object
)

func (s *eventStream) addSummary(item *outItem, add addFunc, place placeFunc) {
	if item.text == "" {
		return
	}
	at := object{"summary_index": 0}
	add("response.reasoning_summary_part.added", place(object{"part": encodeSummary("")}, at))
	s.addPieces(item, "response.reasoning_summary_text", "text", at, add, place)
	add("response.reasoning_summary_part.done", place(object{"part": encodeSummary(item.text)}, at))
}

func (s *eventStream) addSpoken(item *outItem, add addFunc, place placeFunc) {
	at := object{"content_index": 0}
	add("response.content_part.added", place(object{"part": item.encodePart("")}, at))
	if item.kind == itemRefusal {
		s.addPieces(item, "response.refusal", "refusal", at, add, place)
	} else {
		s.addPieces(item, "response.output_text", "text", object{"content_index": 0, "logprobs": []any{}}, add, place)
	}
	add("response.content_part.done", place(object{"part": item.encodePart(item.text)}, at))
}

// addPieces writes a text as deltas, and once more as a whole.
func (s *eventStream) addPieces(item *outItem, event, member string, at object, add addFunc, place placeFunc) {
	parts := s.x.CutText(s.turn.Fault, item.text, !item.call)
	if item.call && s.turn.Fault.WholeCalls {
		parts = []string{item.text}
	}
	for _, piece := range parts {
		add(event+".delta", place(object{"delta": piece}, at))
	}
	add(event+".done", place(object{member: item.text}, at))
}

// sendEvent writes one event, or the scripted failure where it is due. Source:
// openai-go v3.98.0, responses/response.go, ResponseErrorEvent, the flat of the
// two shapes; read 2026-11-30.
func (s *eventStream) sendEvent(name string, doc object) {
	if s.turn.Fail != nil && s.out.FailureDue() {
		f := s.turn.Fail.MakeRefusal()
		f.FillWords(core.OpenAIWords(f.Status))
		code := f.Code
		if code == "" {
			code = f.Type
		}
		name, doc = "error", object{"code": code, "message": f.Message, "param": core.OrNull(f.Param)}
		defer func() { s.out.Ended = true }()
	}
	doc["type"], doc["sequence_number"] = name, s.number
	s.number++
	s.out.WriteJSON(name, doc)
}
