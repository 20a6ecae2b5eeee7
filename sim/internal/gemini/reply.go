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
func (g *reply) buildCalls(seed string) {
	r := g.request
	think := g.answer.Thinking
	if t := r.Generation.Thinking; t != nil && t.Include {
		g.shown = think
	}
	signs := r.version.Thinks != models.ThinksNot && think != ""
	if signs {
		g.signature = core.Sign("gemini", "text", think, nil)
	}
	for i, call := range g.answer.Calls {
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
		g.calls = append(g.calls, part)
	}
}

// finishReason is the finish reason on this wire. Source: go-genai v1.77.0, types.go,
// FinishReason; vercel/ai, packages/google, map-google-finish-reason.ts; read
// 2026-11-30.
func (g *reply) finishReason() string {
	switch g.answer.Finish {
	case "stop", "tool_calls":
		return "STOP"
	case "length":
		return "MAX_TOKENS"
	case "refusal":
		return "SAFETY"
	}
	return g.answer.Finish
}

func (g *reply) Whole() object {
	var parts []any
	if g.shown != "" {
		parts = append(parts, object{"text": g.shown, "thought": true})
	}
	if g.answer.Text != "" {
		part := object{"text": g.answer.Text}
		if g.signature != "" && len(g.calls) == 0 {
			part["thoughtSignature"] = g.signature
		}
		parts = append(parts, part)
	}
	for _, call := range g.calls {
		parts = append(parts, call)
	}
	return g.encodeChunk(g.encodeCandidate(parts, g.finishReason()), g.answer.Usage.Output-g.answer.Usage.Reasoning,
		g.answer.Usage.Reasoning)
}

func (g *reply) encodeCandidate(parts []any, finish string) object {
	c := object{"index": 0}
	if len(parts) > 0 {
		c["content"] = object{"role": "model", "parts": parts}
	}
	if finish != "" {
		c["finishReason"] = finish
		if len(g.calls) > 0 && finish == "STOP" {
			c["finishMessage"] = "Model generated function call(s)."
		}
	}
	return c
}

// encodeChunk makes a response with the usage so far: the output without the
// thoughts.
func (g *reply) encodeChunk(candidate object, output, thoughts int) object {
	u := g.answer.Usage
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
		"modelVersion": g.request.model, "responseId": g.id,
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

func (g *reply) Stream() {
	s := &chunkStream{reply: g}
	if g.x.R.URL.Query().Get("alt") == "sse" {
		s.events = g.x.OpenSSE(g.turn.Fault, "\r\n")
		s.out = s.events.Flow
	} else {
		s.out = g.x.OpenFlow(g.turn.Fault, "application/json; charset=UTF-8")
	}
	for _, piece := range g.x.CutText(g.turn.Fault, g.shown, true) {
		s.thoughts += core.CountTokens(piece)
		s.sendPart(object{"text": piece, "thought": true}, "")
	}
	s.thoughts = g.answer.Usage.Reasoning
	for _, piece := range g.x.CutText(g.turn.Fault, g.answer.Text, true) {
		s.seen += core.CountTokens(piece)
		s.sendPart(object{"text": piece}, "")
	}
	for _, call := range g.calls {
		s.sendPart(call, "")
	}
	s.seen = g.answer.Usage.Output - g.answer.Usage.Reasoning
	last := object{"text": ""}
	if g.signature != "" && len(g.calls) == 0 {
		last["thoughtSignature"] = g.signature
	}
	if !g.turn.Fault.NoEndMark {
		s.sendPart(last, g.finishReason())
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
