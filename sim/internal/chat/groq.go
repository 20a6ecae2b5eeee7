package chat

import (
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Groq sends whole calls. Source: recordings in 0xPlaygrounds/rig,
// tests/cassettes/groq/agent_tool_sessions; Groq, API reference, "Create chat
// completion"; read 2026-11-30.
var Groq = &Persona{
	Persona: &core.Persona{
		Prefix: "/openai/v1", IDHeader: "X-Request-Id", Failure: encodeGroqFailure, Limits: core.WriteOpenAILimits,
	},
	engine: "groq",
	check:  checkGroq,
	thinks: groqThinks,
	style: style{
		thoughts:      findGroqThoughts,
		callID:        func(seed string) string { return "fc_" + strings.ToLower(core.MakeID(26, seed)) },
		wholeCalls:    true,
		nullArguments: true,
		usage:         usageInBoth,
		extras:        object{"system_fingerprint": fingerprint},
		logprobs:      true,
		chunkLogprobs: true,
		xGroq:         true,
	},
}

func encodeGroqFailure(f *core.Refusal, _ string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	f.FillWords(core.OpenAIWords(f.Status))
	inner := object{"message": f.Message, "type": f.Type}
	if f.Code != "" {
		inner["code"] = f.Code
	}
	if f.Param != "" {
		inner["param"] = f.Param
	}
	return core.EncodeDocument(object{"error": inner})
}

func groqThinks(r *request) bool {
	return r.facts.Is(claims.Thinks) != "never" && r.effort() != "none" && r.ReasoningFormat != "hidden" &&
		string(r.raw["include_reasoning"]) != "false"
}

func findGroqThoughts(r *request) thoughts {
	raw := r.ReasoningFormat == "raw" ||
		r.ReasoningFormat == "" && strings.Contains(r.Model, "qwen3") && len(r.Tools) == 0 && r.formatType() == "text"
	if raw {
		return thoughtsTags
	}
	return thoughtsReasoning
}

// groqRules: source: Groq, API reference, "Create chat completion";
// console.groq.com/docs/reasoning; recordings in 0xPlaygrounds/rig,
// tests/cassettes/groq; read 2026-11-30.
var groqRules = []core.Rule{
	{Has: "n", Values: []string{"1"}, Param: "n", Message: "'n' : value must be 1"},
	{
		Has: "tools json", Claim: claims.JSONBesideTools, Is: "refused",
		Message: "json mode cannot be combined with tool/function calling",
	},
	{Has: "tools", Claim: claims.Tools, Is: "refused", Message: "`{model}` does not support tools or json_schema"},
	{
		Has: "format:json_schema", Models: "groq/compound*", Claim: claims.Schema, Is: "refused",
		Message: "`{model}` does not support tools or json_schema",
	},
	{
		Has: "format:json_schema", Claim: claims.Schema, Is: "refused", Param: "response_format",
		Message: "This model does not support response format `json_schema`.",
	},
	{
		Has: "reasoning_effort", Claim: claims.Efforts, Test: core.ListsNothing, Param: "reasoning_effort",
		Message: "`reasoning_effort` is not supported with this model",
	},
	{
		Has: "reasoning_effort", Claim: claims.Efforts, Test: core.LacksValue, Param: "reasoning_effort",
		Message: "`reasoning_effort` must be one of `{values}`",
	},
	{
		Has: "reasoning_format include_reasoning", Param: "reasoning_format",
		Message: "cannot specify both reasoning_format and include_reasoning",
	},
	{
		Has: "reasoning_format:raw tools", Param: "reasoning_format",
		Message: "`reasoning_format` `raw` is not supported with tools or JSON",
	},
	{
		Has: "reasoning_format:raw json", Param: "reasoning_format",
		Message: "`reasoning_format` `raw` is not supported with tools or JSON",
	},
}

func checkGroq(r *request) *core.Refusal {
	if f := r.checkRules(groqRules); f != nil {
		return f
	}
	if len(r.Tools) > 128 {
		return core.RefuseParam("tools", "", "'tools' : maximum number of items is 128")
	}
	if f := checkWordAny(r); f != nil {
		return f
	}
	return checkGroqMessages(r)
}

func checkGroqMessages(r *request) *core.Refusal {
	for i, m := range r.Messages {
		if raw, ok := m.raw["function_call"]; ok && jsondoc.IsNull(raw) {
			return core.RefuseParam("", "",
				"'messages.%d' : for 'role:assistant' the property 'function_call' must be an object", i)
		}
		if r.facts.Is(claims.TextParts) == "refused" && len(m.Content) > 0 && m.Content[0] == '[' {
			return core.RefuseParam("", "", "'messages.%d' : content must be a string", i)
		}
	}
	return nil
}
