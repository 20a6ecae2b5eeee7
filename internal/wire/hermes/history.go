package hermes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
)

// rewriteHistory writes calls and results as text. Results are the user's to say, in
// one turn with what the user says next.
func (r *rewriter) rewriteHistory(msgs []chat.Message) ([]chat.Message, error) {
	out := make([]chat.Message, 0, len(msgs))
	results := false // the last of out is a turn of results
	for i, m := range msgs {
		switch {
		case m.Role == chat.RoleAssistant:
			m = r.rewriteTurn(m)
		case m.Role == chat.RoleTool:
			parts, err := r.rewriteResults(m.Parts)
			if err != nil {
				return nil, fmt.Errorf("message %d: %w", i, err)
			}
			m = chat.Message{Role: chat.RoleUser, Parts: parts}
			if results { // one turn of results in two messages
				out[len(out)-1].Parts = joinParts(out[len(out)-1].Parts, parts)
				continue
			}
			results = true
			out = append(out, m)
			continue
		case m.Role == chat.RoleUser && results:
			out[len(out)-1].Parts = joinParts(out[len(out)-1].Parts, m.Parts)
			results = false
			continue
		}
		results = false
		out = append(out, m)
	}
	return out, nil
}

func joinParts(ours, more []chat.Part) []chat.Part {
	if len(more) > 0 {
		if t, ok := more[0].(chat.Text); ok {
			ours, more = addText(ours, t.Text), more[1:]
		}
	}
	return append(ours, more...)
}

// rewriteTurn writes a turn's calls into its text. A turn without calls stays as
// it is.
func (r *rewriter) rewriteTurn(m chat.Message) chat.Message {
	if len(m.ToolCalls()) == 0 {
		return m
	}
	r.calls = true
	var parts []chat.Part
	var text strings.Builder
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			text.WriteString(p.Text)
		case chat.ToolCall:
			r.names[p.ID] = p.Name
			if text.Len() > 0 {
				text.WriteByte('\n')
			}
			r.writeCall(&text, &p)
		case chat.Thinking, chat.Image, chat.File, chat.Audio, chat.ToolResult:
			parts = append(parts, p)
		}
	}
	return chat.Message{Role: m.Role, Parts: append(parts, chat.Text{Text: text.String()})}
}

func (r *rewriter) writeCall(b *strings.Builder, c *chat.ToolCall) {
	var w rawjson.Writer
	w.Object()
	w.Str("name", c.Name)
	w.Key("arguments")
	switch {
	case len(c.Arguments) == 0:
		w.Raw([]byte("{}"))
	case json.Valid(c.Arguments):
		w.Raw(c.Arguments)
	default: // what it wrote was no JSON; that much can be shown
		w.String(string(c.Arguments))
	}
	w.EndObject()
	r.writeTagged(b, r.t.Call, w.Buf)
}

func (r *rewriter) writeTagged(b *strings.Builder, tag string, body []byte) {
	b.WriteString(openingTag(tag))
	b.WriteByte('\n')
	b.WriteString(r.guard.Replace(string(body)))
	b.WriteByte('\n')
	b.WriteString(closingTag(tag))
}

// rewriteResults writes a turn of results as one text, followed by what isn't text.
func (r *rewriter) rewriteResults(parts []chat.Part) ([]chat.Part, error) {
	var b strings.Builder
	var rest []chat.Part
	for _, p := range parts {
		res, ok := p.(chat.ToolResult)
		if !ok {
			return nil, fmt.Errorf("a tool message with a part of type %T", p)
		}
		name := res.Name
		if called, ok := r.names[res.CallID]; name == "" && !ok {
			return nil, fmt.Errorf("a result of call %q, which nobody made", res.CallID)
		} else if name == "" {
			name = called
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		rest = append(rest, r.writeResult(&b, name, &res)...)
	}
	return slices.Concat([]chat.Part{chat.Text{Text: b.String()}}, rest), nil
}

// writeResult writes one result and returns the parts that are no text. A result
// that is JSON stays JSON.
func (r *rewriter) writeResult(b *strings.Builder, name string, res *chat.ToolResult) (rest []chat.Part) {
	var text strings.Builder
	for _, p := range res.Parts {
		if t, ok := p.(chat.Text); ok {
			text.WriteString(t.Text)
		} else {
			rest = append(rest, p)
		}
	}
	var w rawjson.Writer
	w.Object()
	w.Str("name", name)
	if res.IsError {
		w.Key("error")
	} else {
		w.Key("content")
	}
	switch s := text.String(); {
	case s == "" && len(rest) > 0:
		w.String("The result is attached below.")
	case json.Valid([]byte(s)):
		w.Raw([]byte(s))
	default:
		w.String(s)
	}
	w.EndObject()
	r.writeTagged(b, r.t.Response, w.Buf)
	return rest
}
