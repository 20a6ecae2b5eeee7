package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/tools/schema"
)

// refusal says why a wire's server would answer 400 to a schema, by the rules
// that its reference and its error texts give; "" if it wouldn't.
func refusal(target schema.Target, raw json.RawMessage) string {
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		return err.Error()
	}
	switch target {
	case schema.GeminiJSON:
		return walk(root, func(s map[string]any) string {
			return unknown(s, "$id $anchor $defs $ref type format title description enum items prefixItems minItems maxItems "+
				"minimum maximum anyOf properties additionalProperties required propertyOrdering")
		})
	case schema.Ollama:
		return walk(root, func(s map[string]any) string {
			if ref, ok := s["$ref"].(string); ok && !strings.HasPrefix(ref, "#/") {
				return "Unsupported ref: " + ref
			}
			return unknown(s, "$defs $ref $schema type format title description default enum const items prefixItems minItems "+
				"maxItems minLength maxLength minimum maximum anyOf properties additionalProperties required")
		})
	case schema.Cohere:
		return walk(root, func(s map[string]any) string {
			if _, list := s["type"].([]any); list {
				return "a list of types"
			}
			return unknown(s, "$defs $ref $schema type format title description default enum const items pattern anyOf properties "+
				"additionalProperties required")
		})
	case schema.OpenAI, schema.Anthropic:
	}
	return ""
}

func unknown(s map[string]any, known string) string {
	for word := range s {
		if !slices.Contains(strings.Fields(known), word) {
			return "unknown name " + word
		}
	}
	return ""
}

// walk asks about each schema inside s. A schema that is no object is refused.
func walk(s map[string]any, ask func(map[string]any) string) string {
	if why := ask(s); why != "" {
		return why
	}
	var inside []any
	for _, word := range []string{"properties", "$defs"} {
		m, _ := s[word].(map[string]any)
		for _, sub := range m {
			inside = append(inside, sub)
		}
	}
	for _, word := range []string{"anyOf", "prefixItems"} {
		list, _ := s[word].([]any)
		inside = append(inside, list...)
	}
	if items, ok := s["items"]; ok {
		inside = append(inside, items)
	}
	if rest, ok := s["additionalProperties"].(map[string]any); ok {
		inside = append(inside, rest)
	}
	for _, sub := range inside {
		m, ok := sub.(map[string]any)
		if !ok {
			return fmt.Sprint("Unrecognized schema: ", sub)
		}
		if why := walk(m, ask); why != "" {
			return why
		}
	}
	return ""
}

// TestRefusal shows that the judge of the other tests does refuse.
func TestRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		target schema.Target
		raw    string
		want   string
	}{
		{"boolean schema", schema.Ollama, `{"items":true}`, "Unrecognized"},
		{"reference to the root", schema.Ollama, `{"items":{"$ref":"#"}}`, "Unsupported ref"},
		{"pattern", schema.GeminiJSON, `{"pattern":"a"}`, "unknown name pattern"},
		{"type list", schema.Cohere, `{"type":["string"]}`, "list of types"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := refusal(tt.target, json.RawMessage(tt.raw)); got == "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
