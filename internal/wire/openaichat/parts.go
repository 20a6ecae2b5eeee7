package openaichat

import (
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// encodeUser writes a user message: a string if it is one text, else a list of parts.
func (e *encoder) encodeUser(parts []chat.Part) {
	w := &e.w
	if s, ok := oneText(parts, e.q.TextOnlyContent); ok {
		e.encodePlain("user", s)
		return
	}
	w.Object()
	w.Str("role", "user")
	w.List("content")
	for _, p := range parts {
		e.encodePart(p)
	}
	w.EndArray()
	w.EndObject()
}

// oneText is the text of parts that a plain string can carry; join allows for
// more than one part.
func oneText(parts []chat.Part, join bool) (string, bool) {
	if len(parts) > 1 && !join {
		return "", false
	}
	for _, p := range parts {
		if _, ok := p.(chat.Text); !ok {
			return "", false
		}
	}
	return textOf(parts, "\n"), true
}

// textOf joins the text parts among parts; a single one isn't copied.
func textOf(parts []chat.Part, separator string) string {
	var one string
	var more []string
	for _, p := range parts {
		t, ok := p.(chat.Text)
		switch {
		case !ok || t.Text == "":
		case one == "":
			one = t.Text
		case more == nil:
			more = append(make([]string, 0, len(parts)), one, t.Text)
		default:
			more = append(more, t.Text)
		}
	}
	if more == nil {
		return one
	}
	return strings.Join(more, separator)
}

func (e *encoder) encodePart(p chat.Part) {
	switch p := p.(type) {
	case chat.Text:
		w := &e.w
		w.Object()
		w.Str("type", "text")
		w.Str("text", p.Text)
		w.EndObject()
	case chat.Image:
		e.encodeImage(&p)
	case chat.File:
		e.encodeFile(&p)
	case chat.Audio:
		e.encodeAudio(&p)
	case chat.Thinking, chat.ToolCall, chat.ToolResult:
		e.fail("a user message with a part of type %T", p)
	}
}

// openPart begins a part that holds an object under the name of its type.
func (e *encoder) openPart(kind string) {
	e.w.Object()
	e.w.Str("type", kind)
	e.w.Obj(kind)
}

func (e *encoder) endPart() {
	e.w.EndObject()
	e.w.EndObject()
}

func (e *encoder) encodeImage(p *chat.Image) {
	e.openPart("image_url")
	e.w.Key("url")
	if p.URL != "" {
		e.w.String(p.URL)
	} else {
		e.encodeDataURL(p.MediaType, p.Data)
	}
	e.w.StrIf("detail", p.Detail)
	e.endPart()
}

func (e *encoder) encodeFile(p *chat.File) {
	e.openPart("file")
	e.w.StrIf("filename", p.Name)
	switch {
	case p.ID != "":
		e.w.Str("file_id", p.ID)
	case p.URL != "":
		e.fail("a file by URL has no place on this wire")
	default:
		e.w.Key("file_data")
		e.encodeDataURL(p.MediaType, p.Data)
	}
	e.endPart()
}

// audioFormats are the two that the wire knows.
// Source: openai-openapi, input_audio.format, read 2026-11-30.
var audioFormats = map[string]string{
	"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3",
}

func (e *encoder) encodeAudio(p *chat.Audio) {
	format := audioFormats[p.MediaType]
	if format == "" {
		e.fail("audio of type %q has no place on this wire", p.MediaType)
	}
	e.openPart("input_audio")
	e.w.Key("data")
	wire.WriteBase64(&e.w, "", p.Data)
	e.w.Str("format", format)
	e.endPart()
}

func (e *encoder) encodeDataURL(mediaType string, data []byte) {
	if mediaType == "" {
		e.fail("data without a media type")
	}
	wire.WriteDataURL(&e.w, mediaType, data)
}
