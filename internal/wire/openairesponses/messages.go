package openairesponses

import (
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
)

// encodeInput writes the conversation as a flat list of items.
func (e *encoder) encodeInput() {
	w := &e.w
	w.List("input")
	for i := range e.c.Messages {
		m := &e.c.Messages[i]
		switch m.Role {
		case chat.RoleSystem:
			e.encodeMessage(e.systemRole(), m.Parts)
		case chat.RoleUser:
			e.encodeMessage("user", m.Parts)
		case chat.RoleAssistant:
			e.encodeTurn(m.Parts)
		case chat.RoleTool:
			e.encodeResults(m.Parts)
		default:
			e.fail("message %d has role %q", i, m.Role)
		}
	}
	w.EndArray()
}

func (e *encoder) systemRole() string {
	if e.c.Quirks.SystemRole != "" {
		return e.c.Quirks.SystemRole
	}
	return "system"
}

// encodeMessage writes a message that isn't the model's. One that says nothing is
// left out.
func (e *encoder) encodeMessage(role string, parts []chat.Part) {
	if len(parts) == 0 {
		return
	}
	w := &e.w
	w.Object()
	w.Str("type", "message")
	w.Str("role", role)
	w.List("content")
	for _, p := range parts {
		if _, ok := p.(chat.Text); !ok && role != "user" {
			e.fail("a %s message with a part of type %T", role, p)
		}
		e.encodePart(p)
	}
	w.EndArray()
	w.EndObject()
}

// encodeTurn writes what the model said, each item as it came. Thoughts go back with
// the item that followed them, and not without one; an item that followed a
// thought that can't go back goes without its id, by which the provider would
// miss the thought. Source: OpenAI's guide "Reasoning models"; AI SDK,
// packages/openai/src/responses; read 2026-11-30.
func (e *encoder) encodeTurn(parts []chat.Part) {
	var waiting []string // thoughts, until there is what followed them
	named := true
	for i := 0; i < len(parts); i++ {
		switch p := parts[i].(type) {
		case chat.Thinking:
			switch {
			case !isObject(p.Signature.Data):
				named = len(waiting) > 0
			case p.Signature.Kind == signReasoning:
				waiting, named = append(waiting, p.Signature.Data), true
			case p.Signature.Kind == signItem:
				waiting = e.encodeThoughts(waiting)
				e.w.Raw([]byte(p.Signature.Data))
			}
		case chat.Text:
			n := countTogether(parts[i:])
			if hasText(parts[i : i+n]) {
				waiting = e.encodeThoughts(waiting)
				e.encodeTexts(parts[i:i+n], named)
			}
			i += n - 1
		case chat.ToolCall:
			waiting = e.encodeThoughts(waiting)
			e.encodeCall(&p, named)
		case chat.Image, chat.File, chat.Audio, chat.ToolResult, nil:
			e.fail("an assistant message with a part of type %T", p)
		}
	}
}

// encodeThoughts writes those that waited; none are left.
func (e *encoder) encodeThoughts(waiting []string) []string {
	for _, t := range waiting {
		e.w.Raw([]byte(t))
	}
	return waiting[:0]
}

func isObject(data string) bool {
	return strings.HasPrefix(data, "{") && rawjson.Valid([]byte(data))
}

// countTogether counts the texts at the beginning of parts that are of one message.
func countTogether(parts []chat.Part) int {
	first, _ := parts[0].(chat.Text)
	n := 1
	for ; n < len(parts); n++ {
		t, ok := parts[n].(chat.Text)
		if !ok || t.Signature.Data != first.Signature.Data {
			break
		}
	}
	return n
}

func hasText(parts []chat.Part) bool {
	for _, p := range parts {
		if t, ok := p.(chat.Text); ok && t.Text != "" {
			return true
		}
	}
	return false
}

func (e *encoder) encodeTexts(parts []chat.Part, named bool) {
	var l label
	if t, ok := parts[0].(chat.Text); ok {
		l = readLabel(t.Signature)
	}
	w := &e.w
	w.Object()
	w.Str("type", "message")
	if named = named && l.id != ""; named {
		w.Str("id", l.id)
		w.Str("status", l.status)
	}
	w.Str("role", "assistant")
	w.StrIf("phase", l.phase)
	w.List("content")
	for _, p := range parts {
		if t, ok := p.(chat.Text); ok && t.Text != "" {
			e.encodeOutputText(&t, named)
		}
	}
	w.EndArray()
	w.EndObject()
}

// encodeOutputText writes a text of the model's. A message with an id is one that the
// provider made, in all its members.
func (e *encoder) encodeOutputText(t *chat.Text, named bool) {
	w := &e.w
	kind, member := "output_text", "text"
	if t.Signature.Kind == signRefusal {
		kind, member = "refusal", "refusal"
	}
	w.Object()
	w.Str("type", kind)
	w.Str(member, t.Text)
	if named && kind == "output_text" {
		w.List("annotations")
		w.EndArray()
	}
	w.EndObject()
}

// label is what the token of a text says of its message.
type label struct{ id, status, phase string }

func readLabel(sig chat.Signature) label {
	l := label{status: "completed"}
	if sig.Kind != signMessage && sig.Kind != signRefusal || !isObject(sig.Data) {
		return l
	}
	var s rawjson.Scanner
	s.Reset([]byte(sig.Data))
	for key := range s.Members() {
		switch string(key) {
		case "id":
			l.id = readWord(&s)
		case "status":
			l.status = readWord(&s)
		case "phase":
			l.phase = readWord(&s)
		}
	}
	return l
}

// encodeCall writes a call. Results refer to its call_id; the item's id is another,
// and one that wasn't the provider's is refused.
func (e *encoder) encodeCall(c *chat.ToolCall, named bool) {
	w := &e.w
	if c.Synthetic {
		e.fail("call %s was made by a rewrite; the provider never saw it", c.ID)
	}
	kind, arguments, id := "function_call", "arguments", ""
	switch c.Signature.Kind {
	case signCall:
		id = c.Signature.Data
	case signCustom:
		kind, arguments, id = "custom_tool_call", "input", c.Signature.Data
	}
	w.Object()
	w.Str("type", kind)
	if named && id != "" {
		w.Str("id", id)
	}
	w.Str("call_id", c.ID)
	w.Str("name", c.Name)
	w.Key(arguments)
	if len(c.Arguments) == 0 {
		w.String("{}")
	} else {
		e.writeBytes(c.Arguments)
	}
	w.EndObject()
}

// writeBytes writes text that is held as bytes, without a copy.
func (e *encoder) writeBytes(b []byte) {
	e.w.String("")
	e.w.Buf = rawjson.AppendStringBytes(e.w.Buf[:len(e.w.Buf)-2], b)
}

// customCalls are the ids of calls of custom tools; their results have a type
// of their own.
func customCalls(messages []chat.Message) map[string]bool {
	var ids map[string]bool
	for i := range messages {
		for _, p := range messages[i].Parts {
			if c, ok := p.(chat.ToolCall); ok && c.Signature.Kind == signCustom {
				if ids == nil {
					ids = make(map[string]bool)
				}
				ids[c.ID] = true
			}
		}
	}
	return ids
}
