package schema_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// writer writes values the way llama.cpp's grammar of a schema does: what it
// looks for first decides, and it sees nothing else. For schemas in which
// nothing else is said, that is what JSON Schema says too.
type writer struct {
	random
	root map[string]any
	deep int
	lost bool // the value went too deep
}

func (w *writer) value(at any) any {
	w.deep++
	defer func() { w.deep-- }()
	s, ok := at.(map[string]any)
	if w.deep > 60 {
		w.lost = true
		return nil
	}
	if !ok || len(s) == 0 {
		return map[string]any{"any": 1}
	}
	if ref, ok := s["$ref"].(string); ok {
		return w.value(w.follow(ref))
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if branches, ok := s[word].([]any); ok {
			if w.deep > 12 {
				return w.value(branches[len(branches)-1])
			}
			return w.value(branches[w.IntN(len(branches))])
		}
	}
	if words, ok := s["type"].([]any); ok {
		one := maps.Clone(s)
		one["type"] = words[w.IntN(len(words))]
		return w.value(one)
	}
	if c, ok := s["const"]; ok {
		return c
	}
	if enum, ok := s["enum"].([]any); ok {
		return enum[w.IntN(len(enum))]
	}
	return w.typed(s)
}

func (w *writer) follow(ref string) any {
	var at any = w.root
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		switch in := at.(type) {
		case map[string]any:
			if part != "" {
				at = in[part]
			}
		case []any:
			at = in[must(strconv.Atoi(part))]
		}
	}
	return at
}

func (w *writer) typed(s map[string]any) any {
	_, props := s["properties"]
	rest, open := s["additionalProperties"]
	switch word, _ := s["type"].(string); {
	case (word == "" || word == "object") && (props || open && rest != true):
		return w.object(s)
	case (word == "" || word == "array") && (s["items"] != nil || s["prefixItems"] != nil):
		return w.array(s)
	case word == "string":
		return w.text(s)
	case word == "integer":
		return w.integer(s)
	case word == "number":
		return []any{-1, 0, 1.5, 2, 7}[w.IntN(5)]
	case word == "boolean":
		return w.IntN(2) == 0
	case word == "null":
		return nil
	case word == "array":
		return [][]any{{}, {"a"}, {1, nil}}[w.IntN(3)]
	case word == "object":
		return []map[string]any{{}, {"any": 1}, {"a": nil}}[w.IntN(3)]
	}
	return []any{"text", 1, nil, []any{}}[w.IntN(4)]
}

func (w *writer) object(s map[string]any) any {
	out := map[string]any{}
	required, _ := s["required"].([]any)
	props, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if slices.Contains(required, any(name)) || w.deep < 12 && w.IntN(2) == 0 {
			out[name] = w.value(props[name])
		}
	}
	if rest, ok := s["additionalProperties"]; ok && rest != false && w.IntN(2) == 0 {
		out["extra"] = w.value(rest)
	}
	return out
}

func (w *writer) array(s map[string]any) any {
	if places, ok := s["prefixItems"].([]any); ok && s["items"] == nil {
		out := make([]any, len(places))
		for i, p := range places {
			out[i] = w.value(p)
		}
		return out
	}
	least, most := bound(s, "minItems", 0), bound(s, "maxItems", 1000)
	if w.deep < 12 {
		least = min(most, least+w.IntN(3))
	}
	out := make([]any, least)
	for i := range out {
		out[i] = w.value(s["items"])
	}
	return out
}

func bound(s map[string]any, word string, none int) int {
	if f, ok := s[word].(float64); ok {
		return int(f)
	}
	return none
}

func (w *writer) text(s map[string]any) any {
	if f, ok := s["format"].(string); ok && f != "email" {
		return map[string]string{"date": "2026-11-30", "time": "10:00:00Z", "date-time": "2026-11-30T10:00:00Z"}[f]
	}
	least := bound(s, "minLength", 0)
	n := min(least+w.IntN(4), bound(s, "maxLength", 1000))
	return strings.Repeat(w.choose("a", "é", "z"), n)
}

func (w *writer) integer(s map[string]any) any {
	least, most := bound(s, "minimum", -5), bound(s, "maximum", 10)
	return min(most, least+w.IntN(7))
}

// read is a schema as a writer reads it.
func (r random) read(raw json.RawMessage) *writer {
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		panic(err) //nolint:forbidigo // a fault of the test itself
	}
	return &writer{random: r, root: root}
}
