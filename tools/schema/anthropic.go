package schema

import "encoding/json"

// claude is what Anthropic enforces in output_config.format and strict tools.
// Source: Anthropic, "Structured outputs", JSON Schema limitations; vercel/ai,
// packages/anthropic, sanitize-json-schema.ts; read 2026-11-30.
var claude = &subset{
	name: "Anthropic's structured output",
	keeps: set("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "allOf",
		"$ref", "$defs", "definitions", "$schema", "title", "description", "default", "nullable", "minItems"),
	formats: set("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),

	noRecursion: true, onlySmallMinItems: true, maxOptional: 24,
}

// ForAnthropic makes a schema fit what Anthropic enforces. Objects are closed;
// bounds that can't be enforced are left out, told to the model in the
// description, and listed in notes, one sentence each: hold the answer against
// the original schema afterwards. Optional properties stay optional. What
// can't be expressed is an error: recursion, maps with free keys, more than 24
// optional properties.
func ForAnthropic(raw json.RawMessage) (out json.RawMessage, notes []string, err error) {
	out, notes, _, err = claude.adapt(raw)
	return out, notes, err
}
