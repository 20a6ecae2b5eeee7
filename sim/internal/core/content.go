package core

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// TextMessage is a message read as text, whatever its dialect. The roles are
// those of Chat Completions.
type TextMessage struct{ Role, Text string }

// anyObject is what a model writes in JSON mode when nobody says what.
var anyObject = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)

// FindPromptedSchema finds a JSON Schema in the texts of a conversation, the
// latest first: in JSON mode a model follows the one it was shown.
func FindPromptedSchema(messages []TextMessage) json.RawMessage {
	for _, m := range slices.Backward(messages) {
		if m.Role == "assistant" || m.Role == "tool" {
			continue
		}
		if raw := schema.Find(m.Text); raw != nil {
			return raw
		}
	}
	return anyObject
}

// ContentPart is a part of a content as Chat Completions has it, and others
// after it.
type ContentPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// ReadContent reads the text of a content, which is a string or a list of parts.
func ReadContent(raw json.RawMessage) string {
	if s, ok := jsondoc.Text(raw); ok {
		return s
	}
	var parts []ContentPart
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
