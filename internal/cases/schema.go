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
	for key, v := range membersOf(schema) {
		switch {
		case slices.Contains(keywords, key):
			return true
		case slices.Contains(inMembers, key):
			for _, s := range membersOf(v) {
				if deeper(s) {
					return true
				}
			}
		case slices.Contains(inLists, key) || slices.Contains(asOneOrAll, key) && kindOf(v) == "array":
			if slices.ContainsFunc(elementsOf(v), deeper) {
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
	object := membersOf(schema)
	isNull := func(v json.RawMessage) bool { return textOf(v) == "null" }
	if t := object["type"]; kindOf(t) == "string" && isNull(t) || slices.ContainsFunc(elementsOf(t), isNull) {
		return true
	}
	if textOf(object["nullable"]) == "true" {
		return true
	}
	return slices.ContainsFunc(elementsOf(object["anyOf"]), acceptsNull) ||
		slices.ContainsFunc(elementsOf(object["oneOf"]), acceptsNull)
}
