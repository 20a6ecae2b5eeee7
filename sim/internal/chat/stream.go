package chat

import (
	"strconv"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// chunkStream writes the stream of a Chat Completions reply.
type chunkStream struct {
	*reply
	out  *core.SSE
	said string // the text so far, for providers that repeat it
	seen int    // output tokens so far, for providers that count in every chunk
}

// Stream writes the reply as chunks, from the role to [DONE].
func (p *reply) Stream() {
	st := &p.persona.style
	eol := "\n"
	if st.crlf {
		eol = "\r\n"
	}
	s := &chunkStream{reply: p, out: p.x.OpenSSE(p.turn.Fault, eol)}
	if st.comment != "" {
		s.out.WriteComment(st.comment)
	}
	s.sendOpening()
	s.sendThoughts()
	s.sendText()
	if !st.callsInFinish {
		s.sendCalls()
	}
	s.sendClosing()
}

// sendOpening sends the chunk with the role.
func (s *chunkStream) sendOpening() {
	delta := object{"role": "assistant", "content": ""}
	if s.answer.Text == "" && len(s.answer.Calls) > 0 || s.answer.Refusal {
		delta["content"] = s.persona.style.emptyContent
	}
	if s.persona.style.openai {
		delta["refusal"] = nil
	}
	if s.member != "" {
		delta["content"], delta[s.member] = nil, ""
	}
	s.sendDelta(delta, nil)
}

func (s *chunkStream) sendThoughts() {
	for _, piece := range s.x.CutText(s.turn.Fault, s.answer.Thinking, true) {
		switch {
		case s.parts:
			s.sendDelta(object{"content": []any{encodeThinkingPart(piece)}}, nil)
		case s.member != "":
			s.sendDelta(object{"content": nil, s.member: piece}, nil)
		}
	}
}

func (s *chunkStream) sendText() {
	member := "content"
	if s.answer.Refusal && s.persona.style.openai {
		member = "refusal"
	}
	for _, piece := range s.x.CutText(s.turn.Fault, s.answer.Text, true) {
		s.said += piece
		s.seen = core.CountTokens(s.said)
		s.sendDelta(object{member: piece}, nil)
	}
}

func (s *chunkStream) sendCalls() {
	queues := make([][]object, 0, len(s.answer.Calls))
	for i, call := range s.answer.Calls {
		queues = append(queues, s.encodeCallDeltas(i, call))
	}
	if !s.turn.Fault.Interleave {
		for _, q := range queues {
			for _, d := range q {
				s.sendDelta(object{"tool_calls": []any{d}}, nil)
			}
		}
		return
	}
	for _, d := range core.Interleave(queues) {
		s.sendDelta(object{"tool_calls": []any{d}}, nil)
	}
}

// encodeCallDeltas are the deltas of one call: first id and name with empty
// arguments, then the arguments. Source: openai-openapi 2.3.0; deltas recorded
// in 0xPlaygrounds/rig, tests/cassettes/deepseek/agent_tool_sessions; read
// 2026-11-30.
func (s *chunkStream) encodeCallDeltas(i int, call core.ToolCall) []object {
	head := s.encodeCall(i, call, true)
	if s.turn.Fault.WholeCalls || s.persona.style.wholeCalls || s.isCustom(call.Name) {
		return []object{head}
	}
	head["function"] = object{"name": call.Name, "arguments": ""}
	out := []object{head}
	for _, piece := range s.x.CutText(s.turn.Fault, string(call.Arguments), false) {
		d := object{"function": object{"arguments": piece}}
		if !s.turn.Fault.NoIndex {
			d["index"] = i
		}
		out = append(out, d)
	}
	return out
}

// sendClosing sends the chunk with the finish reason, the usage and the end
// mark.
func (s *chunkStream) sendClosing() {
	st := &s.persona.style
	s.seen = s.answer.Usage.Output
	delta := object{}
	if st.callsInFinish {
		delta["content"] = ""
		if len(s.answer.Calls) > 0 {
			calls := make([]any, len(s.answer.Calls))
			for i, call := range s.answer.Calls {
				calls[i] = s.encodeCall(i, call, true)
			}
			delta["tool_calls"] = calls
		}
	}
	s.sendDelta(delta, s.finishReason())
	asked := s.request.StreamOptions != nil && s.request.StreamOptions.IncludeUsage
	if asked && (st.usage == usageWhenAsked || st.usage == usageInBoth) {
		doc := s.encodeEnvelope("chat.completion.chunk")
		doc["usage"] = s.encodeUsage()
		s.sendChunk(doc)
	}
	if !st.noDone && !s.turn.Fault.NoEndMark {
		s.sendDueFailure()
		s.out.WriteEvent("", []byte("[DONE]"))
	}
}

// sendDelta sends one chunk. finish is nil except on the last.
func (s *chunkStream) sendDelta(delta object, finish any) {
	st := &s.persona.style
	choice := object{"index": 0, "delta": delta, "finish_reason": finish}
	doc := s.encodeEnvelope("chat.completion.chunk", choice)
	if st.chunkLogprobs {
		choice["logprobs"] = nil
	}
	if st.cumulative {
		choice["message"] = object{"role": "assistant", "content": s.said}
	}
	s.addUsage(doc, finish != nil)
	s.sendChunk(doc)
}

// addUsage puts the usage where the provider has it. Source: openai-openapi
// 2.3.0; streams recorded in maruel/genai, providers/*/testdata, and in
// 0xPlaygrounds/rig, tests/cassettes; earendil-works/pi#2017; read 2026-11-30.
func (s *chunkStream) addUsage(doc object, last bool) {
	asked := s.request.StreamOptions != nil && s.request.StreamOptions.IncludeUsage
	switch mode := s.persona.style.usage; {
	case mode == usageEverywhere:
		u := s.encodeUsage()
		in := s.answer.Usage.Input
		u["completion_tokens"], u["total_tokens"] = s.seen, in+s.seen
		if !last {
			delete(u, "cost")
		}
		doc["usage"] = u
	case last && mode != usageWhenAsked:
		doc["usage"] = s.encodeUsage()
		if s.persona.style.xGroq {
			doc["x_groq"] = object{"id": s.x.ID, "usage": s.encodeUsage()}
		}
	case asked || s.persona.style.nullUsage:
		doc["usage"] = nil
	}
}

func (s *chunkStream) sendChunk(doc object) {
	s.sendDueFailure()
	if s.persona.style.openai && s.request.isObfuscated() {
		doc["obfuscation"] = core.MakeID(5+s.out.Sent%7, s.id, strconv.Itoa(s.out.Sent))
	}
	s.out.WriteJSON("", doc)
}

// sendDueFailure sends the scripted failure where it is due, and ends the
// stream.
func (s *chunkStream) sendDueFailure() {
	if s.turn.Fail == nil || !s.out.FailureDue() {
		return
	}
	f := s.turn.Fail.MakeRefusal()
	_, body := s.persona.Failure(f, s.x.ID)
	s.out.WriteEvent("", body)
	s.out.Ended = true
}
