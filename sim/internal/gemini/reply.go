package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// reply writes an answer in Gemini's dialect.
type reply struct {
	x       *core.Exchange
	request *request
	answer  *core.Answer
	turn    *core.Turn
	id      string

	calls     []object
	signature string // of the text
	shown     string // the thought, where it was asked for
}

// buildCalls makes the calls and the signatures. The first call of a step carries
// one, and the text where there is no call. Source: ai.google.dev, "Thought
// signatures", read 2026-11-30.
func (p *reply) buildCalls(seed string) {
	r := p.request
	think := p.answer.Thinking
	if t := r.Generation.Thinking; t != nil && t.Include {
		p.shown = think
	}
	signs := r.version.Thinks != models.ThinksNot && think != ""
	if signs {
		p.signature = core.Sign("gemini", "text", think, nil)
	}
	for i, call := range p.answer.Calls {
		args := call.Arguments
		if len(args) == 0 || !json.Valid(args) {
			args = json.RawMessage(`{}`)
		}
		doc := object{"name": call.Name, "args": args}
		if r.version.IDs {
			doc["id"] = call.ID
			if call.ID == "" {
				doc["id"] = strings.ToLower(core.MakeID(8, fmt.Sprint(seed, i)))
			}
		}
		part := object{"functionCall": doc}
		if i == 0 && (signs || r.version.Major >= 3) {
			part["thoughtSignature"] = core.Sign("gemini", "call "+call.Name, think, nil)
		}
		p.calls = append(p.calls, part)
	}
}

// finishReason is the finish reason on this wire. Source: go-genai v1.77.0, types.go,
// FinishReason; vercel/ai, packages/google, map-google-finish-reason.ts; read
// 2026-11-30.
func (p *reply) finishReason() string {
	switch p.answer.Finish {
	case "stop", "tool_calls":
		return "STOP"
	case "length":
		return "MAX_TOKENS"
	case "refusal":
		return "SAFETY"
	}
	return p.answer.Finish
}

func (p *reply) Whole() object {
	var parts []any
	if p.shown != "" {
		parts = append(parts, object{"text": p.shown, "thought": true})
	}
	if p.answer.Text != "" {
		part := object{"text": p.answer.Text}
		if p.signature != "" && len(p.calls) == 0 {
			part["thoughtSignature"] = p.signature
		}
		parts = append(parts, part)
	}
	for _, call := range p.calls {
		parts = append(parts, call)
	}
	return p.encodeChunk(p.encodeCandidate(parts, p.finishReason()), p.answer.Usage.Output-p.answer.Usage.Reasoning,
		p.answer.Usage.Reasoning)
}

func (p *reply) encodeCandidate(parts []any, finish string) object {
	c := object{"index": 0}
	if len(parts) > 0 {
		c["content"] = object{"role": "model", "parts": parts}
	}
	if finish != "" {
		c["finishReason"] = finish
		if len(p.calls) > 0 && finish == "STOP" {
			c["finishMessage"] = "Model generated function call(s)."
		}
	}
	return c
}

// encodeChunk makes a response with the usage so far: the output without the
// thoughts.
func (p *reply) encodeChunk(candidate object, output, thoughts int) object {
	u := p.answer.Usage
	usage := object{
		"promptTokenCount": u.Input, "candidatesTokenCount": output, "totalTokenCount": u.Input + output + thoughts,
		"promptTokensDetails": []any{object{"modality": "TEXT", "tokenCount": u.Input}},
	}
	if thoughts > 0 {
		usage["thoughtsTokenCount"] = thoughts
	}
	if u.Cached > 0 {
		usage["cachedContentTokenCount"] = u.Cached
	}
	return object{
		"candidates": []any{candidate}, "usageMetadata": usage,
		"modelVersion": p.request.model, "responseId": p.id,
	}
}

// chunkStream writes the chunks: as events where alt=sse asks for it, else as
// the elements of one array.
type chunkStream struct {
	*reply
	out      *core.Flow
	events   *core.SSE // nil: an array
	seen     int       // output tokens so far
	thoughts int
}

func (p *reply) Stream() {
	s := &chunkStream{reply: p}
	if p.x.R.URL.Query().Get("alt") == "sse" {
		s.events = p.x.OpenSSE(p.turn.Fault, "\r\n")
		s.out = s.events.Flow
	} else {
		s.out = p.x.OpenFlow(p.turn.Fault, "application/json; charset=UTF-8")
	}
	for _, piece := range p.x.CutText(p.turn.Fault, p.shown, true) {
		s.thoughts += core.CountTokens(piece)
		s.sendPart(object{"text": piece, "thought": true}, "")
	}
	s.thoughts = p.answer.Usage.Reasoning
	for _, piece := range p.x.CutText(p.turn.Fault, p.answer.Text, true) {
		s.seen += core.CountTokens(piece)
		s.sendPart(object{"text": piece}, "")
	}
	for _, call := range p.calls {
		s.sendPart(call, "")
	}
	s.seen = p.answer.Usage.Output - p.answer.Usage.Reasoning
	last := object{"text": ""}
	if p.signature != "" && len(p.calls) == 0 {
		last["thoughtSignature"] = p.signature
	}
	if !p.turn.Fault.NoEndMark {
		s.sendPart(last, p.finishReason())
	}
	if s.events == nil && !s.out.Ended {
		s.out.WriteRaw([]byte("]"))
	}
}

// sendPart sends one part, or the scripted failure where it is due.
func (s *chunkStream) sendPart(part object, finish string) {
	doc := s.encodeChunk(s.encodeCandidate([]any{part}, finish), s.seen, s.thoughts)
	failed := s.turn.Fail != nil && s.out.FailureDue()
	if failed {
		doc = encodeError(s.turn.Fail.MakeRefusal())
	}
	s.sendChunk(doc)
	s.out.Ended = s.out.Ended || failed
}

func (s *chunkStream) sendChunk(doc object) {
	if s.events != nil {
		s.events.WriteJSON("", doc)
		return
	}
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		s.out.Ended = true
		return
	}
	lead := ",\r\n"
	if s.out.Sent == 0 {
		lead = "["
	}
	s.out.WriteFrame(append([]byte(lead), b...))
}

// object is a JSON object to be sent.
type object = map[string]any
