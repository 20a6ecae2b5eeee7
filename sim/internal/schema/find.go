package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// TypeNames are the types of JSON Schema.
var TypeNames = strings.Fields("object array string number integer boolean null")

// maxLooks bounds how many braces of one text are looked at.
const maxLooks = 50

// Find finds the first JSON Schema in a text.
func Find(text string) json.RawMessage {
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
	m := jsondoc.Members(raw)
	if t, ok := jsondoc.Text(m["type"]); ok && slices.Contains(TypeNames, t) {
		return true
	}
	return jsondoc.IsObject(m["properties"]) || m["anyOf"] != nil || m["$ref"] != nil
}
