package coherev2

import (
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// nothing is what an empty result is sent as: the API refuses empty content.
const nothing = "(no output)"

// encodeMessages writes the conversation. Messages of one role may follow each other
// here, and instructions may stand anywhere.
// Source: cohere-go v2, ChatMessageV2; cohere.com/blog/new-api-v2; read
// 2026-11-30.
func (e *encoder) encodeMessages() {
	w := &e.w
	w.List("messages")
	if !isBlank(e.c.System) {
		e.encodePlain("system", e.c.System)
	}
	for i := range e.c.Messages {
		m := &e.c.Messages[i]
		switch m.Role {
		case chat.RoleSystem:
			e.encodeInstruction(m)
		case chat.RoleUser:
			e.encodeUser(m)
		case chat.RoleAssistant:
			e.encodeAssistant(m)
		case chat.RoleTool:
			e.encodeResults(m)
			for _, p := range m.Parts {
				if _, ok := p.(chat.ToolResult); !ok {
					e.refusePart(p, m.Role)
				}
			}
		default:
			e.fail("message %d has role %q", i, m.Role)
		}
	}
	w.EndArray()
}

func (e *encoder) refusePart(p chat.Part, role chat.Role) {
	e.fail("a part of type %T in a %s message has no place on this wire", p, role)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func (e *encoder) openPart(role string) {
	e.w.Object()
	e.w.Str("role", role)
}

func (e *encoder) encodePlain(role, text string) {
	e.openPart(role)
	e.w.Str("content", text)
	e.w.EndObject()
}

func (e *encoder) encodeInstruction(m *chat.Message) {
	for _, p := range m.Parts {
		if _, ok := p.(chat.Text); !ok {
			e.refusePart(p, m.Role)
		}
	}
	if text := m.Text(); !isBlank(text) {
		e.encodePlain("system", text)
	}
}

// encodeUser writes what the user says; results among it come first.
func (e *encoder) encodeUser(m *chat.Message) {
	e.encodeResults(m)
	var said []chat.Part
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			if !isBlank(p.Text) {
				said = append(said, p)
			}
		case chat.Image:
			said = append(said, p)
		case chat.ToolResult:
		case chat.Thinking, chat.File, chat.Audio, chat.ToolCall:
			e.refusePart(p, m.Role)
		}
	}
	if len(said) == 0 {
		return
	}
	if t, ok := said[0].(chat.Text); ok && len(said) == 1 {
		e.encodePlain("user", t.Text)
		return
	}
	e.openPart("user")
	e.w.List("content")
	for _, p := range said {
		switch p := p.(type) {
		case chat.Text:
			e.encodeItem("text", p.Text)
		case chat.Image:
			e.encodeImage(&p)
		case chat.Thinking, chat.File, chat.Audio, chat.ToolCall, chat.ToolResult:
		}
	}
	e.w.EndArray()
	e.w.EndObject()
}

// encodeItem writes a content item whose type is also the name of what is in it.
func (e *encoder) encodeItem(kind, value string) {
	e.w.Object()
	e.w.Str("type", kind)
	e.w.KeyString(kind)
	e.w.String(value)
	e.w.EndObject()
}

func (e *encoder) encodeImage(p *chat.Image) {
	w := &e.w
	w.Object()
	w.Str("type", "image_url")
	w.Obj("image_url")
	w.Key("url")
	switch {
	case p.URL != "":
		w.String(p.URL)
	case len(p.Data) > 0 && p.MediaType != "":
		wire.WriteDataURL(w, p.MediaType, p.Data)
	default:
		e.fail("an image without a URL, and without data and its media type")
	}
	w.StrIf("detail", p.Detail)
	w.EndObject()
	w.EndObject()
}

func (e *encoder) encodeAssistant(m *chat.Message) {
	var t turn
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			if !isBlank(p.Text) {
				t.content = append(t.content, p)
			}
		case chat.Thinking:
			switch {
			case p.Text == "":
			case p.Signature.Kind == kindPlan:
				t.plan += p.Text
			case p.Signature.Kind == kindThinking && e.c.Quirks.ReplayThinking == kindThinking:
				t.content = append(t.content, p)
			}
		case chat.ToolCall:
			if p.Synthetic {
				e.fail("call %s was made by a rewrite; the provider never saw it", p.ID)
			}
			t.calls = append(t.calls, p)
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
			e.refusePart(p, m.Role)
		}
	}
	if len(t.content) == 0 && len(t.calls) == 0 { // a plan alone is of no use
		return
	}
	e.encodeTurn(&t)
}

// turn is what of an assistant message goes back.
type turn struct {
	content []chat.Part // texts and thoughts
	plan    string
	calls   []chat.ToolCall
}

func (e *encoder) encodeTurn(t *turn) {
	w := &e.w
	e.openPart("assistant")
	if len(t.content) > 0 {
		w.List("content")
		for _, p := range t.content {
			switch p := p.(type) {
			case chat.Text:
				e.encodeItem("text", p.Text)
			case chat.Thinking:
				e.encodeItem("thinking", p.Text)
			case chat.Image, chat.File, chat.Audio, chat.ToolCall, chat.ToolResult:
			}
		}
		w.EndArray()
	}
	w.StrIf("tool_plan", t.plan)
	if len(t.calls) > 0 {
		w.List("tool_calls")
		for i := range t.calls {
			e.encodeCall(&t.calls[i])
		}
		w.EndArray()
	}
	w.EndObject()
}

// encodeCall says a call back. Its arguments are the text of an object.
func (e *encoder) encodeCall(c *chat.ToolCall) {
	w := &e.w
	w.Object()
	w.Str("id", c.ID)
	w.Str("type", "function")
	w.Obj("function")
	w.Str("name", c.Name)
	w.Str("arguments", string(wire.ObjectArguments(c)))
	w.EndObject()
	w.EndObject()
}

// encodeResults writes one message per result, as items: text in a plain string was
// refused by some models. Source: 0xPlaygrounds/rig, cohere provider, read
// 2026-11-30.
func (e *encoder) encodeResults(m *chat.Message) {
	for _, p := range m.Parts {
		r, ok := p.(chat.ToolResult)
		if !ok {
			continue
		}
		e.openPart("tool")
		e.w.Str("tool_call_id", r.CallID)
		e.w.List("content")
		e.encodeResultItems(&r)
		e.w.EndArray()
		e.w.EndObject()
	}
}

// encodeResultItems writes what a tool returned. There is no flag for a failure, so
// it is said in words; and a text file is a document, which can be cited.
func (e *encoder) encodeResultItems(r *chat.ToolResult) {
	prefix, said := "", false
	if r.IsError {
		prefix = "error: "
	}
	for _, p := range r.Parts {
		switch p := p.(type) {
		case chat.Text:
			if isBlank(p.Text) {
				continue
			}
			e.encodeItem("text", prefix+p.Text)
			prefix = ""
		case chat.File:
			e.encodeDocument(&p)
		case chat.Thinking, chat.Image, chat.Audio, chat.ToolCall, chat.ToolResult:
			e.fail("a part of type %T in a tool result has no place on this wire", p)
		}
		said = true
	}
	switch {
	case !said:
		e.encodeItem("text", prefix+nothing)
	case prefix != "":
		e.encodeItem("text", "error")
	}
}

func (e *encoder) encodeDocument(f *chat.File) {
	mediaType, _, _ := strings.Cut(f.MediaType, ";")
	if len(f.Data) == 0 || !strings.HasPrefix(mediaType, "text/") && mediaType != "application/json" {
		e.fail("a file of type %q in a tool result has no place on this wire: only text has", f.MediaType)
	}
	w := &e.w
	w.Object()
	w.Str("type", "document")
	w.Obj("document")
	w.Obj("data")
	w.StrIf("title", f.Name)
	w.Str("text", string(f.Data))
	w.EndObject()
	w.EndObject()
	w.EndObject()
}
