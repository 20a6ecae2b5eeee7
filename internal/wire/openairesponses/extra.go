package openairesponses

import (
	"encoding/base64"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// owned are the members that only a field of the call may write, and those
// that would hide the conversation or the answer at the provider.
var owned = [...]string{
	"model", "instructions", "input", "tools", "tool_choice", "parallel_tool_calls", "include", "store",
	"max_output_tokens", "temperature", "top_p", "metadata", "prompt_cache_key", "stream",
	"previous_response_id", "conversation", "background",
}

// extra writes the caller's own members. One that is in the body already would
// make its meaning depend on the reader.
func (e *encoder) extra() {
	for _, m := range e.c.Extra {
		switch {
		case m.Name == "text", m.Name == "reasoning": // written with ours
			continue
		case slices.Contains(owned[:], m.Name):
			e.fail("extra member %q has a field of its own", m.Name)
		}
		e.w.KeyString(m.Name)
		e.w.Raw(m.Value)
	}
}

// member is an extra member that shares an object of ours.
func (e *encoder) member(name string) []byte {
	for _, m := range e.c.Extra {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// splice writes the members of the caller's object into the one that is open,
// but for those that are ours.
func (e *encoder) splice(name string, object []byte, ours ...string) {
	if object == nil {
		return
	}
	var s rawjson.Scanner
	s.Reset(object)
	if !s.EnterObject() {
		e.fail("extra member %q is no object", name)
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		member := string(key)
		if slices.Contains(ours, member) {
			e.fail("extra member %q of %q has a field of its own", member, name)
		}
		e.w.KeyString(member)
		e.w.Raw(s.Raw())
	}
	if s.End() != nil {
		e.fail("extra member %q is no JSON", name)
	}
}

// sizeOf guesses the body's size, so that it is allocated once.
func sizeOf(c *wire.Call) int {
	const perPart, perTool = 96, 128
	n := 512 + len(c.System)
	for i := range c.Messages {
		n += sizeOfParts(c.Messages[i].Parts) + perPart
	}
	for i := range c.Tools {
		n += len(c.Tools[i].Name) + len(c.Tools[i].Description) + len(c.Tools[i].Schema) + perTool
	}
	if c.Format != nil {
		n += len(c.Format.Schema) + len(c.Format.Description)
	}
	for _, m := range c.Extra {
		n += len(m.Name) + len(m.Value)
	}
	return n + n/16 // some bytes need an escape
}

func sizeOfParts(parts []chat.Part) int {
	const perPart = 128
	n := 0
	for _, p := range parts {
		switch p := p.(type) {
		case chat.Text:
			n += len(p.Text) + len(p.Signature.Data)
		case chat.Thinking:
			n += len(p.Signature.Data)
		case chat.Image:
			n += base64.StdEncoding.EncodedLen(len(p.Data)) + len(p.URL)
		case chat.File:
			n += base64.StdEncoding.EncodedLen(len(p.Data)) + len(p.URL)
		case chat.ToolCall:
			n += len(p.Arguments) + len(p.Arguments)/8 + len(p.Signature.Data)
		case chat.ToolResult:
			n += sizeOfParts(p.Parts)
		case chat.Audio: // refused
		}
		n += perPart
	}
	return n
}
