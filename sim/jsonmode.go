package sim

import (
	"encoding/json"
	"slices"
	"strings"
)

// anyObject is what a model writes in JSON mode when nobody says what.
var anyObject = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)

// jsonTypes are the types of JSON Schema.
var jsonTypes = strings.Fields("object array string number integer boolean null")

// promptedSchema finds a JSON Schema in the texts of a conversation, the
// latest first: in JSON mode a model follows the one it was shown.
func promptedSchema(messages []chatMessage) json.RawMessage {
	for _, m := range slices.Backward(messages) {
		if m.Role == "assistant" || m.Role == "tool" {
			continue
		}
		if raw := schemaIn(contentText(m.Content)); raw != nil {
			return raw
		}
	}
	return anyObject
}

// maxLooks bounds how many braces of one text are looked at.
const maxLooks = 50

// schemaIn finds the first JSON Schema in a text.
func schemaIn(text string) json.RawMessage {
	for range maxLooks {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return nil
		}
		text = text[i:]
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(text)).Decode(&raw) != nil {
			text = text[1:]
			continue
		}
		if looksLikeSchema(raw) {
			return raw
		}
		text = text[len(raw):]
	}
	return nil
}

func looksLikeSchema(raw json.RawMessage) bool {
	m := members(raw)
	if t, ok := textOf(m["type"]); ok && slices.Contains(jsonTypes, t) {
		return true
	}
	return isObject(m["properties"]) || m["anyOf"] != nil || m["$ref"] != nil
}
