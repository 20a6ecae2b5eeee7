package gemini

import (
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// encodeModelPart writes a part of the model's turn, as it was received.
func (e *encoder) encodeModelPart(p chat.Part, role chat.Role) error {
	switch p := p.(type) {
	case chat.Text:
		e.encodeText(p.Text, tokenFor(p.Signature))
		return nil
	case chat.Thinking:
		e.encodeThought(p)
		return nil
	case chat.ToolCall:
		e.encodeCall(&p)
		return nil
	case chat.Image, chat.File, chat.Audio, chat.ToolResult:
	}
	return refusePart(p, role)
}

// encodeUserPart writes a part of the user's turn; the results were written before.
func (e *encoder) encodeUserPart(p chat.Part, role chat.Role) error {
	switch p := p.(type) {
	case chat.Text:
		e.encodeText(p.Text, "")
		return nil
	case chat.Image:
		if role != chat.RoleSystem {
			return e.encodeMedia("an image", p.MediaType, p.Data, p.URL)
		}
	case chat.File:
		if role != chat.RoleSystem {
			return e.encodeFile(&p)
		}
	case chat.Audio:
		if role != chat.RoleSystem {
			return e.encodeMedia("audio", p.MediaType, p.Data, "")
		}
	case chat.ToolResult:
		return nil
	case chat.Thinking, chat.ToolCall:
	}
	return refusePart(p, role)
}

func refusePart(p chat.Part, role chat.Role) error {
	return fmt.Errorf("gemini: a part of type %T in a %s message has no form on this wire", p, role)
}

// tokenFor is the thoughtSignature to send back with a part; "" if there is
// none.
func tokenFor(s chat.Signature) string {
	if s.Kind == kindSignature || s.Kind == kindSignedID {
		return s.Data
	}
	return ""
}

// canReplay reports whether the thought came from this dialect.
func canReplay(t chat.Thinking) bool {
	return t.Signature.Kind == kindSignature || t.Signature.Kind == kindThought && t.Text != ""
}

// encodeText writes a text unless it says nothing: the API refuses empty parts, but
// for those that carry a token.
func (e *encoder) encodeText(text, token string) {
	if text == "" && token == "" {
		return
	}
	w := &e.w
	w.Object()
	w.Str("text", text)
	e.encodeToken(token)
	w.EndObject()
}

func (e *encoder) encodeToken(token string) {
	e.w.StrIf("thoughtSignature", token)
}

func (e *encoder) encodeThought(t chat.Thinking) {
	if !canReplay(t) {
		return
	}
	w := &e.w
	w.Object()
	w.Str("text", t.Text)
	w.Flag("thought", true)
	e.encodeToken(tokenFor(t.Signature))
	w.EndObject()
}

// call is what a result needs to know of its call.
type call struct {
	id, name string
	sent     bool // the id is the API's, so it is sent
}

// encodeCall says a call back. Among the calls of a turn only the first
// needs a token; if it came from elsewhere, the profile says what to send.
func (e *encoder) encodeCall(c *chat.ToolCall) {
	known := call{c.ID, c.Name, c.Signature.Kind == kindID || c.Signature.Kind == kindSignedID}
	e.calls = append(e.calls, known)
	token := tokenFor(c.Signature)
	if token == "" && e.bare {
		token = e.call.Quirks.CallSignature
	}
	e.bare = false
	w := &e.w
	w.Object()
	w.Obj("functionCall")
	if known.sent {
		w.Str("id", c.ID)
	}
	w.Str("name", c.Name)
	w.JSON("args", wire.ObjectArguments(c))
	w.EndObject()
	e.encodeToken(token)
	w.EndObject()
}

// encodeFile writes a document. The id of an uploaded file is its URI.
func (e *encoder) encodeFile(p *chat.File) error {
	where := p.URL
	if p.ID != "" {
		where = p.ID
	}
	return e.encodeMedia("a file", p.MediaType, p.Data, where)
}

// encodeMedia writes data in base64, or where the API finds it.
func (e *encoder) encodeMedia(what, mediaType string, data []byte, uri string) error {
	w := &e.w
	w.Object()
	switch {
	case len(data) > 0:
		w.Obj("inlineData")
		w.Str("mimeType", mediaType)
		w.Key("data")
		wire.WriteBase64(w, "", data)
	case uri != "":
		w.Obj("fileData")
		w.StrIf("mimeType", mediaType)
		w.Str("fileUri", uri)
	default:
		return fmt.Errorf("gemini: %s without data and without a place", what)
	}
	w.EndObject()
	w.EndObject()
	return nil
}
