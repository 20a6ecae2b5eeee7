package aki

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Codec is the dialect's [wire.Codec]. It has no state; the zero value is
// ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// EncodeRequest spells a call. The model is part of the path.
func (Codec) EncodeRequest(c wire.Call) (wire.Encoded, error) {
	enc, err := encodeCall(&c)
	if err != nil {
		return wire.Encoded{}, fmt.Errorf("aki: encode: %w", err)
	}
	return enc, nil
}

func encodeCall(c *wire.Call) (wire.Encoded, error) {
	if err := checkCall(c); err != nil {
		return wire.Encoded{}, err
	}
	context, err := chatContext(c)
	if err != nil {
		return wire.Encoded{}, err
	}
	var w rawjson.Writer
	w.Buf = make([]byte, 0, 256+len(context)+len(context)/8)
	w.Object()
	w.Str("chat_context", string(context))
	if c.Temperature != nil {
		w.Key("temperature")
		w.Float(*c.Temperature)
	}
	if c.TopP != nil {
		w.Key("top_p")
		w.Float(*c.TopP)
	}
	w.NumIf("max_gen_tokens", c.MaxTokens)
	w.Flag("wait_for_result", true)
	wire.WriteExtra(&w, c.Extra)
	w.EndObject()
	return wire.Encoded{Path: "/api/call/" + url.PathEscape(c.Model), Body: w.Buf, KeyMember: "key"}, nil
}

func checkCall(c *wire.Call) error {
	thinking := c.Thinking
	thinking.Replay = false // a switch that only some wires have
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"streaming", c.Stream},
		{"tools", len(c.Tools) > 0},
		{"tool choice", !c.Choice.IsZero() || c.Allowed != nil || c.ParallelTools != nil},
		{"output format", c.Format != nil},
		{"thinking", thinking != wire.Thinking{}},
		{"stop texts", len(c.Stop) > 0},
		{"seed", c.Seed != nil},
		{"cache key", c.Cache.Key != ""},
		{"metadata", len(c.Metadata) > 0},
	} {
		if f.set {
			return fmt.Errorf("%s: no place on this wire", f.name)
		}
	}
	if c.Model == "" || c.Model == "." || c.Model == ".." {
		return errors.New("no model, which is part of the path")
	}
	return nil
}

// chatContext is the conversation. Turns of user and assistant alternate, so
// what follows in the same role is one turn with what is before it.
func chatContext(c *wire.Call) ([]byte, error) {
	var w rawjson.Writer
	w.Array()
	var role chat.Role
	var said []string
	flush := func() {
		if role == "" {
			return
		}
		w.Object()
		w.Str("role", string(role))
		w.Str("content", strings.Join(said, "\n\n"))
		w.EndObject()
		said = said[:0]
	}
	if c.System != "" {
		role, said = chat.RoleSystem, append(said, c.System)
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		text, err := textOf(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if m.Role != role {
			flush()
			role = m.Role
		}
		if text != "" {
			said = append(said, text)
		}
	}
	flush()
	w.EndArray()
	return w.Buf, nil
}

// textOf is a message's text. Thoughts aren't said back: models don't want
// those of earlier turns.
func textOf(m *chat.Message) (string, error) {
	switch m.Role {
	case chat.RoleSystem, chat.RoleUser, chat.RoleAssistant:
	case chat.RoleTool:
		return "", errors.New("results have no place on this wire")
	default:
		return "", fmt.Errorf("role %q has no place on this wire", m.Role)
	}
	var texts []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
			continue
		case chat.Thinking:
			if m.Role == chat.RoleAssistant {
				continue
			}
		case chat.Image, chat.File, chat.Audio, chat.ToolCall, chat.ToolResult:
		}
		return "", fmt.Errorf("a part of type %T has no place on this wire", p)
	}
	if m.Role == chat.RoleAssistant {
		return strings.Join(texts, ""), nil
	}
	return strings.Join(texts, "\n"), nil
}
