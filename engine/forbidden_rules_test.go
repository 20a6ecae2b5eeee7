package engine_test

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
)

// rules say, for each engine, why a provider would refuse or ignore a request;
// empty if it would not. They repeat the providers' documentation in the
// simplest words, on purpose: a slip in a profile must not be repeated here.
var rules = map[string]func(wireView, *chat.Request) string{
	"aki":               inWords,
	"aki-openai":        inWords,
	"anthropic":         claudeRules,
	"bedrock":           bedrockRules,
	"cohere":            cohereRules,
	"deepseek":          deepSeekRules,
	"gemini":            geminiRules,
	"groq":              groqRules,
	"hermes":            inWords,
	"mistral":           mistralRules,
	"nousresearch":      inWords,
	"ollama":            ollamaRules,
	"ollama-openai":     ollamaOpenAIRules,
	"openai":            openAIRules,
	"openai-compatible": compatibleRules,
	"openai-responses":  responsesRules,
	"perplexity":        perplexityRules,
	"vertex":            geminiRules,
}

// rule is a thing that must not be.
type rule struct {
	is   bool
	what string
}

// broken gives the name of the first thing that is the case.
func broken(cases ...rule) string {
	for _, c := range cases {
		if c.is {
			return c.what
		}
	}
	return ""
}

// inWords: these wires have no members for tools, choices and schemas.
func inWords(v wireView, _ *chat.Request) string {
	return broken(
		rule{len(v.tools) > 0 || v.body["tools"] != nil, "tools on a wire without"},
		rule{v.choice != nil, "a tool choice on a wire without"},
		rule{v.jsonMode, "a schema on a wire without"},
		rule{v.history, "calls as such in the history of a wire without"},
		rule{v.body["parallel_tool_calls"] != nil, "parallel_tool_calls without tools"},
	)
}

// claudeAlwaysThinks are the models that can never be forced: Opus and Sonnet
// 5.5, Fable and Mythos, and what nobody has heard of.
func claudeAlwaysThinks(model string) bool {
	return strings.Contains(model, "-5-5") && !strings.Contains(model, "haiku") ||
		strings.Contains(model, "fable") || strings.Contains(model, "mythos") || strings.Contains(model, "any-other")
}

// claudeThinksUnasked are the models that think unless told not to.
func claudeThinksUnasked(model string) bool {
	return claudeAlwaysThinks(model) || strings.Contains(model, "haiku-5-5") ||
		(strings.Contains(model, "opus-5") || strings.Contains(model, "sonnet-5")) && !strings.Contains(model, "-5-5")
}

// Source: platform.claude.com/docs, "Extended thinking", and the migration
// guides of the 5.5 models; read 2026-11-30.
func claudeRules(v wireView, _ *chat.Request) string {
	budget, _ := v.budget.(float64)
	limit, _ := v.body["max_tokens"].(float64)
	return broken(
		rule{v.forced && v.thinkType == "enabled", "forced with thinking enabled"},
		rule{v.forced && claudeAlwaysThinks(v.model), "forced on a model that always thinks"},
		rule{v.thinkType == "disabled" && claudeAlwaysThinks(v.model), "thinking off where it can't be"},
		rule{v.thinkType == "disabled" && (v.effort == "xhigh" || v.effort == "max"), "thinking off with more than high effort"},
		rule{v.thinkType == "enabled" && (budget < 1024 || budget >= limit), "a budget out of bounds"},
		rule{v.thinkType == "enabled" && v.body["temperature"] != nil, "temperature while thinking"},
		rule{v.body["temperature"] != nil && claudeThinksUnasked(v.model) && !strings.Contains(v.model, "any-other"), "temperature on a model that takes none"},
	)
}

// Source: aws-sdk-go-v2 bedrockruntime, types.go (which families take which
// choice); vercel/ai packages/amazon-bedrock (forcing beside thinking, tools
// wanted by the history); read 2026-11-30.
func bedrockRules(v wireView, _ *chat.Request) string {
	claude := strings.Contains(v.model, "anthropic.")
	nova := strings.Contains(v.model, "amazon.nova")
	_, named := v.choice.(object)
	named = named && (dig(v.choice, "tool") != nil || dig(v.choice, "type") == "tool")
	anyTool := v.forced && !named
	thinks := v.thinkType == "enabled" || v.thinkType == "adaptive" || claudeThinksUnasked(v.model) && v.thinkType != "disabled"
	known := claude || nova || strings.Contains(v.model, "mistral.") || strings.Contains(v.model, "meta.") || strings.Contains(v.model, "deepseek.")
	takesAny := claude || nova || strings.Contains(v.model, "mistral-large") || strings.Contains(v.model, "deepseek.v3")
	return broken(
		rule{claude && v.forced && thinks, "forced while Claude thinks"},
		rule{known && named && !claude && !nova, "a tool named to a family that takes no name"},
		rule{known && anyTool && !takesAny, "any for a family that takes none"},
		rule{v.history && len(v.tools) == 0, "a history with calls and no tools"},
		rule{!claude && (v.thinkType != nil || v.jsonMode), "Claude's settings for another family"},
		rule{dig(v.choice, "none") != nil || dig(v.choice, "type") == "none", "none on a wire without"},
	)
}

// Source: docs.cohere.com/reference/chat: REQUIRED and NONE only; JSON not with
// tools; read 2026-11-30.
func cohereRules(v wireView, _ *chat.Request) string {
	reasons := thinksUnasked(v.model, "command-a-reasoning", "command-a-plus")
	thinks := v.thinkType == "enabled" || reasons && v.thinkType != "disabled"
	return broken(
		rule{v.choice != nil && v.choice != "REQUIRED" && v.choice != "NONE", "a choice without a word"},
		rule{v.jsonMode && len(v.tools) > 0, "JSON beside tools"},
		rule{v.forced && thinks, "forced while thinking, which no source says is taken"},
		rule{v.thinkType != nil && !reasons, "thinking for a model without"},
	)
}

func thinksUnasked(model string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(model, p) })
}

// Source: api-docs.deepseek.com/guides/thinking_mode; read 2026-11-30.
func deepSeekRules(v wireView, _ *chat.Request) string {
	thinks := v.thinkType != "disabled"
	return broken(
		rule{v.forced && thinks, "forced while thinking, which is on unless disabled"},
		rule{v.choice == "none" && thinks, "none while thinking, which the guide says is refused"},
		rule{v.schema != nil, "a schema on a wire with JSON mode only"},
	)
}

// Source: vercel/ai packages/google/src/google-language-model.ts and
// google-model-catalog.ts; ai.google.dev, "Thinking"; read 2026-11-30.
func geminiRules(v wireView, _ *chat.Request) string {
	older := thinksUnasked(v.model, "gemini-1", "gemini-2")
	mode := dig(v.choice, "mode")
	limited := dig(v.choice, "allowedFunctionNames") != nil
	return broken(
		rule{v.jsonMode && len(v.tools) > 0 && older, "JSON beside functions before Gemini 3"},
		rule{v.jsonMode && v.forced, "JSON with a forced call"},
		rule{limited && mode != "ANY" && mode != "VALIDATED", "a subset of functions with another mode than ANY and VALIDATED"},
		rule{mode == "VALIDATED" && limited && older, "a subset without force before Gemini 3"},
		rule{v.effort != nil && older, "a thinking level before Gemini 3"},
		rule{v.budget != nil && !older, "a thinking budget from Gemini 3 on"},
		rule{v.effort != nil && v.budget != nil, "a thinking level and a budget"},
		rule{v.effort == "MINIMAL" && thinksUnasked(v.model, "gemini-3.7", "gemini-3.8", "gemini-4", "gemini-3-pro", "gemini-3.1-pro"), "minimal on a model that refuses it"},
		rule{v.budget == 0.0 && strings.HasPrefix(v.model, "gemini-2.5-pro"), "thinking off on 2.5 Pro"},
		rule{v.choice != nil && len(v.tools) == 0, "a function calling config without functions"},
		rule{dig(v.body, "generationConfig", "response_mime_type") != nil, "a MIME type in its other spelling, which is taken too"},
		rule{dig(v.body, "toolConfig", "function_calling_config") != nil, "a choice in its other spelling, which is taken too"},
	)
}

// Source: recorded 400, agno-agi/agno#1065; groq-python,
// completion_create_params.py; read 2026-11-30.
func groqRules(v wireView, _ *chat.Request) string {
	gptOSS, qwen := strings.HasPrefix(v.model, "openai/gpt-oss"), strings.HasPrefix(v.model, "qwen/")
	return broken(
		rule{v.jsonMode && len(v.tools) > 0, "JSON beside tools"},
		rule{v.schema != nil && !gptOSS, "a schema for a model without"},
		rule{v.effort == "none" && gptOSS, "gpt-oss can't stop thinking"},
		rule{v.effort != nil && !gptOSS && !qwen, "an effort for a model without"},
		rule{v.effort != nil && qwen && v.effort != "none" && v.effort != "default", "an effort that Qwen has no word for"},
		rule{len(v.tools) > 0 && strings.Contains(v.model, "compound"), "tools for a compound system"},
	)
}

// Source: mistralai/platform-docs-public, openapi.yaml; read 2026-11-30.
func mistralRules(v wireView, _ *chat.Request) string {
	thinks := v.effort == "high" || strings.HasPrefix(v.model, "magistral")
	return broken(
		rule{v.forced && thinks, "forced while thinking, which no source says is taken"},
		rule{v.choice == "required", "required, where the wire says any"},
		rule{v.body["stream_options"] != nil || v.body["max_completion_tokens"] != nil || v.body["seed"] != nil, "a member that is refused"},
		rule{v.jsonMode && v.forced, "JSON with a forced call"},
	)
}

// Source: ollama/ollama, server/routes.go and docs/capabilities; read
// 2026-11-30. A format is held to for sure only if the model does not think.
func ollamaRules(v wireView, req *chat.Request) string {
	standsIn := req.ToolChoice.Forced() && v.schema != nil
	gptOSS := strings.HasPrefix(v.model, "gpt-oss")
	return broken(
		rule{v.choice != nil, "a tool choice, which is ignored"},
		rule{standsIn && !gptOSS && v.thinkType != false, "a format for a forced tool while the model may think"},
		rule{v.jsonMode && len(v.tools) > 0, "a format beside tools"},
		rule{v.jsonMode && strings.HasSuffix(v.model, "cloud"), "a format for a hosted model"},
		rule{gptOSS && (v.thinkType == false || v.thinkType == true), "gpt-oss wants a level"},
	)
}

func ollamaOpenAIRules(v wireView, req *chat.Request) string {
	standsIn := req.ToolChoice.Forced() && v.schema != nil
	return broken(
		rule{v.choice != nil, "a tool choice, which is ignored"},
		rule{standsIn && !strings.HasPrefix(v.model, "gpt-oss") && v.effort != "none", "a schema for a forced tool while the model may think"},
		rule{v.jsonMode && len(v.tools) > 0, "a schema beside tools"},
		rule{v.jsonMode && strings.HasSuffix(v.model, "cloud"), "a schema for a hosted model"},
	)
}

// Source: openai/openai-openapi#541, BerriAI/litellm#34569,
// genkit-ai/genkit-dart#423; openai-openapi 2.3.0; read 2026-11-30.
func openAIRules(v wireView, _ *chat.Request) string {
	late := thinksUnasked(v.model, "gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-6")
	byDefault := thinksUnasked(v.model, "gpt-5.6", "gpt-6")
	always := thinksUnasked(v.model, "o1", "o3", "o4", "gpt-6.1-sol", "gpt-6-astra") || v.model == "gpt-5"
	return broken(
		rule{late && len(v.tools) > 0 && (v.effort != nil && v.effort != "none" || byDefault && v.effort == nil), "tools while reasoning"},
		rule{always && v.effort == "none", "no reasoning on a model that always reasons"},
		rule{v.effort == "max", "an effort that stops at xhigh"},
		rule{v.body["max_tokens"] != nil, "max_tokens, which reasoning models refuse"},
		rule{v.body["temperature"] != nil && (always || v.effort != nil && v.effort != "none" || byDefault && v.effort == nil), "temperature while reasoning"},
		rule{v.jsonMode && v.forced, "a schema with a forced call"},
	)
}

// Source: openai-go responses/response.go; openai-openapi 2.3.0; read
// 2026-11-30.
func responsesRules(v wireView, _ *chat.Request) string {
	limit, limited := v.body["max_output_tokens"].(float64)
	always := thinksUnasked(v.model, "o1", "o3", "o4", "gpt-6.1-sol", "gpt-6-astra") || v.model == "gpt-5"
	byDefault := thinksUnasked(v.model, "gpt-5.6", "gpt-6")
	return broken(
		rule{limited && limit < 16, "a limit below 16"},
		rule{v.body["store"] != false, "a conversation left at the provider"},
		rule{always && v.effort == "none", "no reasoning on a model that always reasons"},
		rule{v.body["temperature"] != nil && (always || v.effort != nil && v.effort != "none" || byDefault && v.effort == nil), "temperature while reasoning"},
		rule{v.jsonMode && v.forced, "a schema with a forced call"},
		rule{v.body["seed"] != nil || v.body["stop"] != nil, "a member that is unknown here"},
	)
}

// A server that nobody knows: while it is asked to think it isn't forced.
// Kimi and Qwen: UKGovernmentBEIS/inspect_ai#5152, cloudwego/eino#994; read
// 2026-11-30.
func compatibleRules(v wireView, _ *chat.Request) string {
	named, k3 := v.forced && v.choice != "required", strings.Contains(v.model, "kimi-k3")
	return broken(
		rule{v.forced && !k3 && v.effort != nil && v.effort != "none", "forced while thinking, which no source says is taken"},
		rule{named && k3, "named on a model that takes none and any only"},
		rule{v.forced && strings.Contains(v.model, "kimi-k2.6") && v.thinkType != "disabled", "forced while thinking"},
		rule{v.forced && strings.Contains(v.model, "-thinking"), "forced on a model that always thinks"},
	)
}

// rulesOf are an engine's rules; a new engine of Chat Completions begins with
// those of a server that nobody knows.
func rulesOf(entry engine.Entry) func(wireView, *chat.Request) string {
	if r := rules[entry.Profile.Name]; r != nil || entry.Profile.Dialect != profile.OpenAIChat {
		return r
	}
	return compatibleRules
}

// Source: perplexity-py, completion_create_params.py; read 2026-11-30.
func perplexityRules(v wireView, _ *chat.Request) string {
	return broken(
		rule{len(v.tools) > 0 || v.choice != nil, "tools on a wire without"},
		rule{v.history, "calls in the history of a wire without"},
		rule{v.jsonMode && v.schema == nil, "JSON mode, which this wire has not"},
	)
}
