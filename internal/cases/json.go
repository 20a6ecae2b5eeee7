package cases

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// find resolves a JSON Pointer in which a * stands for every element. What is
// missing is left out.
func find(doc json.RawMessage, pointer string) []json.RawMessage {
	if pointer == "" {
		return []json.RawMessage{doc}
	}
	found := []json.RawMessage{doc}
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		var next []json.RawMessage
		for _, v := range found {
			next = append(next, findStep(v, segment)...)
		}
		found = next
	}
	return found
}

func findStep(v json.RawMessage, segment string) []json.RawMessage {
	switch kindOf(v) {
	case "array":
		list := elementsOf(v)
		if segment == "*" {
			return list
		}
		if i, err := strconv.Atoi(segment); err == nil && i >= 0 && i < len(list) {
			return list[i : i+1]
		}
	case "object":
		members := membersOf(v)
		if segment == "*" {
			var out []json.RawMessage
			for _, m := range members {
				out = append(out, m)
			}
			return out
		}
		if m, ok := members[segment]; ok {
			return []json.RawMessage{m}
		}
	}
	return nil
}

func elementsOf(v json.RawMessage) (list []json.RawMessage) {
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	return list
}

func membersOf(v json.RawMessage) (object map[string]json.RawMessage) {
	if json.Unmarshal(v, &object) != nil {
		return nil
	}
	return object
}

// kindOf is a JSON value's type; empty for what is no JSON.
func kindOf(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return ""
	}
	switch v[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// textOf is a string's text, and the compact JSON of other values.
func textOf(v json.RawMessage) string {
	var s string
	if kindOf(v) == "string" && json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(compactJSON(v))
}

func compactJSON(v json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

func quoteText(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // a string always marshals
	return raw
}

// decodeJSON keeps all digits of numbers; ok is false for what is no JSON.
func decodeJSON(v json.RawMessage) (value any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil, false
	}
	return value, !d.More()
}

// equalJSON reports whether two values are equal; 1 and 1.0 are.
func equalJSON(a, b json.RawMessage) bool {
	x, ok := decodeJSON(a)
	y, too := decodeJSON(b)
	return ok && too && equalValues(x, y)
}

func equalValues(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, x := range a {
			if y, ok := b[key]; !ok || !equalValues(x, y) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalValues(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(a.String(), b.String())
	}
	return a == b
}

func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > 400 || len(b) > 400 || hugeExponent(a) || hugeExponent(b) {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	y, too := new(big.Rat).SetString(b)
	return ok && too && x.Cmp(y) == 0
}

func hugeExponent(n string) bool {
	_, exp, ok := strings.Cut(strings.ToLower(n), "e")
	return ok && len(strings.TrimLeft(exp, "+-0")) > 4
}

// containsPattern reports whether a value holds a pattern: objects by a deep subset,
// lists if some element does, other values by being equal.
func containsPattern(v, pattern any) bool {
	switch p := pattern.(type) {
	case map[string]any:
		switch v := v.(type) {
		case map[string]any:
			for key, want := range p {
				if got, ok := v[key]; !ok || !containsMember(got, want) {
					return false
				}
			}
			return true
		case []any:
			return someContains(v, p)
		}
		return false
	case []any:
		return containsMember(v, p)
	}
	if list, ok := v.([]any); ok {
		return someContains(list, pattern)
	}
	return equalValues(v, pattern)
}

// containsMember is contains below the first object: there a list in the
// pattern is a list in the value, and each of its elements is found in it.
func containsMember(v, pattern any) bool {
	switch p := pattern.(type) {
	case map[string]any:
		_, isObject := v.(map[string]any)
		return isObject && containsPattern(v, p)
	case []any:
		list, ok := v.([]any)
		if !ok || len(p) == 0 {
			return ok && len(list) == 0
		}
		for _, want := range p {
			if !someContains(list, want) {
				return false
			}
		}
		return true
	}
	return equalValues(v, pattern)
}

func someContains(list []any, pattern any) bool {
	for _, v := range list {
		if containsMember(v, pattern) {
			return true
		}
	}
	return false
}
