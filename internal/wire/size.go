package wire

import (
	"encoding/base64"

	"github.com/sabir-go/sabir/chat"
)

// SizeOf guesses the size of a call's body, whatever the dialect, so that it is
// allocated once. It rather guesses too much.
func SizeOf(c *Call) int {
	const perMessage, perTool, perMember = 96, 128, 8
	n := 512 + len(c.Model) + len(c.System)
	for i := range c.Messages {
		n += perMessage + sizeOfParts(c.Messages[i].Parts)
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		n += perTool + len(t.Name) + len(t.Description) + len(t.Schema)
	}
	if f := c.Format; f != nil {
		n += len(f.Description) + 2*len(f.Schema) // Bedrock sends it as text
	}
	for _, m := range c.Extra {
		n += perMember + len(m.Name) + len(m.Value)
	}
	return n + n/16 // some bytes need an escape
}

func sizeOfParts(parts []chat.Part) int {
	const perPart = 128
	n := 0
	for _, p := range parts {
		n += perPart
		switch p := p.(type) {
		case chat.Text:
			n += len(p.Text) + len(p.Signature.Data)
		case chat.Thinking:
			n += len(p.Text) + len(p.Signature.Data)
		case chat.Image:
			n += base64.StdEncoding.EncodedLen(len(p.Data)) + len(p.URL)
		case chat.File:
			n += base64.StdEncoding.EncodedLen(len(p.Data)) + len(p.URL) + len(p.Name)
		case chat.Audio:
			n += base64.StdEncoding.EncodedLen(len(p.Data))
		case chat.ToolCall: // where arguments travel as text, their quotes are escaped
			n += len(p.ID) + len(p.Name) + len(p.Arguments)*5/4 + len(p.Signature.Data)
		case chat.ToolResult:
			n += len(p.CallID) + len(p.Name) + sizeOfParts(p.Parts)
		}
	}
	return n
}
