package schema

import (
	"encoding/json"
)

// strict is what OpenAI enforces. Keywords that are not known to be accepted
// are left out: each of them may be a 400.
// Source: OpenAI, "Structured outputs" guide, supported schemas; vercel/ai,
// packages/openai, normalize-openai-json-schema.ts; read 2026-11-30. "'oneOf'
// is not permitted" is the API's own error text. Limits on size moved over time
// and are the server's matter.
var strict = &subset{
	name: "OpenAI's strict mode",
	keeps: wordSet("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
		"$ref", "$defs", "definitions", "$schema", "title", "description", "pattern", "multipleOf",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
	formats:     wordSet("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"),
	allRequired: true, typed: true, bareRefs: true, noAllOf: true,
}

// ForOpenAI reports whether a schema qualifies for OpenAI's strict mode as it
// stands: a root object, every object closed, every property required, only
// keywords that strict mode knows. out is the schema in compact form, to be
// sent either way; why is the first thing that disqualifies it, with its path.
func ForOpenAI(raw json.RawMessage) (out json.RawMessage, ok bool, why string) {
	root, err := parse(raw)
	if err != nil {
		return raw, false, err.Error()
	}
	out = root.append(make([]byte, 0, len(raw)))
	_, _, first, err := adaptStrict(raw)
	if err != nil {
		return out, false, err.Error()
	}
	return out, first == "", first
}

func adaptStrict(raw json.RawMessage) (out []byte, notes []string, first string, err error) {
	root, err := parseSchema(raw)
	if err != nil {
		return nil, nil, "", err
	}
	t := root.get("type")
	for _, union := range []string{"anyOf", "oneOf", "allOf", "$ref", "enum", "const"} {
		if root.get(union) != nil {
			return nil, nil, "", strictRoot("must be a plain object, without " + union)
		}
	}
	if t == nil && root.get("properties") == nil || t != nil && t.text != "object" {
		return nil, nil, "", strictRoot("must have type object")
	}
	return strict.adapt(raw)
}

func strictRoot(why string) error { return fault("the root of a schema " + why + " in " + strict.name) }
