package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object to be sent; its keys are marshalled in order of
// their names.
type object = map[string]any

// marshal spells v as the providers do: without HTML escapes.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// quoted is s as a JSON string.
func quoted(s string) json.RawMessage {
	b, err := marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// isNull reports whether a member is absent or null.
func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}

// isObject reports whether raw is a JSON object.
func isObject(raw json.RawMessage) bool {
	t := bytes.TrimSpace(raw)
	return len(t) > 0 && t[0] == '{' && json.Valid(t)
}

// textOf is raw as a string, if it is one.
func textOf(raw json.RawMessage) (string, bool) {
	var s string
	if isNull(raw) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// members decodes an object without looking into its values.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// hashed is n characters that depend on nothing but the parts.
func hashed(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base32.StdEncoding.EncodeToString(sum[:])[:n]
}

// hexed is n hexadecimal digits that depend on nothing but the parts.
func hexed(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:n]
}

func requestID(n int) string { return fmt.Sprintf("req_sim%06d", n+1) }

// tokens estimates how many tokens a text has: four characters each, rounded
// up.
func tokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// listOf is raw as a list, without looking into its elements.
func listOf(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

// created is when every reply was made: a fixed time, so that replies are the
// same in every run.
const created = 1796040000
