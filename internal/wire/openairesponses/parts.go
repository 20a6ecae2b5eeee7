package openairesponses

import (
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// part writes a part of a user message or of a result.
// Source: openai-go responses/response.go, ResponseInputContentUnion, read
// 2026-11-30.
func (e *encoder) part(p chat.Part) {
	switch p := p.(type) {
	case chat.Text:
		e.text(p.Text)
	case chat.Image:
		e.image(&p)
	case chat.File:
		e.file(&p)
	case chat.Audio:
		e.fail("audio has no place on this wire")
	case chat.Thinking, chat.ToolCall, chat.ToolResult:
		e.fail("a message to the model with a part of type %T", p)
	}
}

func (e *encoder) text(s string) {
	e.open("input_text")
	e.w.Str("text", s)
	e.w.EndObject()
}

func (e *encoder) open(kind string) {
	e.w.Object()
	e.w.Str("type", kind)
}

func (e *encoder) image(p *chat.Image) {
	e.open("input_image")
	e.w.Key("image_url")
	if p.URL != "" {
		e.w.String(p.URL)
	} else {
		e.dataURL(p.MediaType, p.Data)
	}
	e.w.StrIf("detail", p.Detail)
	e.w.EndObject()
}

func (e *encoder) file(p *chat.File) {
	e.open("input_file")
	switch {
	case p.ID != "":
		e.w.Str("file_id", p.ID)
	case p.URL != "":
		e.w.Str("file_url", p.URL)
	default:
		e.w.Str("filename", fileName(p))
		e.w.Key("file_data")
		e.dataURL(p.MediaType, p.Data)
	}
	e.w.EndObject()
}

// fileName is never empty: data without a name is refused.
func fileName(p *chat.File) string {
	if p.Name != "" {
		return p.Name
	}
	if _, sub, ok := strings.Cut(p.MediaType, "/"); ok && sub != "plain" {
		return "file." + sub
	}
	return "file.txt"
}

func (e *encoder) dataURL(mediaType string, data []byte) {
	if mediaType == "" {
		e.fail("data without a media type")
	}
	wire.WriteDataURL(&e.w, mediaType, data)
}

// results writes one item per result.
// Source: openai-go responses/response.go, function_call_output, read
// 2026-11-30.
func (e *encoder) results(parts []chat.Part) {
	for _, p := range parts {
		r, ok := p.(chat.ToolResult)
		if !ok {
			e.fail("a tool message with a part of type %T", p)
			continue
		}
		kind := "function_call_output"
		if e.custom[r.CallID] {
			kind = "custom_tool_call_output"
		}
		e.open(kind)
		e.w.Str("call_id", r.CallID)
		e.w.Key("output")
		if text, ok := onlyText(r.Parts); ok {
			e.w.String(failurePrefix(r.IsError) + text)
		} else {
			e.outputs(&r)
		}
		e.w.EndObject()
	}
}

// failurePrefix is what stands before the text of a result: the wire has no flag for
// one that failed.
func failurePrefix(isError bool) string {
	if isError {
		return "error: "
	}
	return ""
}

// onlyText is the text of a result that is nothing else.
func onlyText(parts []chat.Part) (string, bool) {
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		t, ok := p.(chat.Text)
		if !ok {
			return "", false
		}
		texts = append(texts, t.Text)
	}
	return strings.Join(texts, "\n"), true
}

// outputs writes a result that is more than text.
func (e *encoder) outputs(r *chat.ToolResult) {
	parts := r.Parts
	e.w.Array()
	if r.IsError {
		lead := failurePrefix(true) + "see below"
		if t, ok := parts[0].(chat.Text); ok {
			lead = failurePrefix(true) + t.Text
			parts = parts[1:]
		}
		e.text(lead)
	}
	for _, p := range parts {
		e.part(p)
	}
	e.w.EndArray()
}
