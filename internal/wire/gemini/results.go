package gemini

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
)

// result is a tool result and the place of its call.
type result struct {
	place int
	chat.ToolResult
}

// encodeResults writes the results of a user turn, all in one content and in the
// order of the calls: without ids that is what joins them to calls of the same
// name. Source: ai.google.dev, "Function calling", read 2026-11-30.
func (e *encoder) encodeResults(ms []chat.Message) error {
	e.results = e.results[:0]
	for i := range ms {
		for _, p := range ms[i].Parts {
			if r, ok := p.(chat.ToolResult); ok {
				e.results = append(e.results, result{e.findCall(r.CallID), r})
			}
		}
	}
	slices.SortStableFunc(e.results, func(a, b result) int { return cmp.Compare(a.place, b.place) })
	for i := range e.results {
		if err := e.encodeResult(&e.results[i]); err != nil {
			return err
		}
	}
	return nil
}

// findCall returns where a call stands among those of the turn before; a result
// without one comes last.
func (e *encoder) findCall(callID string) int {
	if i := slices.IndexFunc(e.calls, func(c call) bool { return c.id == callID }); i >= 0 {
		return i
	}
	return math.MaxInt
}

func (e *encoder) encodeResult(r *result) error {
	w, name, sent := &e.w, r.Name, false
	if r.place < len(e.calls) {
		name, sent = cmp.Or(name, e.calls[r.place].name), e.calls[r.place].sent
	}
	if name == "" {
		return fmt.Errorf("gemini: the result %q names no tool, and no call has its id", r.CallID)
	}
	w.Object()
	w.Obj("functionResponse")
	if sent {
		w.Str("id", r.CallID)
	}
	w.Str("name", name)
	w.Key("response")
	e.encodeResultText(&r.ToolResult)
	if err := e.encodeResultMedia(r.Parts); err != nil {
		return err
	}
	w.EndObject()
	w.EndObject()
	return nil
}

// encodeResultText writes what the tool said, under the key that tells the model
// whether it failed; there is no other way to say so. Source: go-genai
// types.go, FunctionResponse, read 2026-11-30.
func (e *encoder) encodeResultText(r *chat.ToolResult) {
	w := &e.w
	w.Object()
	if r.IsError {
		w.Key("error")
	} else {
		w.Key("output")
	}
	if text := makeResultText(r.Parts); survivesReading(text) {
		w.Raw([]byte(text))
	} else {
		w.String(text)
	}
	w.EndObject()
}

func makeResultText(parts []chat.Part) string {
	var texts []string
	for _, p := range parts {
		if t, ok := p.(chat.Text); ok && t.Text != "" {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Limits on what can go as a protobuf Struct: digits of a float64, and levels.
const (
	maxDigits = 15
	maxLevels = 50
)

// survivesReading reports whether text is an object or a list that means the same
// after the API has read it. It reads numbers as float64, so long ones, such
// as ids, would come out changed: then the text goes as a string.
func survivesReading(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' || !rawjson.Valid([]byte(text)) {
		return false
	}
	digits, levels, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
			continue
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			levels++
		case c == '}', c == ']':
			levels--
		case c >= '0' && c <= '9', c == '.':
			digits++
			if digits > maxDigits {
				return false
			}
			continue
		}
		digits = 0
		if levels > maxLevels {
			return false
		}
	}
	return true
}

func (e *encoder) encodeResultMedia(parts []chat.Part) error {
	w, opened := &e.w, false
	for _, p := range parts {
		if _, ok := p.(chat.Text); ok {
			continue
		}
		if !opened {
			opened = true
			w.List("parts")
		}
		if err := e.encodeResultPart(p); err != nil {
			return err
		}
	}
	if opened {
		w.EndArray()
	}
	return nil
}

func (e *encoder) encodeResultPart(p chat.Part) error {
	switch p := p.(type) {
	case chat.Image:
		return e.encodeMedia("an image", p.MediaType, p.Data, p.URL)
	case chat.File:
		return e.encodeFile(&p)
	case chat.Audio:
		return e.encodeMedia("audio", p.MediaType, p.Data, "")
	case chat.Text, chat.Thinking, chat.ToolCall, chat.ToolResult:
	}
	return fmt.Errorf("gemini: a part of type %T in a tool result has no form on this wire", p)
}
