package chat

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
)

// Mistral forbids unknown members. Source:
// mistralai/platform-docs-public, openapi.yaml, read 2026-11-30.
var Mistral = &Persona{
	Persona: &core.Persona{Prefix: "/v1", IDHeader: "Mistral-Correlation-Id", Failure: encodeMistralFailure},
	check:   checkMistral,
	engine:  "mistral",
	thinks:  func(r *request) bool { return r.effort() == "high" },
	style: style{
		thoughts:      alwaysAt(thoughtsParts),
		emptyContent:  "",
		callID:        func(seed string) string { return core.MakeID(9, seed) },
		indexedCalls:  true,
		untypedCalls:  true,
		callsInFinish: true,
		usage:         usageInFinish,
		replyID:       func(id string) string { return strings.ToLower(id + id) },
		usageDetails:  func(object, core.Usage) {},
	},
}

var (
	mistralMembers = strings.Fields(`model messages temperature top_p max_tokens stream stop random_seed response_format
		tools tool_choice presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort
		safe_prompt metadata guardrails prompt_cache_key`)
	mistralMessageMembers = map[string][]string{
		"system":    {"role", "content"},
		"user":      {"role", "content"},
		"assistant": {"role", "content", "tool_calls", "prefix"},
		"tool":      {"role", "content", "tool_call_id", "name"},
	}
	mistralID = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
)

// encodeMistralFailure writes one of three shapes: a list of details for what
// doesn't fit the schema, a text for a bad key, and a flat object for the
// rest.
func encodeMistralFailure(f *core.Refusal, _ string) (string, []byte) {
	switch {
	case f.Body != "":
		return f.ScriptedBody()
	case f.Status == http.StatusUnprocessableEntity || f.Status == http.StatusBadRequest && f.Where != nil:
		f.Status = http.StatusUnprocessableEntity
		kind := cmp.Or(f.DetailType, "value_error")
		return core.EncodeDocument(object{
			"detail": []any{object{"type": kind, "loc": f.Where, "msg": f.Message, "input": f.Input}},
		})
	case f.Status == http.StatusUnauthorized:
		return core.EncodeDocument(object{"detail": cmp.Or(f.Message, "Unauthorized")})
	case f.Status == http.StatusNotFound, f.Status == http.StatusMethodNotAllowed:
		return core.EncodeDocument(object{"detail": http.StatusText(f.Status)})
	}
	code := "1" + strconv.Itoa(f.Status)
	if f.Status == http.StatusTooManyRequests {
		f.FillWords("rate_limited", "1300", "Rate limit exceeded")
	}
	f.FillWords(core.OpenAIWords(f.Status))
	return core.EncodeDocument(object{
		"object": "error", "message": f.Message, "type": f.Type, "param": core.OrNull(f.Param), "code": cmp.Or(f.Code, code),
	})
}

// refuseUnfit makes a 422 about one place in the body.
func refuseUnfit(kind, message string, input any, where ...any) *core.Refusal {
	return &core.Refusal{
		Status: http.StatusUnprocessableEntity, Message: message, DetailType: kind,
		Where: append([]any{"body"}, where...), Input: input,
	}
}

// mistralRules: source: mistralai/platform-docs-public, openapi.yaml;
// 0xPlaygrounds/rig#2337; read 2026-11-30.
var mistralRules = []core.Rule{
	{
		Has: "reasoning_effort", Values: []string{"high", "none"}, Status: http.StatusUnprocessableEntity,
		Type: "enum", Param: "reasoning_effort", Message: "Input should be 'high' or 'none'",
	},
	{
		Has: "reasoning_effort", Claim: claims.Efforts, Test: core.ListsNothing, Code: "3051",
		Message: "Reasoning effort is not supported for this model",
	},
	{
		Has: "forced json", Claim: claims.JSONBesideForced, Is: "refused", Code: "3051",
		Message: "Forced tool_choice cannot be combined with a JSON response_format",
	},
}

func checkMistral(r *request) *core.Refusal {
	if f := checkExtra(r.raw, mistralMembers); f != nil {
		return f
	}
	if t := r.Temperature; t != nil && (*t < 0 || *t > 1.5) {
		return refuseUnfit("less_than_equal", "Input should be less than or equal to 1.5", *t, "temperature")
	}
	f := r.checkRules(mistralRules)
	switch {
	case f == nil:
		return checkMistralMessages(r)
	case f.Status == http.StatusUnprocessableEntity:
		return refuseUnfit(f.Type, f.Message, r.raw[f.Param], f.Param)
	}
	return f
}

func checkExtra(raw map[string]json.RawMessage, known []string, where ...any) *core.Refusal {
	if f := core.RefuseUnknown(raw, known, ""); f != nil {
		return refuseUnfit("extra_forbidden", "Extra inputs are not permitted", raw[f.Param], append(where, f.Param)...)
	}
	return nil
}

func checkMistralMessages(r *request) *core.Refusal {
	for i, m := range r.Messages {
		known, ok := mistralMessageMembers[m.Role]
		if !ok {
			return refuseUnfit("union_tag_invalid",
				"Input tag '"+m.Role+"' does not match any of the expected tags: 'assistant', 'system', 'tool', 'user'", nil,
				"messages", i)
		}
		if f := checkExtra(m.raw, known, "messages", i, m.Role); f != nil {
			return f
		}
		ids := []string{}
		for _, c := range m.ToolCalls {
			ids = append(ids, c.ID)
		}
		if m.Role == "tool" {
			ids = append(ids, m.ToolCallID)
		}
		if k := slices.IndexFunc(ids, func(id string) bool { return !mistralID.MatchString(id) }); k >= 0 {
			f := core.RefuseParam("", "3280", "Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", ids[k])
			f.Type = "invalid_function_call"
			return f
		}
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "assistant" &&
		string(r.Messages[n-1].raw["prefix"]) != "true" {
		f := core.RefuseParam("", "3230",
			"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant")
		f.Type = "invalid_request_message_order"
		return f
	}
	return nil
}
