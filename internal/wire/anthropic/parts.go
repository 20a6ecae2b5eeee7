package anthropic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// encodeModelPart writes a part of the model's turn, as it was received.
// cacheable says that a block was written which can be marked for the cache.
func (e *encoder) encodeModelPart(p chat.Part, role chat.Role) (cacheable bool, err error) {
	switch p := p.(type) {
	case chat.Text:
		return e.encodeText(p), nil
	case chat.Thinking:
		e.encodeThought(p)
		return false, nil
	case chat.ToolCall:
		e.calls = append(e.calls, p.ID)
		e.encodeCall(&p)
		return true, nil
	case chat.Image, chat.File, chat.Audio, chat.ToolResult:
	}
	return false, refusePart(p, role)
}

// encodeUserPart writes a part of the user's turn; the results were written before.
func (e *encoder) encodeUserPart(p chat.Part, role chat.Role) (cacheable bool, err error) {
	switch p := p.(type) {
	case chat.Text:
		return e.encodeText(p), nil
	case chat.Image:
		return true, e.encodeImage(&p)
	case chat.File:
		return true, e.encodeDocument(&p)
	case chat.ToolResult:
		return false, nil
	case chat.Thinking, chat.Audio, chat.ToolCall:
	}
	return false, refusePart(p, role)
}

func (e *encoder) encodeSystemPart(p chat.Part, role chat.Role) (cacheable bool, err error) {
	t, ok := p.(chat.Text)
	if !ok {
		return false, refusePart(p, role)
	}
	return e.encodeText(t), nil
}

func refusePart(p chat.Part, role chat.Role) error {
	return fmt.Errorf("anthropic: a part of type %T in a %s message has no form on this wire", p, role)
}

// openText writes a text block up to its closing brace.
func (e *encoder) openText(text string) {
	e.w.Object()
	e.w.Str("type", "text")
	e.w.Str("text", text)
}

func (e *encoder) encodeText(t chat.Text) (written bool) {
	if isBlank(t.Text) {
		return false
	}
	e.openText(t.Text)
	e.w.EndObject()
	return true
}

// canReplay reports whether a thought carries what the API needs to take it
// back.
func canReplay(t chat.Thinking) bool {
	return t.Signature.Data != "" && (t.Signature.Kind == kindSignature || t.Signature.Kind == kindRedacted)
}

// encodeThought says a thinking block back, its text empty or not. One without a
// signature would be refused and is left out.
func (e *encoder) encodeThought(t chat.Thinking) {
	if !canReplay(t) {
		return
	}
	w := &e.w
	w.Object()
	w.Key("type")
	if t.Signature.Kind == kindRedacted {
		w.String("redacted_thinking")
		w.Str("data", t.Signature.Data)
		w.EndObject()
		return
	}
	w.String("thinking")
	w.Str("thinking", t.Text)
	w.Str("signature", t.Signature.Data)
	w.EndObject()
}

// encodeCall says a call back. The API takes nothing but an object as input.
func (e *encoder) encodeCall(c *chat.ToolCall) {
	w := &e.w
	w.Object()
	w.Str("type", "tool_use")
	w.Str("id", e.ids.Of(c.ID))
	w.Str("name", c.Name)
	w.JSON("input", wire.ObjectArguments(c))
	w.EndObject()
}

// encodeResult writes a result; without content if there is nothing to say, as
// an empty text block would be refused.
func (e *encoder) encodeResult(r *chat.ToolResult) error {
	w := &e.w
	w.Object()
	w.Str("type", "tool_result")
	w.Str("tool_use_id", e.ids.Of(r.CallID))
	if saysAnything(&chat.Message{Parts: r.Parts}) {
		w.List("content")
		for _, p := range r.Parts {
			if err := e.encodeResultPart(p); err != nil {
				return err
			}
		}
		w.EndArray()
	}
	if r.IsError {
		w.Flag("is_error", true)
	}
	w.EndObject()
	return nil
}

func (e *encoder) encodeResultPart(p chat.Part) error {
	switch p := p.(type) {
	case chat.Text:
		e.encodeText(p)
		return nil
	case chat.Image:
		return e.encodeImage(&p)
	case chat.File:
		return e.encodeDocument(&p)
	case chat.Thinking, chat.Audio, chat.ToolCall, chat.ToolResult:
	}
	return fmt.Errorf("anthropic: a part of type %T in a tool result has no form on this wire", p)
}

func (e *encoder) encodeImage(p *chat.Image) error {
	w := &e.w
	w.Object()
	w.Str("type", "image")
	w.Key("source")
	switch {
	case len(p.Data) > 0:
		e.encodeDataSource(p.MediaType, p.Data)
	case p.URL != "":
		e.encodeNamedSource("url", "url", p.URL)
	default:
		return errors.New("anthropic: an image without data and without a URL")
	}
	w.EndObject()
	return nil
}

// encodeDocument writes a file. Data is a PDF or plain text: the API takes no other
// kinds. Source: anthropic-sdk-go message.go, DocumentBlockParamSourceUnion,
// read 2026-11-30.
func (e *encoder) encodeDocument(p *chat.File) error {
	w := &e.w
	w.Object()
	w.Str("type", "document")
	w.Key("source")
	mediaType, _, _ := strings.Cut(p.MediaType, ";")
	switch {
	case p.ID != "":
		e.encodeNamedSource("file", "file_id", p.ID)
	case len(p.Data) > 0 && mediaType == "application/pdf":
		e.encodeDataSource(mediaType, p.Data)
	case len(p.Data) > 0 && mediaType == "text/plain":
		e.encodeTextSource(string(p.Data))
	case len(p.Data) > 0:
		return fmt.Errorf("anthropic: a file of type %q has no form on this wire: only PDF and plain text have",
			p.MediaType)
	case p.URL != "":
		e.encodeNamedSource("url", "url", p.URL)
	default:
		return errors.New("anthropic: a file without data, URL and id")
	}
	w.StrIf("title", p.Name)
	w.EndObject()
	return nil
}

func (e *encoder) encodeDataSource(mediaType string, data []byte) {
	e.openSource("base64", mediaType)
	wire.WriteBase64(&e.w, "", data)
	e.w.EndObject()
}

func (e *encoder) encodeTextSource(text string) {
	e.openSource("text", "text/plain")
	e.w.String(text)
	e.w.EndObject()
}

func (e *encoder) openSource(typ, mediaType string) {
	w := &e.w
	w.Object()
	w.Str("type", typ)
	w.Str("media_type", mediaType)
	w.Key("data")
}

func (e *encoder) encodeNamedSource(typ, member, value string) {
	w := &e.w
	w.Object()
	w.Str("type", typ)
	w.Str(member, value)
	w.EndObject()
}
