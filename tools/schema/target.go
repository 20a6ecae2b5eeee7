package schema

import (
	"encoding/json"
	"fmt"
)

// Target is a wire whose subset of JSON Schema [Adapt] writes for.
type Target uint8

const (
	// OpenAI is strict mode, of Chat Completions and Responses alike. Objects
	// are closed, every property becomes required, and one that was optional
	// takes null, which stands for its absence: [DropNulls] turns an answer
	// back.
	OpenAI Target = iota
	// Anthropic is output_config.format and strict tools, which Bedrock hands
	// on to Claude models. Objects are closed; optional properties stay
	// optional, up to 24 of them.
	Anthropic
	// GeminiJSON is the JSON Schema of the fields parametersJsonSchema and
	// responseJsonSchema.
	GeminiJSON
	// Ollama is what the grammar behind its member format can say.
	Ollama
	// Cohere is response_format and, with Adapted.Strict, strict_tools.
	Cohere
)

// Adapted is a schema in the subset of a [Target].
type Adapted struct {
	// Schema is what to send, in compact form. Equal input gives equal bytes,
	// and adapting it again changes nothing.
	Schema json.RawMessage
	// Notes are the changes of meaning, one sentence each, beginning with the
	// path. Without notes, what fits Schema fits the original too; on OpenAI
	// after [DropNulls].
	Notes []string
	// Strict reports whether the wire's enforcing mode takes Schema. It is
	// false only for Cohere, which wants a required property in every object
	// and at most 200 properties; a note then says why.
	Strict bool
}

// Adapt writes a schema for a wire. What the wire can't enforce is left out,
// told to the model in a description where that helps, and listed in Notes:
// hold the answer against the original afterwards. What can't be expressed at
// all is an error that begins with its path. Properties that are called like
// keywords are properties.
func Adapt(target Target, raw json.RawMessage) (Adapted, error) {
	var out Adapted
	var err error
	switch target {
	case OpenAI:
		out.Schema, out.Notes, _, err = adaptStrict(raw)
	case Anthropic:
		out.Schema, out.Notes, _, err = claude.adapt(raw)
	case GeminiJSON:
		out.Schema, out.Notes, _, err = geminiJSON.adapt(raw)
	case Ollama:
		out.Schema, out.Notes, _, err = ollama.adapt(raw)
	case Cohere:
		return adaptCohere(raw)
	default:
		return out, fmt.Errorf("no such target: %d", target)
	}
	out.Strict = err == nil
	return out, err
}
