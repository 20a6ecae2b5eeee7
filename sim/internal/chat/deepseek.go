package chat

import (
	"fmt"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// DeepSeek thinks unless told not to. Source: DeepSeek, "Thinking Mode";
// exchanges recorded in 0xPlaygrounds/rig, tests/cassettes/deepseek; read
// 2026-11-30.
var DeepSeek = &Persona{
	Persona: &core.Persona{IDHeader: "X-Ds-Trace-Id", Failure: encodeDeepSeekFailure},
	check:   checkDeepSeek,
	engine:  "deepseek",
	thinks:  deepSeekThinks,
	style: style{
		thoughts:     alwaysAt(thoughtsReasoningContent),
		emptyContent: "",
		callID:       func(seed string) string { return "call_00_" + core.MakeID(24, seed) },
		indexedCalls: true,
		usage:        usageInFinish,
		comment:      "keep-alive",
		extras:       object{"system_fingerprint": fingerprint},
		replyID:      formatUUID,
		logprobs:     true,
		usageDetails: addDeepSeekUsage,
		nullUsage:    true,
	},
}

func deepSeekThinks(r *request) bool {
	if r.Thinking != nil {
		return r.Thinking.Type != "disabled"
	}
	return r.effort() != "none"
}

// encodeDeepSeekFailure has one code, whatever went wrong.
func encodeDeepSeekFailure(f *core.Refusal, _ string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	switch {
	case f.Type != "":
	case f.Status == 401:
		f.Type, f.Message = "authentication_error", "Authentication Fails, Your api key is invalid"
	case f.Status == 402:
		f.Type = "unknown_error"
		if f.Message == "" {
			f.Message = "Insufficient Balance"
		}
	}
	f.FillWords(core.OpenAIWords(f.Status))
	return core.EncodeDocument(object{"error": object{
		"message": f.Message, "type": f.Type, "param": nil, "code": "invalid_request_error",
	}})
}

// deepseekRules: source: DeepSeek, "Thinking Mode"; exchanges recorded in
// 0xPlaygrounds/rig, tests/cassettes/deepseek; read 2026-11-30.
var deepseekRules = []core.Rule{
	{Has: "model", Except: "deepseek-flash* deepseek-v4*", Message: "Model Not Exist"},
	{
		Has: "thinking.type", Claim: claims.ThinkingTypes, Test: core.LacksValue,
		Message: "Failed to deserialize the JSON body into the target type: thinking.type: unknown variant `{value}`",
	},
	{
		Has: "tool_choice:any",
		Message: "Failed to deserialize the JSON body into the target type: tool_choice: unknown variant `any`, expected " +
			"one of `none`, `auto`, `required`",
	},
	{
		Has: "forced thinking", Claim: claims.Forced, Is: "refused_while_thinking",
		Message: "Thinking mode does not support this tool_choice",
	},
	{
		Has: "format:json_schema", Claim: claims.Schema, Is: "refused",
		Message: "This response_format type is unavailable now",
	},
}

func checkDeepSeek(r *request) *core.Refusal {
	if f := r.checkRules(deepseekRules); f != nil {
		return f
	}
	if r.formatType() == "json_object" {
		if f := checkWordJSON(r); f != nil {
			return f
		}
	}
	return checkDeepSeekMessages(r, deepSeekThinks(r))
}

func checkDeepSeekMessages(r *request, thinking bool) *core.Refusal {
	for i, m := range r.Messages {
		if hasPartOtherThanText(m.Content) {
			return core.RefuseParam("", "",
				"Failed to deserialize the JSON body into the target type: messages[%d]: unknown variant `image_url`, expected "+
					"`text`", i)
		}
		_, given := m.raw["reasoning_content"]
		if thinking && m.Role == "assistant" && len(m.ToolCalls) > 0 && !given {
			return core.RefuseParam("", "", "The reasoning_content in the thinking mode must be passed back to the API.")
		}
		if given {
			if _, ok := jsondoc.Text(m.raw["reasoning_content"]); !ok {
				return core.RefuseParam("", "", "%s",
					fmt.Sprintf("messages[%d].reasoning_content: invalid type, expected a string", i))
			}
		}
	}
	return nil
}

func addDeepSeekUsage(doc object, u core.Usage) {
	doc["prompt_tokens_details"] = object{"cached_tokens": u.Cached}
	doc["completion_tokens_details"] = object{"reasoning_tokens": u.Reasoning}
	doc["prompt_cache_hit_tokens"], doc["prompt_cache_miss_tokens"] = u.Cached, u.Input-u.Cached
}
