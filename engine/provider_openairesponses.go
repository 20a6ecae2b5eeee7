package engine

import (
	"github.com/sabir-go/sabir/chat"
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
var openAIResponses = Profile{
	Name:    "openai-responses",
	BaseURL: "https://api.openai.com/v1",
	Auth:    Bearer("OPENAI_API_KEY"),
	Dialect: OpenAIResponsesAPI,
	Tools:   toolchoice.Responses,
	Can: Streaming | ToolUse | StrictTools | ParallelSwitch | SubsetSwitch | SubsetAuto | JSONSchema | JSONMode | OpenSchema |
		SchemaWithTools | Images | ImageURLs | ResultImages | Files | FileURLs | FileIDs | Temperature | TopP | Metadata | CacheKey,
	Choice: nativeChoice,
	Guard:  GuardNever,
	Thinking: ThinkingSupport{
		State: ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toMax, Display: true, NoSampling: true,
	},
	Models:       responsesModels,
	MinMaxTokens: 16,
	Quirks:       Quirks{SystemRole: "developer"},
	Example:      "gpt-5.6",
}

var toMax = []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh, chat.EffortMax}

// responsesModels is what each family does about reasoning here, where tools
// and reasoning go together. Source: as for openAIModels.
var responsesModels = []ModelRule{
	{Match: []string{"gpt-6-astra*", "gpt-6.1-sol*", "gpt-6.2*"}, Thinking: &ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: toMax, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-6*", "gpt-5.6*"}, Thinking: &ThinkingSupport{
		State: ThinksByDefault, OffEffort: "none", OnEffort: "medium", Efforts: toMax, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.2*", "gpt-5.3*", "gpt-5.4*", "gpt-5.5*"}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.1*"}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: fromLow, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5*"}, Thinking: &ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: fromMinimal, Display: true, NoSampling: true,
	}},
	{Match: []string{"o1*", "o3*", "o4*"}, Thinking: &ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: fromLow, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-4*", "gpt-3*", "chatgpt-4*"}, Thinking: &thinksNever},
}
