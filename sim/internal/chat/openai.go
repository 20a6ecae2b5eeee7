package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// OpenAI hides its thoughts.
var OpenAI = &Persona{
	Persona: core.OpenAI,
	engine:  "openai",
	check:   checkOpenAI,
	thinks:  func(r *request) bool { return models.FindReasoning("openai", r.Model).Reasons(r.effort()) },
	style: style{
		openai:        true,
		extras:        object{"service_tier": "default", "system_fingerprint": fingerprint},
		thoughts:      alwaysAt(thoughtsHidden),
		callID:        func(seed string) string { return "call_" + core.MakeID(24, seed) },
		logprobs:      true,
		chunkLogprobs: true,
		usageDetails:  addOpenAIUsage,
	},
}

// fingerprint is the system_fingerprint of those that have one.
const fingerprint = "fp_sim0000000"

func addOpenAIUsage(doc object, u core.Usage) {
	doc["prompt_tokens_details"] = object{"cached_tokens": u.Cached, "audio_tokens": 0, "cache_write_tokens": u.CacheWrite}
	doc["completion_tokens_details"] = object{
		"reasoning_tokens": u.Reasoning, "audio_tokens": 0,
		"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
	}
}

// openaiMembers are the members of a request body. Source: OpenAI, API
// reference, "Create chat completion", read 2026-11-30.
var openaiMembers = strings.Fields(`audio frequency_penalty function_call functions logit_bias logprobs
	max_completion_tokens max_tokens messages metadata modalities model moderation n parallel_tool_calls prediction
	presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format
	safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p
	user verbosity web_search_options`)

var openaiMessageMembers = strings.Fields(`role content name refusal audio annotations function_call tool_calls
	tool_call_id`)

func checkOpenAI(r *request) *core.Refusal {
	if f := core.RefuseUnknown(r.raw, openaiMembers, ""); f != nil {
		return f
	}
	if r.Model != "" && !models.IsOpenAI(r.Model) {
		f := core.RefuseParam("model", "model_not_found", "The model `%s` does not exist or you do not have access to it.",
			r.Model)
		f.Status = 404
		return f
	}
	if f := checkWordAny(r); f != nil {
		return f
	}
	checks := []func(*request) *core.Refusal{
		checkOpenAIMessages, checkOpenAIRules, checkOpenAITools, checkOpenAIRanges, checkOpenAILimits, checkOpenAIFormat,
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// openaiRules are what OpenAI refuses some models on Chat Completions. The
// words are those of the API reference, "Create chat completion", read
// 2026-11-30.
var openaiRules = []core.Rule{
	{
		Has: "reasoning_effort", Claim: claims.Efforts, Test: core.ListsNothing, Param: "reasoning_effort",
		Code:    "unsupported_parameter",
		Message: "Unrecognized request argument supplied: reasoning_effort",
	},
	{
		Has: "reasoning_effort", Claim: claims.Efforts, Test: core.LacksValue, Param: "reasoning_effort",
		Code: "unsupported_value",
		Message: "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. Supported values are: " +
			"'{values}'.",
	},
	{
		Has: "tools", Claim: claims.Tools, Is: "refused", Param: "tools", Code: "unsupported_value",
		Message: "Unsupported value: 'tools' is not supported with this model.",
	},
	{
		Has: "tools thinking", Claim: claims.Tools, Is: "refused_while_thinking", Param: "reasoning_effort",
		Message: "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. " +
			"Use /v1/responses, or set reasoning_effort to 'none'.",
	},
	newDefaultOnly("temperature", "1", "1.0"),
	newDefaultOnly("top_p", "1", "1.0"),
	newDefaultOnly("presence_penalty", "0", "0.0"),
	newDefaultOnly("frequency_penalty", "0", "0.0"),
	newDefaultOnly("logprobs", "false"),
	{
		Has: "max_tokens", Claim: claims.Refused, Test: core.ListsMember, Param: "max_tokens", Code: "unsupported_parameter",
		Message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
	},
	newUnsupported("stop", "", claims.Refused),
	newUnsupported("stop", "thinking", claims.RefusedWhileThinking),
	newUnsupported("parallel_tool_calls", "", claims.Refused),
}

// newDefaultOnly makes the rule about a sampling member beside reasoning. Source:
// vercel/ai, packages/openai, openai-model-catalog.ts;
// UKGovernmentBEIS/inspect_ai#5254; read 2026-11-30.
func newDefaultOnly(member string, values ...string) core.Rule {
	return core.Rule{
		Has: member + " thinking", Claim: claims.Sampling, Is: "refused_while_thinking", Values: values, Param: member,
		Code: "unsupported_value",
		Message: "Unsupported value: '" + member + "' does not support {value} with this model. " +
			"Only the default (" + values[0] + ") value is supported.",
	}
}

// newUnsupported makes the rule about a member that some models don't have.
func newUnsupported(member, beside string, listed claims.What) core.Rule {
	return core.Rule{
		Has: member + " " + beside, Claim: listed, Test: core.ListsMember, Param: member, Code: "unsupported_parameter",
		Message: "Unsupported parameter: '" + member + "' is not supported with this model.",
	}
}

func checkOpenAIRules(r *request) *core.Refusal { return r.checkRules(openaiRules) }

// checkWordAny: "any" is Mistral's word, not OpenAI's.
func checkWordAny(r *request) *core.Refusal {
	if word, _ := jsondoc.Text(r.ToolChoice); word == "any" {
		return core.RefuseParam("tool_choice", "invalid_value",
			"Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.")
	}
	return nil
}

func checkOpenAIMessages(r *request) *core.Refusal {
	for i, m := range r.Messages {
		where := fmt.Sprintf("messages[%d].", i)
		if f := core.RefuseUnknown(m.raw, openaiMessageMembers, where); f != nil {
			return f
		}
		for j, c := range m.ToolCalls {
			if len(c.ID) > 40 {
				return core.RefuseParam(fmt.Sprintf("%stool_calls[%d].id", where, j), "string_above_max_length",
					"Invalid '%stool_calls[%d].id': string too long. Expected a string with maximum length 40, but got a string "+
						"with length %d instead.", where, j, len(c.ID))
			}
		}
		if m.Role == "tool" && hasPartOtherThanText(m.Content) {
			return core.RefuseParam(where+"content", "invalid_value", "Invalid value: tool messages take text only.")
		}
	}
	return nil
}

func hasPartOtherThanText(content json.RawMessage) bool {
	var parts []core.ContentPart
	if json.Unmarshal(content, &parts) != nil {
		return false
	}
	return slices.ContainsFunc(parts, func(p core.ContentPart) bool { return p.Type != "text" })
}

// checkOpenAITools: a tool that says strict has a strict schema.
func checkOpenAITools(r *request) *core.Refusal {
	for i, t := range r.Tools {
		if t.Function == nil || t.Function.Strict == nil || !*t.Function.Strict {
			continue
		}
		if why := schema.CheckStrict(t.Function.Parameters); why != "" {
			return core.RefuseParam(fmt.Sprintf("tools[%d].function.parameters", i), "invalid_function_parameters",
				"Invalid schema for function '%s': %s", t.name(), why)
		}
	}
	return nil
}

func checkOpenAIRanges(r *request) *core.Refusal {
	if t := r.Temperature; t != nil && (*t < 0 || *t > 2) {
		return core.RefuseRange("temperature", *t, 2)
	}
	if t := r.TopP; t != nil && (*t < 0 || *t > 1) {
		return core.RefuseRange("top_p", *t, 1)
	}
	return nil
}

func checkOpenAILimits(r *request) *core.Refusal {
	stops := readStops(r.Stop)
	switch {
	case r.MaxTokens != nil && *r.MaxTokens < 1, r.MaxCompletionTokens != nil && *r.MaxCompletionTokens < 1:
		return core.RefuseParam("max_completion_tokens", "integer_below_min_value",
			"Invalid 'max_completion_tokens': integer below minimum value.")
	case len(stops) > 4:
		return core.RefuseParam("stop", "array_above_max_length",
			"Invalid 'stop': array too long. Expected an array with maximum length 4.")
	case r.StreamOptions != nil && !r.Stream:
		return core.RefuseParam("stream_options", "",
			"The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case len(jsondoc.Members(r.raw["metadata"])) > 16:
		return core.RefuseParam("metadata", "object_above_max_properties",
			"Invalid 'metadata': too many properties. Expected an object with at most 16 properties.")
	}
	return nil
}

func checkOpenAIFormat(r *request) *core.Refusal {
	f := r.ResponseFormat
	if f != nil && f.Type == "json_object" {
		return checkWordJSON(r)
	}
	if f == nil || f.Type != "json_schema" || f.JSONSchema == nil || !f.JSONSchema.Strict {
		return nil
	}
	if why := schema.CheckStrict(f.JSONSchema.Schema); why != "" {
		return core.RefuseParam("response_format", "invalid_json_schema", "Invalid schema for response_format '%s': %s",
			f.JSONSchema.Name, why)
	}
	return nil
}

// checkWordJSON: JSON mode wants the word in the conversation. Source: OpenAI,
// "Structured model outputs", JSON mode, read 2026-11-30; DeepSeek, "JSON
// Output", has the same rule.
func checkWordJSON(r *request) *core.Refusal {
	for _, m := range r.Messages {
		if strings.Contains(strings.ToLower(core.ReadContent(m.Content)), "json") {
			return nil
		}
	}
	return core.RefuseParam("messages", "",
		"'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
}
