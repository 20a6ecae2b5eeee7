package sim

import (
	"encoding/json"
	"slices"
	"strings"
)

// jsonTypes are the types of JSON Schema.
var jsonTypes = strings.Fields("object array string number integer boolean null")

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
