package sim

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// geminiReply writes an answer in Gemini's dialect.
type geminiReply struct {
	x       *exchange
	request *geminiRequest
	answer  *answer
	turn    *Turn
	id      string

	calls     []object
	signature string // of the text
	shown     string // the thought, where it was asked for
}

// build makes the calls and the signatures. The first call of a step carries
// one, and the text where there is no call. Source: ai.google.dev, "Thought
// signatures", read 2026-11-30.
func (g *geminiReply) build(seed string) {
	r := g.request
	think := g.answer.thinking
	if t := r.Generation.Thinking; t != nil && t.Include {
		g.shown = think
	}
	signs := r.version.thinks != thinksNot && think != ""
	if signs {
		g.signature = sign("gemini", "text", think, nil)
	}
	for i, call := range g.answer.calls {
		args := call.Arguments
		if len(args) == 0 || !json.Valid(args) {
			args = json.RawMessage(`{}`)
		}
		doc := object{"name": call.Name, "args": args}
		if r.version.ids {
			doc["id"] = call.ID
			if call.ID == "" {
				doc["id"] = strings.ToLower(hashed(8, fmt.Sprint(seed, i)))
			}
		}
		part := object{"functionCall": doc}
		if i == 0 && (signs || r.version.major >= 3) {
			part["thoughtSignature"] = sign("gemini", "call "+call.Name, think, nil)
		}
		g.calls = append(g.calls, part)
	}
}

// finish is the finish reason on this wire. Source: go-genai v1.77.0, types.go,
// FinishReason; vercel/ai, packages/google, map-google-finish-reason.ts; read
// 2026-11-30.
func (g *geminiReply) finish() string {
	switch g.answer.finish {
	case "stop", "tool_calls":
		return "STOP"
	case "length":
		return "MAX_TOKENS"
	case "refusal":
		return "SAFETY"
	}
	return g.answer.finish
}

func (g *geminiReply) whole() object {
	var parts []any
	if g.shown != "" {
		parts = append(parts, object{"text": g.shown, "thought": true})
	}
	if g.answer.text != "" {
		part := object{"text": g.answer.text}
		if g.signature != "" && len(g.calls) == 0 {
			part["thoughtSignature"] = g.signature
		}
		parts = append(parts, part)
	}
	for _, call := range g.calls {
		parts = append(parts, call)
	}
	return g.chunk(g.candidate(parts, g.finish()), g.answer.usage.Output-g.answer.usage.Reasoning, g.answer.usage.Reasoning)
}

func (g *geminiReply) candidate(parts []any, finish string) object {
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

// chunk is a response with the usage so far: the output without the thoughts.
func (g *geminiReply) chunk(candidate object, output, thoughts int) object {
	u := g.answer.usage
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

// geminiStream writes the chunks: as events where alt=sse asks for it, else as
// the elements of one array.
type geminiStream struct {
	*geminiReply
	out      *flow
	events   *sse // nil: an array
	seen     int // output tokens so far
	thoughts int
}

func (g *geminiReply) stream() {
	s := &geminiStream{geminiReply: g}
	if g.x.r.URL.Query().Get("alt") == "sse" {
		s.events = g.x.openStream(g.turn.Fault, "\r\n")
		s.out = s.events.flow
	} else {
		s.out = g.x.openFlow(g.turn.Fault, "application/json; charset=UTF-8")
	}
	for _, piece := range g.x.pieces(g.turn.Fault, g.shown, true) {
		s.thoughts += tokens(piece)
		s.part(object{"text": piece, "thought": true}, "")
	}
	s.thoughts = g.answer.usage.Reasoning
	for _, piece := range g.x.pieces(g.turn.Fault, g.answer.text, true) {
		s.seen += tokens(piece)
		s.part(object{"text": piece}, "")
	}
	for _, call := range g.calls {
		s.part(call, "")
	}
	s.seen = g.answer.usage.Output - g.answer.usage.Reasoning
	last := object{"text": ""}
	if g.signature != "" && len(g.calls) == 0 {
		last["thoughtSignature"] = g.signature
	}
	if !g.turn.Fault.NoEndMark {
		s.part(last, g.finish())
	}
	if s.events == nil && !s.out.ended {
		s.out.write([]byte("]"))
	}
}

// part sends one part, or the scripted failure where it is due.
func (s *geminiStream) part(part object, finish string) {
	doc := s.chunk(s.candidate([]any{part}, finish), s.seen, s.thoughts)
	failed := s.turn.Fail != nil && s.out.fails()
	if failed {
		doc = googleError(s.turn.Fail.scripted())
	}
	s.send(doc)
	s.out.ended = s.out.ended || failed
}

func (s *geminiStream) send(doc object) {
	if s.events != nil {
		s.events.json("", doc)
		return
	}
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		s.out.ended = true
		return
	}
	lead := ",\r\n"
	if s.out.sent == 0 {
		lead = "["
	}
	s.out.frame(append([]byte(lead), b...))
}
