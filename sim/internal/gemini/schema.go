package gemini

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// lowerTypes turns an OpenAPI schema, whose types are in capitals, into a JSON
// Schema.
func lowerTypes(raw json.RawMessage) json.RawMessage {
	if jsondoc.IsNull(raw) {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return raw
	}
	lowerTypesIn(v)
	out, err := jsondoc.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

func lowerTypesIn(v any) {
	switch v := v.(type) {
	case []any:
		for _, sub := range v {
			lowerTypesIn(sub)
		}
	case map[string]any:
		if t, ok := v["type"].(string); ok && slices.Contains(schema.TypeNames, strings.ToLower(t)) {
			v["type"] = strings.ToLower(t)
		}
		if v["nullable"] == true {
			if t, ok := v["type"].(string); ok {
				v["type"] = []any{t, "null"}
			}
		}
		for _, sub := range v {
			lowerTypesIn(sub)
		}
	}
}

// checkSchema says why a schema isn't in the subset that is taken, given in
// one of two forms. Source: go-genai v1.77.0, types.go, Schema and
// FunctionDeclaration, read 2026-11-30.
func checkSchema(openAPI, jsonSchema json.RawMessage) string {
	known, raw := jsonKeywords, jsonSchema
	if !jsondoc.IsNull(openAPI) {
		known, raw = openAPIKeywords, lowerTypes(openAPI)
	}
	if jsondoc.IsNull(raw) {
		return ""
	}
	if _, err := schema.Compile(raw); err != nil {
		return err.Error()
	}
	return schema.Walk(raw, nil, func(s *schema.Schema, raw json.RawMessage, where string) string {
		m := jsondoc.Members(raw)
		if f := core.RefuseUnknown(m, known, ""); f != nil {
			return fmt.Sprintf("Unknown name \"%s\" at %s: Cannot find field.", f.Param, where)
		}
		if s.Ref != "" && len(m) > 1 && !onlyDefinitions(m) {
			return fmt.Sprintf("at %s: no field may be set beside $ref.", where)
		}
		return ""
	})
}

// onlyDefinitions reports whether nothing but definitions stands beside $ref.
func onlyDefinitions(m map[string]json.RawMessage) bool {
	for name := range m {
		if name != "$ref" && name != "$defs" {
			return false
		}
	}
	return true
}

var (
	jsonKeywords = strings.Fields(`$id $defs $ref $anchor type format title description enum items prefixItems minItems
		maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering`)
	openAPIKeywords = strings.Fields(`type format title description nullable enum maxItems minItems properties required
		minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum
		additionalProperties ref defs`)
)
