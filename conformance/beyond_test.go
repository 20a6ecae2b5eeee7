package conformance

import "github.com/sabir-go/sabir/engine/profile"

// What the compatible providers add to Chat Completions; OpenAI's types don't
// have it. Source: vercel/ai, packages/openai-compatible and packages/deepseek;
// pydantic-ai, providers; read 2026-11-30.
const (
	thinkingObject = "the provider's own switch for thinking"
	replayed       = "thoughts go back in a member of the provider's own"
	nullContent    = "the specification allows null beside calls, the Go type has no place for it"
	sentinel       = "the documented sentinel for foreign calls isn't base64; the Go type holds bytes"
)

// beyond are the members that an engine sends and the official types of its
// dialect don't have, with the reason. The key is a piece of the misfit. An
// entry that no request shows any more fails the test.
var beyond = map[string]map[string]string{
	"anthropic": {
		".temperature: ": "the client speaks version 2026-10-21, which dropped sampling; sabir pins 2023-06-01",
		".top_p: ":       "the same",
	},
	"deepseek": {
		".reasoning_content: ": replayed,
		".thinking: ":          thinkingObject,
	},
	"gemini": {"skip_thought_signature_validator is no base64": sentinel},
	"groq": {
		".content: ":          nullContent,
		".reasoning_format: ": thinkingObject,
	},
	"mistral": {
		".content: ":     nullContent,
		".random_seed: ": "the provider's name for the seed",
	},
	"ollama": {
		".additionalProperties: ":                          "the server forgets most of a schema, as its own types show",
		"parameters.properties: ":                          "the same",
		"is taken for {\"berth\":{\"no\":9007199254740992": "the Go type holds numbers as float64",
	},
	"ollama-openai": {".reasoning: ": replayed},
	"openai":        {".content: ": nullContent},
	"openai-compatible": {
		".content: ":       nullContent,
		".extra_content: ": "signatures of calls go back where they came; vercel/ai, packages/openai-compatible",
	},
	"openai-responses": {
		"content[1].detail: missing": "the Go type requires it, the server takes auto",
		"output_text for constant.InputText": "an assistant's text without an id: the Go types have it only as a string; " +
			"other clients send it so to servers that keep nothing",
	},
	"vertex": {"skip_thought_signature_validator is no base64": sentinel},
}

// forgotten is what an official client's decoder doesn't keep of a request, by
// dialect: its own encoder wrote it. It is not held against sabir, nor missed.
var forgotten = map[profile.Dialect]map[string]string{
	profile.OpenAIChat: {
		"read back.tool_choice.function: lost": "a named choice doesn't survive the parameter type, as observed with v3.99.0",
	},
	profile.OpenAIResponsesAPI: {
		"read back.tool_choice.name: lost": "the same",
		"read back.input[].id: lost":       "an item is taken for the first kind of message that fits",
		"read back.input[].status: lost":   "the same",
	},
	profile.AnthropicMessages: {
		"9007199254740993 became 9007199254740992": "numbers are held as float64",
	},
	profile.GeminiAPI: {
		"9007199254740993 became 9007199254740992": "numbers are held as float64",
		".functionCall.args: lost":                 "no arguments are left out",
	},
	profile.OllamaAPI: {
		"9007199254740993 became 9007199254740992":    "numbers are held as float64",
		".parameters.properties.berth.required: lost": "the server forgets most of a schema",
	},
}
