package anthropic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// assistantPart writes a part of the model's turn, as it was received.
// cacheable says that a block was written which can be marked for the cache.
func (e *encoder) assistantPart(p chat.Part, role chat.Role) (cacheable bool, err error) {
	switch p := p.(type) {
	case chat.Text:
		return e.text(p), nil
	case chat.Thinking:
		e.thought(p)
		return false, nil
	case chat.ToolCall:
		e.calls = append(e.calls, p.ID)
		e.toolUse(&p)
		return true, nil
	case chat.Image, chat.File, chat.Audio, chat.ToolResult:
	}
	return false, misplaced(p, role)
}

// userPart writes a part of the user's turn; the results were written before.
func (e *encoder) userPart(p chat.Part, role chat.Role) (cacheable bool, err error) {
	switch p := p.(type) {
	case chat.Text:
		return e.text(p), nil
	case chat.Image:
		return true, e.image(&p)
	case chat.File:
		return true, e.document(&p)
	case chat.ToolResult:
		return false, nil
	case chat.Thinking, chat.Audio, chat.ToolCall:
	}
	return false, misplaced(p, role)
}

func (e *encoder) systemPart(p chat.Part, role chat.Role) (cacheable bool, err error) {
	t, ok := p.(chat.Text)
	if !ok {
		return false, misplaced(p, role)
	}
	return e.text(t), nil
}

func misplaced(p chat.Part, role chat.Role) error {
	return fmt.Errorf("anthropic: a part of type %T in a %s message has no form on this wire", p, role)
}

// openText writes a text block up to its closing brace.
func (e *encoder) openText(text string) {
	e.w.Object()
	e.w.Str("type", "text")
	e.w.Str("text", text)
}

func (e *encoder) text(t chat.Text) (written bool) {
	if blank(t.Text) {
		return false
	}
	e.openText(t.Text)
	e.w.EndObject()
	return true
}

// replayable reports whether the thought carries what the API needs to take it
// back.
func replayable(t chat.Thinking) bool {
	return t.Signature.Data != "" && (t.Signature.Kind == kindSignature || t.Signature.Kind == kindRedacted)
}

// thought says a thinking block back, its text empty or not. One without a
// signature would be refused and is left out.
func (e *encoder) thought(t chat.Thinking) {
	if !replayable(t) {
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

// toolUse says a call back. The API takes nothing but an object as input.
func (e *encoder) toolUse(c *chat.ToolCall) {
	w := &e.w
	w.Object()
	w.Str("type", "tool_use")
	w.Str("id", e.ids.Of(c.ID))
	w.Str("name", c.Name)
	w.JSON("input", wire.ObjectArguments(c))
	w.EndObject()
}

// toolResult writes a result; without content if there is nothing to say, as
// an empty text block would be refused.
func (e *encoder) toolResult(r *chat.ToolResult) error {
	w := &e.w
	w.Object()
	w.Str("type", "tool_result")
	w.Str("tool_use_id", e.ids.Of(r.CallID))
	if says(&chat.Message{Parts: r.Parts}) {
		w.List("content")
		for _, p := range r.Parts {
			if err := e.resultPart(p); err != nil {
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

func (e *encoder) resultPart(p chat.Part) error {
	switch p := p.(type) {
	case chat.Text:
		e.text(p)
		return nil
	case chat.Image:
		return e.image(&p)
	case chat.File:
		return e.document(&p)
	case chat.Thinking, chat.Audio, chat.ToolCall, chat.ToolResult:
	}
	return fmt.Errorf("anthropic: a part of type %T in a tool result has no form on this wire", p)
}

func (e *encoder) image(p *chat.Image) error {
	w := &e.w
	w.Object()
	w.Str("type", "image")
	w.Key("source")
	switch {
	case len(p.Data) > 0:
		e.dataSource(p.MediaType, p.Data)
	case p.URL != "":
		e.namedSource("url", "url", p.URL)
	default:
		return errors.New("anthropic: an image without data and without a URL")
	}
	w.EndObject()
	return nil
}

// document writes a file. Data is a PDF or plain text: the API takes no other
// kinds. Source: anthropic-sdk-go message.go, DocumentBlockParamSourceUnion,
// read 2026-11-30.
func (e *encoder) document(p *chat.File) error {
	w := &e.w
	w.Object()
	w.Str("type", "document")
	w.Key("source")
	mediaType, _, _ := strings.Cut(p.MediaType, ";")
	switch {
	case p.ID != "":
		e.namedSource("file", "file_id", p.ID)
	case len(p.Data) > 0 && mediaType == "application/pdf":
		e.dataSource(mediaType, p.Data)
	case len(p.Data) > 0 && mediaType == "text/plain":
		e.textSource(string(p.Data))
	case len(p.Data) > 0:
		return fmt.Errorf("anthropic: a file of type %q has no form on this wire: only PDF and plain text have", p.MediaType)
	case p.URL != "":
		e.namedSource("url", "url", p.URL)
	default:
		return errors.New("anthropic: a file without data, URL and id")
	}
	w.StrIf("title", p.Name)
	w.EndObject()
	return nil
}

func (e *encoder) dataSource(mediaType string, data []byte) {
	e.openSource("base64", mediaType)
	wire.WriteBase64(&e.w, "", data)
	e.w.EndObject()
}

func (e *encoder) textSource(text string) {
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

func (e *encoder) namedSource(typ, member, value string) {
	w := &e.w
	w.Object()
	w.Str("type", typ)
	w.Str(member, value)
	w.EndObject()
}
