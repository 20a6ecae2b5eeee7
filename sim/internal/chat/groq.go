package chat

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// Groq sends whole calls. Source: recordings in 0xPlaygrounds/rig,
// tests/cassettes/groq/agent_tool_sessions; Groq, API reference, "Create chat
// completion"; read 2026-11-30.
var Groq = &Persona{
	Persona: &core.Persona{Prefix: "/openai/v1", IDHeader: "X-Request-Id", Failure: encodeGroqFailure, Limits: core.WriteOpenAILimits},
	check:   checkGroq,
	thinks:  groqThinks,
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
	return models.GroqEfforts(r.Model) != nil && r.effort() != "none" && r.ReasoningFormat != "hidden" && string(r.raw["include_reasoning"]) != "false"
}

func findGroqThoughts(r *request) thoughts {
	raw := r.ReasoningFormat == "raw" ||
		r.ReasoningFormat == "" && strings.Contains(r.Model, "qwen3") && len(r.Tools) == 0 && r.formatType() == "text"
	if raw {
		return thoughtsTags
	}
	return thoughtsReasoning
}

func checkGroq(r *request) *core.Refusal {
	json := r.formatType() == "json_object" || r.formatType() == "json_schema"
	compound := strings.HasPrefix(r.Model, "groq/compound")
	switch e := r.effort(); {
	case r.N != nil && *r.N != 1:
		return core.RefuseParam("n", "", "'n' : value must be 1")
	case len(r.Tools) > 0 && json:
		return core.RefuseParam("", "", "json mode cannot be combined with tool/function calling")
	case len(r.Tools) > 128:
		return core.RefuseParam("tools", "", "'tools' : maximum number of items is 128")
	case compound && (len(r.Tools) > 0 || r.formatType() == "json_schema"):
		return core.RefuseParam("", "", "`%s` does not support tools or json_schema", r.Model)
	case r.formatType() == "json_schema" && strings.HasPrefix(r.Model, "llama-3"):
		return core.RefuseParam("response_format", "", "This model does not support response format `json_schema`.")
	case e != "" && models.GroqEfforts(r.Model) == nil:
		return core.RefuseParam("reasoning_effort", "", "`reasoning_effort` is not supported with this model")
	case e != "" && !slices.Contains(models.GroqEfforts(r.Model), e):
		return core.RefuseParam("reasoning_effort", "", "`reasoning_effort` must be one of `%s`", strings.Join(models.GroqEfforts(r.Model), "`, `"))
	case r.ReasoningFormat != "" && r.hasMember("include_reasoning"):
		return core.RefuseParam("reasoning_format", "", "cannot specify both reasoning_format and include_reasoning")
	case r.ReasoningFormat == "raw" && (len(r.Tools) > 0 || json):
		return core.RefuseParam("reasoning_format", "", "`reasoning_format` `raw` is not supported with tools or JSON")
	}
	if f := checkWordAny(r); f != nil {
		return f
	}
	return checkGroqMessages(r)
}

func checkGroqMessages(r *request) *core.Refusal {
	for i, m := range r.Messages {
		if raw, ok := m.raw["function_call"]; ok && jsondoc.IsNull(raw) {
			return core.RefuseParam("", "", "'messages.%d' : for 'role:assistant' the property 'function_call' must be an object", i)
		}
		if strings.HasPrefix(r.Model, "llama-3") && len(m.Content) > 0 && m.Content[0] == '[' {
			return core.RefuseParam("", "", "'messages.%d' : content must be a string", i)
		}
	}
	return nil
}
