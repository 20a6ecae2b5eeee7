package openaichat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
)

// encodeMessages writes the conversation. Images and files that tools returned can't
// stand in a tool message; they follow in a user message of ours, once all
// results of the turn are said.
// Source: openai-openapi, ChatCompletionRequestToolMessage, read 2026-11-30.
func (e *encoder) encodeMessages() {
	w := &e.w
	w.List("messages")
	if e.c.System != "" {
		e.encodePlain(e.q.SystemRole, e.c.System)
	}
	var attached []chat.ToolResult
	for i := range e.c.Messages {
		m := &e.c.Messages[i]
		if m.Role != chat.RoleTool {
			e.encodeAttachments(attached)
			attached = nil
		}
		switch m.Role {
		case chat.RoleSystem:
			e.onlyText(m)
			e.encodePlain(e.q.SystemRole, textOf(m.Parts, ""))
		case chat.RoleUser:
			e.encodeUser(m.Parts)
		case chat.RoleAssistant:
			e.encodeAssistant(m)
		case chat.RoleTool:
			attached = e.encodeResults(m, attached)
		default:
			e.fail("message %d has role %q", i, m.Role)
		}
	}
	e.encodeAttachments(attached)
	w.EndArray()
}

func (e *encoder) encodePlain(role, text string) {
	w := &e.w
	w.Object()
	w.Str("role", role)
	w.Str("content", text)
	w.EndObject()
}

func (e *encoder) onlyText(m *chat.Message) {
	for _, p := range m.Parts {
		if _, ok := p.(chat.Text); !ok {
			e.fail("a %s message with a part of type %T", m.Role, p)
		}
	}
}

// encodeAssistant writes a turn of the model: text, thoughts as the quirks want them,
// and calls.
func (e *encoder) encodeAssistant(m *chat.Message) {
	w := &e.w
	calls := false
	for _, p := range m.Parts {
		switch p.(type) {
		case chat.Text, chat.Thinking:
		case chat.ToolCall:
			calls = true
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
			e.fail("an assistant message with a part of type %T", p)
		}
	}
	w.Object()
	w.Str("role", "assistant")
	w.Key("content")
	if s := textOf(m.Parts, ""); s == "" && calls && e.q.ReplayThinking == "" {
		w.Null()
	} else { // servers that want thoughts back send an empty text themselves
		w.String(s)
	}
	e.encodeThoughts(m, calls)
	if calls {
		w.List("tool_calls")
		for _, p := range m.Parts {
			if c, ok := p.(chat.ToolCall); ok {
				e.encodeCall(&c)
			}
		}
		w.EndArray()
	}
	w.EndObject()
}

// encodeThoughts says back what the model thought, where the server wants it.
// Source: api-docs.deepseek.com, "Thinking mode"; openrouter.ai/docs,
// "Reasoning tokens"; read 2026-11-30.
func (e *encoder) encodeThoughts(m *chat.Message, calls bool) {
	if e.q.ReplayThinking == "" {
		return
	}
	var b strings.Builder
	var details string
	for _, p := range m.Parts {
		if t, ok := p.(chat.Thinking); ok {
			b.WriteString(t.Text)
			if t.Signature.Kind == signDetails && rawjson.Valid([]byte(t.Signature.Data)) {
				details = t.Signature.Data
			}
		}
	}
	if e.q.ReplayThinking != signDetails && (b.Len() > 0 || calls && e.q.ReplayOnToolTurns) {
		e.w.Str(e.q.ReplayThinking, b.String())
	}
	if details != "" {
		e.w.JSON("reasoning_details", json.RawMessage(details))
	}
}

func (e *encoder) encodeCall(c *chat.ToolCall) {
	w := &e.w
	if c.Synthetic {
		e.fail("call %s was made by a rewrite; the provider never saw it", c.ID)
	}
	kind, arguments := "function", "arguments"
	if c.Signature.Kind == signCustom {
		kind, arguments = "custom", "input"
	}
	w.Object()
	w.Str("id", e.ids.Of(c.ID))
	w.Str("type", kind)
	w.Obj(kind)
	w.Str("name", c.Name)
	w.Key(arguments)
	if len(c.Arguments) == 0 {
		w.String("{}")
	} else {
		e.writeBytes(c.Arguments)
	}
	w.EndObject()
	if c.Signature.Kind == signThought && c.Signature.Data != "" {
		w.Obj("extra_content")
		w.Obj("google")
		w.Str("thought_signature", c.Signature.Data)
		w.EndObject()
		w.EndObject()
	}
	w.EndObject()
}

// writeBytes writes text that is held as bytes, without a copy.
func (e *encoder) writeBytes(b []byte) {
	e.w.String("")
	e.w.Buf = rawjson.AppendStringBytes(e.w.Buf[:len(e.w.Buf)-2], b)
}

// encodeResults writes one tool message per result and adds those that have more
// than text to attached.
func (e *encoder) encodeResults(m *chat.Message, attached []chat.ToolResult) []chat.ToolResult {
	for _, p := range m.Parts {
		r, ok := p.(chat.ToolResult)
		if !ok {
			e.fail("a tool message with a part of type %T", p)
			continue
		}
		text, more := makeResultText(&r)
		if more {
			attached = append(attached, r)
		}
		w := &e.w
		w.Object()
		w.Str("role", "tool")
		w.Str("tool_call_id", e.ids.Of(r.CallID))
		w.Str("content", text)
		w.EndObject()
	}
	return attached
}

// makeResultText returns the text of a result; the wire has no flag for a failure.
func makeResultText(r *chat.ToolResult) (text string, more bool) {
	for _, p := range r.Parts {
		if _, ok := p.(chat.Text); !ok {
			more = true
		}
	}
	text = textOf(r.Parts, "\n")
	if text == "" && more {
		text = "The result is attached below."
	}
	if r.IsError {
		text = "error: " + text
	}
	return text, more
}

// encodeAttachments writes the user message that carries what tool messages can't.
func (e *encoder) encodeAttachments(results []chat.ToolResult) {
	if len(results) == 0 {
		return
	}
	var parts []chat.Part
	for _, r := range results {
		lead := fmt.Sprintf("Attached to the result of tool call %s:", e.ids.Of(r.CallID))
		parts = append(parts, chat.Text{Text: lead})
		for _, p := range r.Parts {
			if _, ok := p.(chat.Text); !ok {
				parts = append(parts, p)
			}
		}
	}
	e.encodeUser(parts)
}
