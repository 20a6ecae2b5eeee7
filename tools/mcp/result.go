package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"path"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

func (r *remote) decodeResult(res *sdk.CallToolResult, t *requestTrace) (chat.ToolResult, error) {
	if res.NeedsInput() {
		return chat.ToolResult{}, errors.New("the server asks for something that can't be answered here")
	}
	var out chat.ToolResult
	size := 0
	for _, c := range res.Content {
		p := r.decodeContent(c)
		size += partSize(p)
		out.Parts = append(out.Parts, p)
	}
	if p, ok := structuredText(res, t); ok {
		size += len(p.Text)
		out.Parts = append(out.Parts, p)
	}
	if limit := r.session.cfg.maxResult(); size > limit {
		return chat.ToolResult{}, fmt.Errorf("the result has %d bytes, %d are the limit: ask for less", size, limit)
	}
	if len(out.Parts) == 0 {
		out.Parts = []chat.Part{chat.Text{}}
	}
	out.IsError = res.IsError
	if res.IsError && r.options.OnError == tools.Stop {
		return chat.ToolResult{}, errors.New(cleanText(chat.Message{Parts: out.Parts}.Text()))
	}
	return out, nil
}

func partSize(p chat.Part) int {
	switch p := p.(type) {
	case chat.Text:
		return len(p.Text)
	case chat.Image:
		return len(p.Data)
	case chat.File:
		return len(p.Data)
	case chat.Thinking, chat.Audio, chat.ToolCall, chat.ToolResult:
	}
	return 0
}

// decodeContent returns a part that can stand in a tool's result. What no
// provider takes there becomes a note, since a part that is refused would end
// the run.
func (r *remote) decodeContent(c sdk.Content) chat.Part {
	switch c := c.(type) {
	case *sdk.TextContent:
		return chat.Text{Text: c.Text}
	case *sdk.ImageContent:
		return r.decodeMedia("image", "", c.MIMEType, c.Data)
	case *sdk.AudioContent:
		return r.decodeMedia("audio", "", c.MIMEType, c.Data)
	case *sdk.ResourceLink:
		return newNote("resource", "name", c.Name, "uri", c.URI, "type", c.MIMEType, "description", c.Description)
	case *sdk.EmbeddedResource:
		return r.decodeResource(c.Resource)
	}
	return newNote(fmt.Sprintf("content of the kind %T", c))
}

func (r *remote) decodeResource(c *sdk.ResourceContents) chat.Part {
	switch {
	case c == nil:
		return newNote("empty resource")
	case len(c.Blob) == 0:
		return chat.Text{Text: newNote("resource", "uri", c.URI, "type", c.MIMEType).Text + "\n" + c.Text}
	case isText(c.MIMEType) && utf8.Valid(c.Blob):
		return chat.Text{Text: newNote("resource", "uri", c.URI, "type", c.MIMEType).Text + "\n" + string(c.Blob)}
	}
	return r.decodeMedia("resource", c.URI, c.MIMEType, c.Blob)
}

// decodeMedia returns a picture, a document, or a note in place of what can't
// be shown. Source: the image types that Anthropic, OpenAI and Gemini all take
// are PNG, JPEG and WebP; GIF all but Gemini. Read 2026-11-30.
func (r *remote) decodeMedia(kind, uri, mediaType string, data []byte) chat.Part {
	base, _, _ := mime.ParseMediaType(mediaType)
	switch {
	case len(data) == 0 || r.session.cfg.TextOnly:
	case base == "image/png", base == "image/jpeg", base == "image/webp", base == "image/gif":
		return chat.Image{MediaType: base, Data: data}
	case base == "application/pdf":
		return chat.File{Name: strings.Trim(path.Base(uri), "./"), MediaType: base, Data: data}
	}
	return newNote(kind, "uri", uri, "type", mediaType, "bytes", strconv.Itoa(len(data)), "shown", "no")
}

func isText(mediaType string) bool {
	base, _, _ := mime.ParseMediaType(mediaType)
	return strings.HasPrefix(base, "text/") || base == "application/json" || base == "application/xml" ||
		strings.HasSuffix(base, "+json") || strings.HasSuffix(base, "+xml")
}

// newNote returns a line such as [resource, uri: "demo://x", type:
// "text/plain"]. Values are quoted, so that they can't be mistaken for its end.
func newNote(kind string, pairs ...string) chat.Text {
	var b strings.Builder
	b.WriteString("[" + kind)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(&b, ", %s: %q", pairs[i], pairs[i+1])
		}
	}
	b.WriteString("]")
	return chat.Text{Text: b.String()}
}

// structuredText returns the structured content as text, unless the content
// says the same. The specification wants servers to put it there as JSON; a
// widely used server library puts the bare value there and wraps it as
// {"result": …}.
func structuredText(res *sdk.CallToolResult, t *requestTrace) (chat.Text, bool) {
	if res.StructuredContent == nil {
		return chat.Text{}, false
	}
	var whole struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	if !t.decodeAnswer(&whole) || whole.StructuredContent == nil {
		whole.StructuredContent, _ = marshal(res.StructuredContent) // what came as JSON goes as JSON
	}
	var inner any
	if m, ok := res.StructuredContent.(map[string]any); ok && len(m) == 1 {
		inner = m["result"]
	}
	for _, c := range res.Content {
		c, ok := c.(*sdk.TextContent)
		if ok && (saysSame(c.Text, res.StructuredContent) || inner != nil && saysSame(c.Text, inner)) {
			return chat.Text{}, false
		}
	}
	return chat.Text{Text: string(whole.StructuredContent)}, true
}

// saysSame reports whether a text is the value, as it is or as JSON.
func saysSame(text string, value any) bool {
	if value == any(text) {
		return true
	}
	var said any
	return json.Unmarshal([]byte(text), &said) == nil && reflect.DeepEqual(said, value)
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
