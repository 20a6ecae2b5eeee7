package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// notObjectSchema says why a schema can't describe arguments.
func notObjectSchema(raw json.RawMessage) string {
	s, err := readSchema(raw)
	if err != nil {
		return "it is not a JSON Schema"
	}
	if !slices.Equal(s.Types, oneOrMany{"object"}) {
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: %q'`, strings.Join(s.Types, ","))
	}
	if _, err := compile(raw); err != nil {
		return err.Error()
	}
	return ""
}

// notStrict says why a schema isn't strict in OpenAI's sense; "" if it is.
// Source: OpenAI, "Structured model outputs", supported schemas, read
// 2026-11-30.
func notStrict(raw json.RawMessage) string {
	s, err := readSchema(raw)
	switch {
	case err != nil || s.never:
		return "it is not a JSON Schema."
	case !slices.Equal(s.Types, oneOrMany{"object"}):
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: %q'.`, strings.Join(s.Types, ","))
	case len(s.AnyOf) > 0:
		return "In context=(), 'anyOf' is not permitted at the top level."
	}
	return walkSchema(raw, nil, strictRule)
}

func strictRule(s *schema, raw json.RawMessage, where string) string {
	for _, keyword := range []string{"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames", "patternProperties", "uniqueItems", "contains", "unevaluatedProperties"} {
		if _, ok := members(raw)[keyword]; ok {
			return fmt.Sprintf("In context=%s, '%s' is not permitted.", where, keyword)
		}
	}
	if strings.Contains(s.Pattern, "(?=") || strings.Contains(s.Pattern, "(?!") || strings.Contains(s.Pattern, "(?<") {
		return fmt.Sprintf("In context=%s, look-around is not permitted in 'pattern'.", where)
	}
	if kindOf(s) != "object" || len(s.Types) == 0 && s.Properties == nil {
		return ""
	}
	if string(s.AdditionalProperties) != "false" {
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", where)
	}
	for _, p := range s.Properties {
		if !slices.Contains(s.Required, p.name) {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", where, p.name)
		}
	}
	for _, name := range s.Required {
		if _, ok := s.Properties.get(name); !ok {
			return fmt.Sprintf("In context=%s, 'required' names '%s', which is no property.", where, name)
		}
	}
	return ""
}

// anthropicFormats are the string formats that are supported. Source:
// Anthropic, "Structured outputs"; vercel/ai, packages/anthropic,
// sanitize-json-schema.ts; read 2026-11-30.
var anthropicFormats = strings.Fields("date-time time date duration email hostname uri ipv4 ipv6 uuid")

// notClosed says why a schema can't be compiled by Anthropic; "" if it can.
func notClosed(raw json.RawMessage) string {
	optional := 0
	why := walkSchema(raw, nil, func(s *schema, raw json.RawMessage, where string) string {
		for _, p := range s.Properties {
			if !slices.Contains(s.Required, p.name) {
				optional++
			}
		}
		return closedRule(s, raw)
	})
	switch {
	case why != "":
		return why
	case optional > 24:
		return fmt.Sprintf("Schema has %d optional parameters, which exceeds the limit of 24.", optional)
	case recursive(raw, raw, nil):
		return "Recursive schemas are not supported."
	}
	return ""
}

func closedRule(s *schema, raw json.RawMessage) string {
	kind := kindOf(s)
	if slices.Contains(s.Types, "object") && string(s.AdditionalProperties) != "false" {
		return "For 'object' type, 'additionalProperties' must be explicitly set to false"
	}
	for _, keyword := range []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"maxItems", "uniqueItems", "contains", "minProperties", "maxProperties", "oneOf", "not", "if", "patternProperties", "propertyNames",
	} {
		if _, ok := members(raw)[keyword]; ok {
			return fmt.Sprintf("For '%s' type, property '%s' is not supported", kind, keyword)
		}
	}
	switch {
	case s.MinItems > 1:
		return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
	case s.Format != "" && !slices.Contains(anthropicFormats, s.Format):
		return fmt.Sprintf("For 'string' type, format '%s' is not supported", s.Format)
	}
	return ""
}

// recursive reports whether a schema leads back to itself.
func recursive(root, raw json.RawMessage, path []string) bool {
	s, err := readSchema(raw)
	if err != nil {
		return false
	}
	if s.Ref != "" {
		if slices.Contains(path, s.Ref) {
			return true
		}
		target, err := lookup(root, s.Ref)
		return err == nil && recursive(root, target, append(slices.Clone(path), s.Ref))
	}
	for _, sub := range s.subschemas() {
		if recursive(root, sub.raw, path) {
			return true
		}
	}
	return false
}

// walkSchema applies a rule to a schema and everything below it, references
// not followed but definitions included, and returns the first objection.
func walkSchema(raw json.RawMessage, path []string, rule func(*schema, json.RawMessage, string) string) string {
	s, err := readSchema(raw)
	if err != nil {
		return "it is not a JSON Schema."
	}
	quotedPath := make([]string, len(path))
	for i, p := range path {
		quotedPath[i] = "'" + p + "'"
	}
	if why := rule(s, raw, "("+strings.Join(quotedPath, ", ")+")"); why != "" {
		return why
	}
	subs := s.subschemas()
	for _, defs := range []string{"$defs", "definitions"} {
		var o ordered
		if d, ok := members(raw)[defs]; ok && json.Unmarshal(d, &o) == nil {
			for _, p := range o {
				subs = append(subs, property{defs + "." + p.name, p.raw})
			}
		}
	}
	for _, sub := range subs {
		if why := walkSchema(sub.raw, append(slices.Clone(path), strings.Split(sub.name, ".")...), rule); why != "" {
			return why
		}
	}
	return ""
}

// subschemas are the schemas directly below one, by path.
func (s *schema) subschemas() []property {
	var out []property
	for _, p := range s.Properties {
		out = append(out, property{"properties." + p.name, p.raw})
	}
	if isObject(s.Items) {
		out = append(out, property{"items", s.Items})
	}
	if isObject(s.AdditionalProperties) {
		out = append(out, property{"additionalProperties", s.AdditionalProperties})
	}
	for name, list := range map[string][]json.RawMessage{"anyOf": s.AnyOf, "allOf": s.AllOf, "prefixItems": s.PrefixItems} {
		for i, raw := range list {
			out = append(out, property{fmt.Sprintf("%s.%d", name, i), raw})
		}
	}
	slices.SortStableFunc(out, func(a, b property) int { return strings.Compare(a.name, b.name) })
	return out
}

// grammatical reports whether a grammar can be made of a schema. Source: a
// recording with 0.17.4, 2026-11-30.
func grammatical(raw json.RawMessage) bool {
	if _, err := compile(raw); err != nil {
		return false
	}
	return walkSchema(raw, nil, func(s *schema, _ json.RawMessage, _ string) string {
		for _, t := range s.Types {
			if !slices.Contains(jsonTypes, t) {
				return t
			}
		}
		return ""
	}) == ""
}
