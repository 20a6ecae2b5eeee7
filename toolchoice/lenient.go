package toolchoice

import (
	"bytes"
	"encoding/json"
)

// Lenient reads v as Langertha, the Perl library that sabir descends from,
// does, for callers who port from there. It takes what [Parse] takes; false
// means "not a policy".
//
// It differs from Parse in three ways. A forced choice whose name is missing,
// null or empty becomes [Auto]. A number as a name becomes the name it is
// written as, so 5 is "5". And it knows fewer shapes: none of Gemini's,
// Bedrock's and Cohere's, and no [Choice], which needs no reading.
func Lenient(v any) (Choice, bool) {
	switch v := v.(type) {
	case nil, Choice, *Choice:
		return Choice{}, false
	case string:
		return findWord(v)
	case json.RawMessage:
		return lenientJSON(v)
	case []byte:
		return lenientJSON(v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return Choice{}, false
	}
	return lenientJSON(raw)
}

func lenientJSON(raw []byte) (Choice, bool) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	switch kindOf(raw) {
	case kindString:
		s, ok := lenientText(raw)
		if !ok {
			return Choice{}, false
		}
		return findWord(s)
	case kindObject:
		return lenientObject(raw)
	}
	return Choice{}, false
}

func lenientObject(raw json.RawMessage) (Choice, bool) {
	var m map[string]json.RawMessage // the last of two members wins
	if json.Unmarshal(raw, &m) != nil {
		return Choice{}, false
	}
	typ, ok := lenientText(m["type"])
	if !ok {
		return Choice{}, false
	}
	if c, ok := findWord(typ); ok {
		return c, true
	}
	switch typ {
	case "tool":
		return lenientNamed(m["name"])
	case "function":
		name := m["name"]
		if kindOf(m["function"]) == kindObject {
			var f map[string]json.RawMessage
			if json.Unmarshal(m["function"], &f) != nil {
				return Choice{}, false
			}
			name = f["name"]
		}
		return lenientNamed(name)
	}
	return Choice{}, false
}

func lenientNamed(raw json.RawMessage) (Choice, bool) {
	switch kindOf(raw) {
	case kindNothing, kindNull:
		return Auto(), true
	case kindNumber:
		return Tool(string(raw)), true
	case kindString:
		name, ok := lenientText(raw)
		if name == "" {
			return Auto(), ok
		}
		return Tool(name), ok
	}
	return Choice{}, false // a boolean, list or object raises an error there
}

func lenientText(raw json.RawMessage) (string, bool) {
	if kindOf(raw) != kindString {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
