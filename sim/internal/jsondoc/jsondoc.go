package jsondoc

import (
	"bytes"
	"encoding/json"
)

// Decode decodes a body twice: into what is known of it, and into its members.
func Decode(body []byte, known any, raw *map[string]json.RawMessage) error {
	if err := json.Unmarshal(body, known); err != nil {
		return err
	}
	return json.Unmarshal(body, raw)
}

// Marshal spells v as the providers do: without HTML escapes.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Quote is s as a JSON string.
func Quote(s string) json.RawMessage {
	b, err := Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// IsNull reports whether a member is absent or null.
func IsNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}

// IsObject reports whether raw is a JSON object.
func IsObject(raw json.RawMessage) bool {
	t := bytes.TrimSpace(raw)
	return len(t) > 0 && t[0] == '{' && json.Valid(t)
}

// Text is raw as a string, if it is one.
func Text(raw json.RawMessage) (string, bool) {
	var s string
	if IsNull(raw) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// Members decodes an object without looking into its values.
func Members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// List is raw as a list, without looking into its elements.
func List(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}
