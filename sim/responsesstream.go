package sim

import (
	"maps"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// responsesStream writes the events of a response.
type responsesStream struct {
	*responsesReply
	out    *core.SSE
	number int
}

// Stream writes the reply as events, from response.created to the terminal one.
// Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
func (m *responsesReply) Stream() {
	s := &responsesStream{responsesReply: m, out: m.x.OpenSSE(m.turn.Fault, "\n")}
	s.send("response.created", object{"response": m.envelope()})
	s.send("response.in_progress", object{"response": m.envelope()})
	s.content()
	if !m.turn.Fault.NoEndMark {
		s.send("response."+m.status(), object{"response": m.Whole()})
	}
}

// content writes the items one by one; interleaved calls are open together.
func (s *responsesStream) content() {
	var queues [][]func()
	for i := range s.items {
		item := &s.items[i]
		if !item.call || !s.turn.Fault.Interleave {
			for _, step := range s.steps(i, item) {
				step()
			}
			continue
		}
		queues = append(queues, s.steps(i, item))
	}
	for _, step := range core.Interleave(queues) {
		step()
	}
}

// steps are the events of an item, in order.
func (s *responsesStream) steps(i int, item *outItem) []func() {
	var steps []func()
	add := func(name string, doc object) {
		doc["output_index"] = i
		steps = append(steps, func() { s.send(name, doc) })
	}
	place := func(doc object, more object) object {
		doc["item_id"] = item.id
		maps.Copy(doc, more)
		return doc
	}
	add("response.output_item.added", object{"item": item.open})
	switch item.kind {
	case itemReasoning:
		s.summary(item, add, place)
	case itemText, itemRefusal:
		s.spoken(item, add, place)
	case itemFunction:
		s.pieces(item, "response.function_call_arguments", "arguments", nil, add, place)
	case itemCustom:
		s.pieces(item, "response.custom_tool_call_input", "input", nil, add, place)
	}
	add("response.output_item.done", object{"item": item.whole})
	return steps
}

type (
	addFunc   func(name string, doc object)
	placeFunc func(doc, more object) object
)

func (s *responsesStream) summary(item *outItem, add addFunc, place placeFunc) {
	if item.text == "" {
		return
	}
	at := object{"summary_index": 0}
	add("response.reasoning_summary_part.added", place(object{"part": summaryText("")}, at))
	s.pieces(item, "response.reasoning_summary_text", "text", at, add, place)
	add("response.reasoning_summary_part.done", place(object{"part": summaryText(item.text)}, at))
}

func (s *responsesStream) spoken(item *outItem, add addFunc, place placeFunc) {
	at := object{"content_index": 0}
	add("response.content_part.added", place(object{"part": item.part("")}, at))
	if item.kind == itemRefusal {
		s.pieces(item, "response.refusal", "refusal", at, add, place)
	} else {
		s.pieces(item, "response.output_text", "text", object{"content_index": 0, "logprobs": []any{}}, add, place)
	}
	add("response.content_part.done", place(object{"part": item.part(item.text)}, at))
}

// pieces writes a text as deltas, and once more as a whole.
func (s *responsesStream) pieces(item *outItem, event, member string, at object, add addFunc, place placeFunc) {
	parts := s.x.CutText(s.turn.Fault, item.text, !item.call)
	if item.call && s.turn.Fault.WholeCalls {
		parts = []string{item.text}
	}
	for _, piece := range parts {
		add(event+".delta", place(object{"delta": piece}, at))
	}
	add(event+".done", place(object{member: item.text}, at))
}

// send writes one event, or the scripted failure where it is due. Source:
// openai-go v3.98.0, responses/response.go, ResponseErrorEvent, the flat of the
// two shapes; read 2026-11-30.
func (s *responsesStream) send(name string, doc object) {
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
