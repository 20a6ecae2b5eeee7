package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// OpenAIResponses speaks OpenAI's Responses API, statelessly: nothing is stored
// at the provider, and reasoning goes back encrypted. It takes tools while a
// model reasons.
type OpenAIResponses struct{ core }

// NewOpenAIResponses returns an engine for OpenAI's Responses API. The key
// defaults to $OPENAI_API_KEY.
func NewOpenAIResponses(cfg Config) *OpenAIResponses {
	return &OpenAIResponses{newCore(openAIResponses, cfg)}
}

// Source: openai-go v3.98.0, packages responses and shared (input
// items, flat tools, text.format, reasoning, max_output_tokens of at least 16;
// no stop, no seed); forced choices on a reasoning model recorded in
// pydantic-ai, tests/models/cassettes/test_tool_choice_matrix; read 2026-11-30.
var openAIResponses = profile.Profile{
	Name:    "openai-responses",
	BaseURL: "https://api.openai.com/v1",
	Auth:    profile.Bearer("OPENAI_API_KEY"),
	Dialect: profile.OpenAIResponsesAPI,
	Tools:   toolchoice.Responses,
	Can: profile.Streaming | profile.ToolUse | profile.StrictTools | profile.ParallelSwitch | profile.SubsetSwitch | profile.SubsetAuto | profile.JSONSchema | profile.JSONMode | profile.OpenSchema |
		profile.SchemaWithTools | profile.Images | profile.ImageURLs | profile.ResultImages | profile.Files | profile.FileURLs | profile.FileIDs | profile.Temperature | profile.TopP | profile.Metadata | profile.CacheKey,
	Choice: nativeChoice,
	Guard:  profile.GuardNever,
	Thinking: profile.ThinkingSupport{
		State: profile.ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toMax, Display: true, NoSampling: true,
	},
	Models:       responsesModels,
	MinMaxTokens: 16,
	Quirks:       profile.Quirks{SystemRole: "developer"},
	Example:      "gpt-5.6",
}
