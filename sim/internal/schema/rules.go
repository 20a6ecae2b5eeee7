package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// CheckArguments says why a schema can't describe arguments.
func CheckArguments(raw json.RawMessage) string {
	s, err := Read(raw)
	if err != nil {
		return "it is not a JSON Schema"
	}
	if !slices.Equal(s.Types, oneOrMany{"object"}) {
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: %q'`, strings.Join(s.Types, ","))
	}
	if _, err := Compile(raw); err != nil {
		return err.Error()
	}
	return ""
}

// CheckStrict says why a schema isn't strict in OpenAI's sense; "" if it is.
// Source: OpenAI, "Structured model outputs", supported schemas, read
// 2026-11-30.
func CheckStrict(raw json.RawMessage) string {
	s, err := Read(raw)
	switch {
	case err != nil || s.Never:
		return "it is not a JSON Schema."
	case !slices.Equal(s.Types, oneOrMany{"object"}):
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: %q'.`, strings.Join(s.Types, ","))
	case len(s.AnyOf) > 0:
		return "In context=(), 'anyOf' is not permitted at the top level."
	}
	return Walk(raw, nil, checkStrictPart)
}

func checkStrictPart(s *Schema, raw json.RawMessage, where string) string {
	for _, keyword := range []string{
		"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames",
		"patternProperties", "uniqueItems", "contains", "unevaluatedProperties",
	} {
		if _, ok := jsondoc.Members(raw)[keyword]; ok {
			return fmt.Sprintf("In context=%s, '%s' is not permitted.", where, keyword)
		}
	}
	if strings.Contains(s.Pattern, "(?=") || strings.Contains(s.Pattern, "(?!") || strings.Contains(s.Pattern, "(?<") {
		return fmt.Sprintf("In context=%s, look-around is not permitted in 'pattern'.", where)
	}
	if KindOf(s) != "object" || len(s.Types) == 0 && s.Properties == nil {
		return ""
	}
	if string(s.AdditionalProperties) != "false" {
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", where)
	}
	for _, p := range s.Properties {
		if !slices.Contains(s.Required, p.Name) {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key "+
				"in properties. Missing '%s'.", where, p.Name)
		}
	}
	for _, name := range s.Required {
		if _, ok := s.Properties.find(name); !ok {
			return fmt.Sprintf("In context=%s, 'required' names '%s', which is no property.", where, name)
		}
	}
	return ""
}

// anthropicFormats are the string formats that are supported. Source:
// Anthropic, "Structured outputs"; vercel/ai, packages/anthropic,
// sanitize-json-schema.ts; read 2026-11-30.
var anthropicFormats = strings.Fields("date-time time date duration email hostname uri ipv4 ipv6 uuid")

// CheckClosed says why a schema can't be compiled by Anthropic; "" if it can.
func CheckClosed(raw json.RawMessage) string {
	optional := 0
	why := Walk(raw, nil, func(s *Schema, raw json.RawMessage, where string) string {
		for _, p := range s.Properties {
			if !slices.Contains(s.Required, p.Name) {
				optional++
			}
		}
		return checkClosedPart(s, raw)
	})
	switch {
	case why != "":
		return why
	case optional > 24:
		return fmt.Sprintf("Schema has %d optional parameters, which exceeds the limit of 24.", optional)
	case isRecursive(raw, raw, nil):
		return "Recursive schemas are not supported."
	}
	return ""
}

func checkClosedPart(s *Schema, raw json.RawMessage) string {
	kind := KindOf(s)
	if slices.Contains(s.Types, "object") && string(s.AdditionalProperties) != "false" {
		return "For 'object' type, 'additionalProperties' must be explicitly set to false"
	}
	for _, keyword := range []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"maxItems", "uniqueItems", "contains", "minProperties", "maxProperties", "oneOf", "not", "if", "patternProperties",
		"propertyNames",
	} {
		if _, ok := jsondoc.Members(raw)[keyword]; ok {
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

func isRecursive(root, raw json.RawMessage, path []string) bool {
	s, err := Read(raw)
	if err != nil {
		return false
	}
	if s.Ref != "" {
		if slices.Contains(path, s.Ref) {
			return true
		}
		target, err := Resolve(root, s.Ref)
		return err == nil && isRecursive(root, target, append(slices.Clone(path), s.Ref))
	}
	for _, sub := range s.listSubschemas() {
		if isRecursive(root, sub.Raw, path) {
			return true
		}
	}
	return false
}

// HasGrammar reports whether a grammar can be made of a schema. Source: a
// recording with 0.17.4, 2026-11-30.
func HasGrammar(raw json.RawMessage) bool {
	if _, err := Compile(raw); err != nil {
		return false
	}
	return Walk(raw, nil, func(s *Schema, _ json.RawMessage, _ string) string {
		for _, t := range s.Types {
			if !slices.Contains(TypeNames, t) {
				return t
			}
		}
		return ""
	}) == ""
}
