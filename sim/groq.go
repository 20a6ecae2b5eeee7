package sim

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// groqPersona sends whole calls. Source: recordings in 0xPlaygrounds/rig,
// tests/cassettes/groq/agent_tool_sessions; Groq, API reference, "Create chat
// completion"; read 2026-11-30.
var groqPersona = &chatPersona{
	persona: &persona{prefix: "/openai/v1", idHeader: "X-Request-Id", failure: groqFailure, limits: openaiLimits},
	check:   checkGroq,
	thinks:  groqThinks,
	style: chatStyle{
		thoughts:      groqThoughts,
		callID:        func(seed string) string { return "fc_" + strings.ToLower(hashed(26, seed)) },
		wholeCalls:    true,
		nullArguments: true,
		usage:         usageInBoth,
		extras:        object{"system_fingerprint": fingerprint},
		logprobs:      true,
		chunkLogprobs: true,
		xGroq:         true,
	},
}

func groqFailure(f *refusal, _ string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	f.fill(openaiWords(f.status))
	inner := object{"message": f.message, "type": f.typ}
	if f.code != "" {
		inner["code"] = f.code
	}
	if f.param != "" {
		inner["param"] = f.param
	}
	return document(object{"error": inner})
}

// groqEfforts are the efforts that a model takes; nil: it doesn't reason.
func groqEfforts(model string) []string {
	switch {
	case strings.Contains(model, "gpt-oss"):
		return []string{"low", "medium", "high"}
	case strings.Contains(model, "qwen3"):
		return []string{"none", "default"}
	}
	return nil
}

func groqThinks(r *chatRequest) bool {
	return groqEfforts(r.Model) != nil && r.effort() != "none" && r.ReasoningFormat != "hidden" && string(r.raw["include_reasoning"]) != "false"
}

func groqThoughts(r *chatRequest) thoughts {
	raw := r.ReasoningFormat == "raw" ||
		r.ReasoningFormat == "" && strings.Contains(r.Model, "qwen3") && len(r.Tools) == 0 && r.format() == "text"
	if raw {
		return thoughtsTags
	}
	return thoughtsReasoning
}

func checkGroq(r *chatRequest) *refusal {
	json := r.format() == "json_object" || r.format() == "json_schema"
	compound := strings.HasPrefix(r.Model, "groq/compound")
	switch e := r.effort(); {
	case r.N != nil && *r.N != 1:
		return bad("n", "", "'n' : value must be 1")
	case len(r.Tools) > 0 && json:
		return bad("", "", "json mode cannot be combined with tool/function calling")
	case len(r.Tools) > 128:
		return bad("tools", "", "'tools' : maximum number of items is 128")
	case compound && (len(r.Tools) > 0 || r.format() == "json_schema"):
		return bad("", "", "`%s` does not support tools or json_schema", r.Model)
	case r.format() == "json_schema" && strings.HasPrefix(r.Model, "llama-3"):
		return bad("response_format", "", "This model does not support response format `json_schema`.")
	case e != "" && groqEfforts(r.Model) == nil:
		return bad("reasoning_effort", "", "`reasoning_effort` is not supported with this model")
	case e != "" && !slices.Contains(groqEfforts(r.Model), e):
		return bad("reasoning_effort", "", "`reasoning_effort` must be one of `%s`", strings.Join(groqEfforts(r.Model), "`, `"))
	case r.ReasoningFormat != "" && r.has("include_reasoning"):
		return bad("reasoning_format", "", "cannot specify both reasoning_format and include_reasoning")
	case r.ReasoningFormat == "raw" && (len(r.Tools) > 0 || json):
		return bad("reasoning_format", "", "`reasoning_format` `raw` is not supported with tools or JSON")
	}
	if f := refusesAny(r); f != nil {
		return f
	}
	return checkGroqMessages(r)
}

func checkGroqMessages(r *chatRequest) *refusal {
	for i, m := range r.Messages {
		if raw, ok := m.raw["function_call"]; ok && jsondoc.IsNull(raw) {
			return bad("", "", "'messages.%d' : for 'role:assistant' the property 'function_call' must be an object", i)
		}
		if strings.HasPrefix(r.Model, "llama-3") && len(m.Content) > 0 && m.Content[0] == '[' {
			return bad("", "", "'messages.%d' : content must be a string", i)
		}
	}
	return nil
}
