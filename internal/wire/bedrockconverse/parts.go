package bedrockconverse

import (
	"path"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

func (e *encoder) encodePart(p chat.Part) {
	switch p := p.(type) {
	case chat.Text:
		e.encodeText(p.Text)
	case chat.Thinking:
		e.encodeThought(&p)
	case chat.Image:
		e.encodeImage(&p)
	case chat.File:
		e.encodeDocument(&p)
	case chat.Audio:
		e.encodeAudio(&p)
	case chat.ToolCall:
		e.encodeCall(&p)
	case chat.ToolResult:
		e.encodeResult(&p)
	}
}

func (e *encoder) encodeText(s string) {
	e.w.Object()
	e.w.Str("text", s)
	e.w.EndObject()
}

// openPart begins a block: an object in an object, under the name of its kind.
func (e *encoder) openPart(kind string) {
	e.w.Object()
	e.w.Obj(kind)
}

func (e *encoder) endPart() {
	e.w.EndObject()
	e.w.EndObject()
}

func (e *encoder) encodeThought(t *chat.Thinking) {
	w := &e.w
	e.openPart("reasoningContent")
	if t.Signature.Kind == kindRedacted {
		w.Str("redactedContent", t.Signature.Data)
		e.endPart()
		return
	}
	w.Obj("reasoningText")
	w.Str("text", t.Text)
	w.Str("signature", t.Signature.Data)
	w.EndObject()
	e.endPart()
}

// encodeCall says a call back. The API takes nothing but an object as input.
func (e *encoder) encodeCall(c *chat.ToolCall) {
	w := &e.w
	e.openPart("toolUse")
	w.Str("toolUseId", e.ids.Of(c.ID))
	w.Str("name", c.Name)
	w.JSON("input", wire.ObjectArguments(c))
	e.endPart()
}

// encodeResult writes a result. Text that is JSON stays text: as a json block it
// would be read and written anew on its way, and large numbers would suffer.
// Source: aws-sdk-go-v2 bedrockruntime types.go, ToolResultBlock: only some
// models take a status; read 2026-11-30.
func (e *encoder) encodeResult(r *chat.ToolResult) {
	w := &e.w
	e.openPart("toolResult")
	w.Str("toolUseId", e.ids.Of(r.CallID))
	w.List("content")
	spoken := e.c.Quirks.NoResultStatus && r.IsError // the failure is said in words
	if spoken {
		e.encodeText("error:")
	}
	said := spoken
	for _, p := range r.Parts {
		said = e.encodeResultPart(p) || said
	}
	if !said {
		e.encodeText(nothing)
	}
	w.EndArray()
	if !e.c.Quirks.NoResultStatus {
		w.Key("status")
		if r.IsError {
			w.String("error")
		} else {
			w.String("success")
		}
	}
	e.endPart()
}

func (e *encoder) encodeResultPart(p chat.Part) (written bool) {
	switch p := p.(type) {
	case chat.Text:
		if isBlank(p.Text) {
			return false
		}
	case chat.Image, chat.File:
	case chat.Thinking, chat.Audio, chat.ToolCall, chat.ToolResult:
		e.fail("a part of type %T in a tool result has no place on this wire", p)
		return false
	}
	e.encodePart(p)
	return true
}

// Formats by media type. Source: aws-sdk-go-v2 bedrockruntime enums.go,
// ImageFormat, DocumentFormat, AudioFormat, read 2026-11-30.
var (
	imageFormats = map[string]string{
		"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp",
	}
	documentFormats = map[string]string{
		"application/pdf": "pdf", "text/csv": "csv", "text/html": "html", "text/plain": "txt", "text/markdown": "md",
		"application/msword": "doc", "application/vnd.ms-excel": "xls",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":       "xlsx",
	}
	audioFormats = map[string]string{
		"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3",
	}
)

// encodeFileFormat writes the format that a media type stands for or, failing that, the
// ending of a file's address.
func (e *encoder) encodeFileFormat(what string, formats map[string]string, mediaType, url string) {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	format := formats[strings.TrimSpace(mediaType)]
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(url), "."))
	if ending == "jpg" {
		ending = "jpeg"
	}
	for _, f := range formats {
		if mediaType == "" && f == ending {
			format = f
		}
	}
	if format == "" {
		e.fail("%s of type %q has no place on this wire", what, mediaType)
	}
	e.w.Str("format", format)
}

// encodeSource writes the bytes, or where in S3 they are: the API fetches nothing
// else.
func (e *encoder) encodeSource(what, url string, data []byte) {
	w := &e.w
	w.Obj("source")
	switch {
	case len(data) > 0:
		w.Key("bytes")
		wire.WriteBase64(w, "", data)
	case strings.HasPrefix(url, "s3://"):
		w.Obj("s3Location")
		w.Str("uri", url)
		w.EndObject()
	case url != "":
		e.fail("%s by URL has no place on this wire, unless it is one of S3", what)
	default:
		e.fail("%s without data and without a URL", what)
	}
	w.EndObject()
}

func (e *encoder) encodeImage(p *chat.Image) {
	e.openPart("image")
	e.encodeFileFormat("an image", imageFormats, p.MediaType, p.URL)
	e.encodeSource("an image", p.URL, p.Data)
	e.endPart()
}

func (e *encoder) encodeAudio(p *chat.Audio) {
	e.openPart("audio")
	e.encodeFileFormat("audio", audioFormats, p.MediaType, "")
	e.encodeSource("audio", "", p.Data)
	e.endPart()
}

func (e *encoder) encodeDocument(p *chat.File) {
	if p.ID != "" {
		e.fail("a file by id has no place on this wire")
	}
	e.openPart("document")
	e.encodeFileFormat("a file", documentFormats, p.MediaType, p.URL)
	e.w.Str("name", e.makeDocumentName(p))
	e.encodeSource("a file", p.URL, p.Data)
	e.endPart()
}

// maxName is how long a document's name may be.
const maxName = 200

// makeDocumentName returns a name that the API takes: letters, digits, single spaces,
// hyphens and brackets, and no name twice in a request.
// Source: aws-sdk-go-v2 bedrockruntime types.go, DocumentBlock, read 2026-11-30.
func (e *encoder) makeDocumentName(p *chat.File) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', strings.ContainsRune("-()[] ", r):
			return r
		case r == '_' || r == '\t':
			return ' '
		}
		return '-'
	}, strings.TrimSuffix(p.Name, path.Ext(p.Name)))
	name = strings.Join(strings.Fields(name), " ")
	if name = strings.TrimSpace(name[:min(len(name), maxName-8)]); strings.Trim(name, "- ") == "" {
		name = "document"
	}
	if e.names == nil {
		e.names = make(map[string]bool)
	}
	unique := name
	for n := 2; e.names[unique]; n++ {
		unique = name + " (" + strconv.Itoa(n) + ")"
	}
	e.names[unique] = true
	return unique
}
