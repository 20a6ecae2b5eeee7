package cases

import (
	"encoding/json"
	"slices"
)

// Where schemas stand in a schema.
var (
	inMembers  = []string{"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
	inLists    = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
	asOneOrAll = []string{
		"items", "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems",
		"not", "if", "then", "else", "contains", "propertyNames",
	}
)

// usesKeyword reports whether one of the keywords stands at a schema position.
func usesKeyword(schema json.RawMessage, keywords []string) bool {
	deeper := func(s json.RawMessage) bool { return usesKeyword(s, keywords) }
	for key, v := range members(schema) {
		switch {
		case slices.Contains(keywords, key):
			return true
		case slices.Contains(inMembers, key):
			for _, s := range members(v) {
				if deeper(s) {
					return true
				}
			}
		case slices.Contains(inLists, key) || slices.Contains(asOneOrAll, key) && kindOf(v) == "array":
			if slices.ContainsFunc(elements(v), deeper) {
				return true
			}
		case slices.Contains(asOneOrAll, key) && deeper(v):
			return true
		}
	}
	return false
}

// acceptsNull reports whether a schema admits null.
func acceptsNull(schema json.RawMessage) bool {
	object := members(schema)
	isNull := func(v json.RawMessage) bool { return textOf(v) == "null" }
	if t := object["type"]; kindOf(t) == "string" && isNull(t) || slices.ContainsFunc(elements(t), isNull) {
		return true
	}
	if textOf(object["nullable"]) == "true" {
		return true
	}
	return slices.ContainsFunc(elements(object["anyOf"]), acceptsNull) ||
		slices.ContainsFunc(elements(object["oneOf"]), acceptsNull)
}
