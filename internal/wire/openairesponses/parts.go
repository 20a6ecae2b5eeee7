package openairesponses

import (
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// encodePart writes a part of a user message or of a result.
// Source: openai-go responses/response.go, ResponseInputContentUnion, read
// 2026-11-30.
func (e *encoder) encodePart(p chat.Part) {
	switch p := p.(type) {
	case chat.Text:
		e.encodeText(p.Text)
	case chat.Image:
		e.encodeImage(&p)
	case chat.File:
		e.encodeFile(&p)
	case chat.Audio:
		e.fail("audio has no place on this wire")
	case chat.Thinking, chat.ToolCall, chat.ToolResult:
		e.fail("a message to the model with a part of type %T", p)
	}
}

func (e *encoder) encodeText(s string) {
	e.openPart("input_text")
	e.w.Str("text", s)
	e.w.EndObject()
}

func (e *encoder) openPart(kind string) {
	e.w.Object()
	e.w.Str("type", kind)
}

func (e *encoder) encodeImage(p *chat.Image) {
	e.openPart("input_image")
	e.w.Key("image_url")
	if p.URL != "" {
		e.w.String(p.URL)
	} else {
		e.encodeDataURL(p.MediaType, p.Data)
	}
	e.w.StrIf("detail", p.Detail)
	e.w.EndObject()
}

func (e *encoder) encodeFile(p *chat.File) {
	e.openPart("input_file")
	switch {
	case p.ID != "":
		e.w.Str("file_id", p.ID)
	case p.URL != "":
		e.w.Str("file_url", p.URL)
	default:
		e.w.Str("filename", fileName(p))
		e.w.Key("file_data")
		e.encodeDataURL(p.MediaType, p.Data)
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

func (e *encoder) encodeDataURL(mediaType string, data []byte) {
	if mediaType == "" {
		e.fail("data without a media type")
	}
	wire.WriteDataURL(&e.w, mediaType, data)
}

// encodeResults writes one item per result.
// Source: openai-go responses/response.go, function_call_output, read
// 2026-11-30.
func (e *encoder) encodeResults(parts []chat.Part) {
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
		e.openPart(kind)
		e.w.Str("call_id", r.CallID)
		e.w.Key("output")
		if text, ok := onlyText(r.Parts); ok {
			e.w.String(failurePrefix(r.IsError) + text)
		} else {
			e.encodeResultParts(&r)
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

func (e *encoder) encodeResultParts(r *chat.ToolResult) {
	parts := r.Parts
	e.w.Array()
	if r.IsError {
		lead := failurePrefix(true) + "see below"
		if t, ok := parts[0].(chat.Text); ok {
			lead = failurePrefix(true) + t.Text
			parts = parts[1:]
		}
		e.encodeText(lead)
	}
	for _, p := range parts {
		e.encodePart(p)
	}
	e.w.EndArray()
}
