package ollama

import (
	"encoding/base64"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

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
	const perPart = 96
	n := 0
	for _, p := range parts {
		switch p := p.(type) {
		case chat.Text:
			n += len(p.Text)
		case chat.Thinking:
			n += len(p.Text) + len(p.Signature.Data)
		case chat.Image:
			n += base64.StdEncoding.EncodedLen(len(p.Data)) + len(p.URL)
		case chat.File:
			n += base64.StdEncoding.EncodedLen(len(p.Data))
		case chat.Audio:
			n += base64.StdEncoding.EncodedLen(len(p.Data))
		case chat.ToolCall:
			n += len(p.Arguments) + len(p.Arguments)/8 + len(p.Signature.Data) + perPart
		case chat.ToolResult:
			n += sizeOfParts(p.Parts)
		}
		n += perPart
	}
	return n
}
