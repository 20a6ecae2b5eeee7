package ollama

import (
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// encodeMessages writes the conversation. A tool message is text; pictures that a
// tool returned follow in a user message of ours, once all results of the turn
// are said.
// Source: docs/capabilities/tool-calling.mdx, read 2026-11-30.
func (e *encoder) encodeMessages() {
	w := &e.w
	w.List("messages")
	if e.c.System != "" {
		e.encodeMessage("system", e.c.System, nil)
		w.EndObject()
	}
	names := map[string]string{} // of the tools called so far, by the call's id
	var attached []chat.Part
	for i := range e.c.Messages {
		m := &e.c.Messages[i]
		if m.Role != chat.RoleTool {
			e.encodeAttachments(attached)
			attached = nil
		}
		switch m.Role {
		case chat.RoleSystem, chat.RoleUser:
			text, images := e.splitContent(m.Role, m.Parts)
			e.encodeMessage(string(m.Role), text, images)
			w.EndObject()
		case chat.RoleAssistant:
			e.encodeAssistant(m, names)
		case chat.RoleTool:
			attached = append(attached, e.encodeResults(m, names)...)
		default:
			e.fail("message %d has role %q", i, m.Role)
		}
	}
	e.encodeAttachments(attached)
	w.EndArray()
}

// encodeMessage writes a message up to its closing brace.
func (e *encoder) encodeMessage(role, text string, images []chat.Image) {
	w := &e.w
	w.Object()
	w.Str("role", role)
	w.Str("content", text)
	if len(images) == 0 {
		return
	}
	w.List("images")
	for i := range images {
		e.encodeImage(&images[i])
	}
	w.EndArray()
}

// splitContent splits a system or user message into what the wire has places for.
func (e *encoder) splitContent(role chat.Role, parts []chat.Part) (string, []chat.Image) {
	var texts []string
	var images []chat.Image
	for _, p := range parts {
		switch p := p.(type) {
		case chat.Text:
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
			continue
		case chat.Image:
			if role == chat.RoleUser {
				images = append(images, p)
				continue
			}
		case chat.Thinking, chat.File, chat.Audio, chat.ToolCall, chat.ToolResult:
		}
		e.fail("a %s message with a part of type %T", role, p)
	}
	return strings.Join(texts, "\n"), images
}

// encodeImage writes bare base64; the server fetches nothing.
func (e *encoder) encodeImage(p *chat.Image) {
	if p.URL != "" || len(p.Data) == 0 {
		e.fail("an image by URL has no place on this wire")
	}
	wire.WriteBase64(&e.w, "", p.Data)
}

// encodeAssistant writes a turn of the model: text, thoughts, which templates make
// use of, and calls.
func (e *encoder) encodeAssistant(m *chat.Message, names map[string]string) {
	var text, thoughts strings.Builder
	var calls []chat.ToolCall
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			text.WriteString(p.Text)
		case chat.Thinking:
			thoughts.WriteString(p.Text)
		case chat.ToolCall:
			calls = append(calls, p)
			names[p.ID] = p.Name
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
			e.fail("an assistant message with a part of type %T", p)
		}
	}
	w := &e.w
	e.encodeMessage("assistant", text.String(), nil)
	if thoughts.Len() > 0 {
		w.Str("thinking", thoughts.String())
	}
	if len(calls) > 0 {
		w.List("tool_calls")
		for i := range calls {
			e.encodeCall(&calls[i], i)
		}
		w.EndArray()
	}
	w.EndObject()
}

// encodeCall writes a call. Arguments are an object or the whole request is refused.
func (e *encoder) encodeCall(c *chat.ToolCall, index int) {
	if c.Synthetic {
		e.fail("call %s was made by a rewrite; the provider never saw it", c.ID)
	}
	w := &e.w
	w.Object()
	w.Str("id", c.ID)
	w.Obj("function")
	w.Num("index", index)
	w.Str("name", c.Name)
	w.JSON("arguments", wire.ObjectArguments(c))
	w.EndObject()
	w.EndObject()
}

// encodeResults writes one message per result and returns what has to follow them.
func (e *encoder) encodeResults(m *chat.Message, names map[string]string) (attached []chat.Part) {
	w := &e.w
	for _, p := range m.Parts {
		r, ok := p.(chat.ToolResult)
		if !ok {
			e.fail("a tool message with a part of type %T", p)
			continue
		}
		name := r.Name
		if name == "" {
			name = names[r.CallID]
		}
		if name == "" {
			e.fail("a result of call %q, which nobody made", r.CallID)
		}
		text, images := makeResultText(&r)
		if len(images) > 0 {
			attached = append(attached, chat.Text{Text: fmt.Sprintf("Attached to the result of tool call %s:", r.CallID)})
			attached = append(attached, images...)
		}
		e.encodeMessage("tool", text, nil)
		w.Str("tool_name", name)
		w.Str("tool_call_id", r.CallID)
		w.EndObject()
	}
	return attached
}

// makeResultText returns the text of a result; the wire has no flag for a failure.
func makeResultText(r *chat.ToolResult) (text string, more []chat.Part) {
	var texts []string
	for _, p := range r.Parts {
		if t, ok := p.(chat.Text); ok {
			texts = append(texts, t.Text)
		} else {
			more = append(more, p)
		}
	}
	text = strings.Join(texts, "\n")
	if text == "" && len(more) > 0 {
		text = "The result is attached below."
	}
	if r.IsError {
		text = "error: " + text
	}
	return text, more
}

// encodeAttachments writes the user message that carries what tool messages can't.
func (e *encoder) encodeAttachments(parts []chat.Part) {
	if len(parts) == 0 {
		return
	}
	text, images := e.splitContent(chat.RoleUser, parts)
	e.encodeMessage("user", text, images)
	e.w.EndObject()
}
