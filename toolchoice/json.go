package toolchoice

import (
	"bytes"
	"encoding/json"
)

// pickMember returns the one member of two that is there, nil if none is.
func pickMember(m map[string]json.RawMessage, a, b string) (json.RawMessage, error) {
	va, vb := m[a], m[b]
	switch {
	case va != nil && vb != nil:
		return nil, newUnknown("an object with both %s and %s", a, b)
	case va != nil:
		return va, nil
	}
	return vb, nil
}

// readMembers splits a JSON object. It isn't a struct because encoding/json
// matches the fields of a struct without regard to case and lets the last of
// two win.
func readMembers(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if k := kindOf(raw); k != kindObject {
		return nil, newUnknown("%s where an object belongs", k)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil { // the brace
		return nil, newUnknown("%v", err)
	}
	m := make(map[string]json.RawMessage)
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, newUnknown("%v", err)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, newUnknown("%v", err)
		}
		key, _ := t.(string) // a member's name is never another token
		if _, twice := m[key]; twice {
			return nil, newUnknown("the member %.40q twice", key)
		}
		m[key] = v
	}
	return m, nil
}

// readText reads a JSON string; what is its part in the whole. Half a surrogate
// pair, and what json.Marshal makes of bytes that aren't UTF-8, would be read
// as U+FFFD: another name than the one given.
func readText(what string, raw json.RawMessage) (string, error) {
	if k := kindOf(raw); k != kindString {
		return "", newUnknown("%s is %s, not a string", what, k)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", newUnknown("%v", err)
	}
	const lost = "\uFFFD"
	if bytes.Count([]byte(s), []byte(lost)) != bytes.Count(raw, []byte(lost)) {
		return "", newUnknown("%s isn't UTF-8", what)
	}
	return s, nil
}

// The kinds of JSON value that decide something, as they read in an error.
const (
	kindNothing = "nothing"
	kindNull    = "null"
	kindNumber  = "a number"
	kindString  = "a string"
	kindObject  = "an object"
)

// kindOf names the type of valid JSON text by its first byte.
func kindOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return kindNothing
	}
	switch raw[0] {
	case '"':
		return kindString
	case '{':
		return kindObject
	case '[':
		return "an array"
	case 'n':
		return kindNull
	case 't', 'f':
		return "a boolean"
	}
	return kindNumber
}
