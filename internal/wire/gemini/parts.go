package gemini

import (
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// modelPart writes a part of the model's turn, as it was received.
func (e *encoder) modelPart(p chat.Part, role chat.Role) error {
	switch p := p.(type) {
	case chat.Text:
		e.text(p.Text, tokenFor(p.Signature))
		return nil
	case chat.Thinking:
		e.thought(p)
		return nil
	case chat.ToolCall:
		e.functionCall(&p)
		return nil
	case chat.Image, chat.File, chat.Audio, chat.ToolResult:
	}
	return misplaced(p, role)
}

// userPart writes a part of the user's turn; the results were written before.
func (e *encoder) userPart(p chat.Part, role chat.Role) error {
	switch p := p.(type) {
	case chat.Text:
		e.text(p.Text, "")
		return nil
	case chat.Image:
		if role != chat.RoleSystem {
			return e.media("an image", p.MediaType, p.Data, p.URL)
		}
	case chat.File:
		if role != chat.RoleSystem {
			return e.file(&p)
		}
	case chat.Audio:
		if role != chat.RoleSystem {
			return e.media("audio", p.MediaType, p.Data, "")
		}
	case chat.ToolResult:
		return nil
	case chat.Thinking, chat.ToolCall:
	}
	return misplaced(p, role)
}

func misplaced(p chat.Part, role chat.Role) error {
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

// replayable reports whether the thought came from this dialect.
func replayable(t chat.Thinking) bool {
	return t.Signature.Kind == kindSignature || t.Signature.Kind == kindThought && t.Text != ""
}

// text writes a text unless it says nothing: the API refuses empty parts, but
// for those that carry a token.
func (e *encoder) text(text, token string) {
	if text == "" && token == "" {
		return
	}
	w := &e.w
	w.Object()
	w.Str("text", text)
	e.token(token)
	w.EndObject()
}

func (e *encoder) token(token string) {
	e.w.StrIf("thoughtSignature", token)
}

func (e *encoder) thought(t chat.Thinking) {
	if !replayable(t) {
		return
	}
	w := &e.w
	w.Object()
	w.Str("text", t.Text)
	w.Flag("thought", true)
	e.token(tokenFor(t.Signature))
	w.EndObject()
}

// call is what a result needs to know of its call.
type call struct {
	id, name string
	sent     bool // the id is the API's, so it is sent
}

// functionCall says a call back. Among the calls of a turn only the first
// needs a token; if it came from elsewhere, the profile says what to send.
func (e *encoder) functionCall(c *chat.ToolCall) {
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
	e.token(token)
	w.EndObject()
}

// file writes a document. The id of an uploaded file is its URI.
func (e *encoder) file(p *chat.File) error {
	where := p.URL
	if p.ID != "" {
		where = p.ID
	}
	return e.media("a file", p.MediaType, p.Data, where)
}

// media writes data in base64, or where the API finds it.
func (e *encoder) media(what, mediaType string, data []byte, uri string) error {
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
