package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
)

// archiveLength is how many bytes one answer of read_archive holds, about, and
// excerptLength how many stand around a place that was found.
const (
	archiveLength = 6000
	excerptLength = 400
)

// archiveQuery is what read_archive is called with.
type archiveQuery struct {
	Query  string `json:"query,omitempty" jsonschema:"words to search for, in any case; left out: read all"`
	From   int    `json:"from,omitempty" jsonschema:"number of the message to begin with, from 0"`
	Offset int    `json:"offset,omitempty" jsonschema:"place in that message to begin at, in bytes; not used in a search"`
}

// readArchive is the function of that tool. While calls run, nothing is added to
// the conversation.
func (r *run) readArchive(_ context.Context, q archiveQuery) (string, error) {
	messages := r.past()
	if q.From < 0 || q.From >= len(messages) || q.Offset < 0 {
		return "", fmt.Errorf("from: the messages are 0 to %d, and an offset is not below 0", len(messages)-1)
	}
	if q.Query != "" {
		return searchArchive(messages, q), nil
	}
	return readOn(messages, q), nil
}

// past is all that was said in the run.
func (r *run) past() []chat.Message {
	if r.agent.Compact == nil {
		return r.result.Messages
	}
	return r.archive()
}

// readOn gives the messages from a place on, as far as one answer reaches.
func readOn(messages []chat.Message, q archiveQuery) string {
	var b strings.Builder
	for i := q.From; i < len(messages); i++ {
		text, skipped := asText(messages[i]), 0
		if i == q.From {
			skipped = min(q.Offset, len(text))
		}
		text = strings.ToValidUTF8(text[skipped:], "")
		part := clip(text, archiveLength-b.Len())
		fmt.Fprintf(&b, "[%d %s] %s\n", i, messages[i].Role, part)
		switch {
		case len(part) < len(text):
			fmt.Fprintf(&b, "Go on with from %d, offset %d.", i, skipped+len(part))
			return b.String()
		case b.Len() >= archiveLength && i+1 < len(messages):
			fmt.Fprintf(&b, "Go on with from %d.", i+1)
			return b.String()
		}
	}
	b.WriteString("That was the last message.")
	return b.String()
}

// searchArchive gives the first place in each message that holds the words.
func searchArchive(messages []chat.Message, q archiveQuery) string {
	var b strings.Builder
	query := strings.ToLower(q.Query)
	for i := q.From; i < len(messages); i++ {
		text := asText(messages[i])
		at := strings.Index(strings.ToLower(text), query)
		if at < 0 {
			continue
		}
		begin := min(max(at-excerptLength/2, 0), len(text)) // lower case can be longer
		fmt.Fprintf(&b, "[%d %s, from offset %d] %s\n", i, messages[i].Role, begin,
			clip(strings.ToValidUTF8(text[begin:], ""), excerptLength+len(query)))
		if b.Len() >= archiveLength && i+1 < len(messages) {
			fmt.Fprintf(&b, "Go on with from %d.", i+1)
			return b.String()
		}
	}
	return cmp.Or(b.String(), "Nothing was found.")
}

// clip bounds a text, between two characters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	most = max(most, 0)
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// asText is a message in words. Thoughts are not in it.
func asText(m chat.Message) string {
	var parts []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			parts = append(parts, p.Text)
		case chat.ToolCall:
			parts = append(parts, fmt.Sprintf("calls %s(%s)", p.Name, p.Arguments))
		case chat.ToolResult:
			parts = append(parts, fmt.Sprintf("result of %s: %s", p.Name, asText(chat.Message{Parts: p.Parts})))
		case chat.Image:
			parts = append(parts, "(an image)")
		case chat.File:
			parts = append(parts, "(a file: "+p.Name+")")
		case chat.Audio:
			parts = append(parts, "(audio)")
		case chat.Thinking:
		}
	}
	return strings.Join(parts, "\n")
}
