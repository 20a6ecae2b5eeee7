package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

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
var openAIModels = []profile.ModelRule{
	{Match: []string{"gpt-6-sol*", "gpt-6-luna*", "gpt-6.1-terra*"}, Thinking: &openAIOnByDefault},
	{Match: []string{"gpt-6-astra*", "gpt-6.1-sol*", "gpt-6.2*"}, Thinking: &openAIAlways},
	{Match: []string{"gpt-6*", "gpt-5.6*"}, Thinking: &openAIOnByDefault},
	{Match: []string{"gpt-5.4*", "gpt-5.5*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh,
		NoTools: true, NoToolsHint: useResponses, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.2*", "gpt-5.3*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.1*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: fromLow, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromMinimal, Hidden: true, NoSampling: true,
	}},
	// Stop is not taken by o3 and o4-mini.
	{Match: []string{"o3*", "o4*"}, Drop: profile.Stop, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromLow, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"o1*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromLow, Hidden: true, NoSampling: true,
	}},
	{Match: []string{"gpt-4*", "gpt-3*", "chatgpt-4*"}, Thinking: &thinksNever},
}

var (
	openAIOnByDefault = profile.ThinkingSupport{
		State: profile.ThinksByDefault, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh,
		NoTools: true, NoToolsHint: useResponses, Hidden: true, NoSampling: true,
	}
	openAIAlways = profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: toXHigh,
		NoTools: true, NoToolsHint: useResponses, Hidden: true, NoSampling: true,
	}
)

var toMax = []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh, chat.EffortMax}

// responsesModels is what each family does about reasoning here, where tools
// and reasoning go together. Source: as for openAIModels.
var responsesModels = []profile.ModelRule{
	{Match: []string{"gpt-6-astra*", "gpt-6.1-sol*", "gpt-6.2*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: toMax, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-6*", "gpt-5.6*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksByDefault, OffEffort: "none", OnEffort: "medium", Efforts: toMax, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.2*", "gpt-5.3*", "gpt-5.4*", "gpt-5.5*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: toXHigh, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5.1*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksIfAsked, OffEffort: "none", OnEffort: "medium", Efforts: fromLow, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-5*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromMinimal, Display: true, NoSampling: true,
	}},
	{Match: []string{"o1*", "o3*", "o4*"}, Thinking: &profile.ThinkingSupport{
		State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromLow, Display: true, NoSampling: true,
	}},
	{Match: []string{"gpt-4*", "gpt-3*", "chatgpt-4*"}, Thinking: &thinksNever},
}

var fromMinimalToMax = []chat.Effort{
	chat.EffortMinimal, chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh, chat.EffortMax,
}
