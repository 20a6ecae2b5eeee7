package schema

// claude is what Anthropic enforces in output_config.format and strict tools.
// Source: Anthropic, "Structured outputs", JSON Schema limitations; vercel/ai,
// packages/anthropic, sanitize-json-schema.ts; read 2026-11-30.
var claude = &subset{
	name: "Anthropic's structured output",
	keeps: wordSet("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "allOf",
		"$ref", "$defs", "definitions", "$schema", "title", "description", "default", "nullable", "minItems"),
	formats: wordSet("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),

	noRecursion: true, onlySmallMinItems: true, maxOptional: 24,
}
