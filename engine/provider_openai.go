package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// OpenAI speaks Chat Completions. From GPT-5.4 on, models take no tools here
// while they reason, and from GPT-5.6 on they reason by default: use thinking
// off for such a turn.
type OpenAI struct{ core }

// NewOpenAI returns an engine for OpenAI's Chat Completions. The key defaults
// to $OPENAI_API_KEY.
func NewOpenAI(cfg Config) *OpenAI { return &OpenAI{newCore(openAI, cfg)} }

// Source: openai-openapi 2.3.0 and openai-go v3.98.0 (parameters, roles, tool
// choice, response_format, strict); read 2026-11-30.
var openAI = Profile{
	Name:    "openai",
	BaseURL: "https://api.openai.com/v1",
	Auth:    Bearer("OPENAI_API_KEY"),
	Dialect: OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Can: Streaming | ToolUse | StrictTools | ParallelSwitch | SubsetSwitch | SubsetAuto | JSONSchema | JSONMode | OpenSchema |
		SchemaWithTools | Images | ImageURLs | ResultImages | Files | FileIDs | Audio | Temperature | TopP | Stop | Seed | Metadata | CacheKey,
	Choice:   nativeChoice,
	Guard:    GuardNever,
	Thinking: ThinkingSupport{State: ThinksIfAsked, OffEffort: "none", Efforts: fromLow, OnEffort: "medium", Hidden: true, NoSampling: true},
	Models:   openAIModels,
	Quirks:   Quirks{SystemRole: "developer"},
	Example:  "gpt-4.1",
}

const useResponses = "use the Responses engine, which takes tools while the model reasons"

var (
	fromMinimal = []chat.Effort{chat.EffortMinimal, chat.EffortLow, chat.EffortMedium, chat.EffortHigh}
	fromLow     = []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh}
	// Chat Completions stops at xhigh; max is for Responses.
	toXHigh = []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh}
)

// openAIModels is what each family does about reasoning on Chat Completions.
// Source: the efforts of vercel/ai, packages/openai/src/openai-model-catalog.ts
// (v4.0.118); tools with reasoning: openai/openai-openapi#541,
// livekit/agents#5088 (5.4, 5.5), BerriAI/litellm#34569 and
// onyx-dot-app/onyx#15008 (5.6), genkit-ai/genkit-dart#423 and
// UKGovernmentBEIS/inspect_ai#5254 (6, 6.1); read 2026-11-30.
var openAIModels = []ModelRule{
	{Match: []string{"gpt-6-sol*", "gpt-6-luna*", "gpt-6.1-terra*"}, Thinking: &openAIOnByDefault},
	{Match: []string{"gpt-6-astra*", "gpt-6.1-sol*", "gpt-6.2*"}, Thinking: &openAIAlways},
	{Match: []string{"gpt-6*", "gpt-5.6*"}, Thinking: &openAIOnByDefault},
	{Match: []string{"gpt-5.4*", "gpt-5.5*"}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh,
		NoTools: true, NoToolsHint: useResponses, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.2*", "gpt-5.3*"}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.1*"}, Thinking: &ThinkingSupport{
		State: ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: fromLow, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5*"}, Thinking: &ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: fromMinimal, Hidden: true, NoSampling: true,
	}},
	// Stop is not taken by o3 and o4-mini.
	{Match: []string{"o3*", "o4*"}, Drop: Stop, Thinking: &ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: fromLow, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"o1*"}, Thinking: &ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: fromLow, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-4*", "gpt-3*", "chatgpt-4*"}, Thinking: &thinksNever},
}

var (
	openAIOnByDefault = ThinkingSupport{
		State: ThinksByDefault, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh,
		NoTools: true, NoToolsHint: useResponses, Hidden: true, NoSampling: true,
	}
	openAIAlways = ThinkingSupport{
		State: ThinksAlways, OnEffort: "medium", Efforts: toXHigh,
		NoTools: true, NoToolsHint: useResponses, Hidden: true, NoSampling: true,
	}
)
