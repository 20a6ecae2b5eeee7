package cohere

import (
	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Refusals by model. Source of the words: docs.cohere.com/reference/chat;
// recordings in maruel/genai, providers/cohere/testdata; read 2026-11-30.
var (
	toolRules = []core.Rule{
		{
			Has: "tool_choice", Claim: claims.ChoiceWords, Test: core.LacksValue, Message: "tool_choice must be one of {values}",
		},
		{Has: "tool_choice toolless", Message: "tool_choice {value} needs at least one tool"},
		{Has: "tools", Claim: claims.Tools, Is: "refused", Message: "tools are not supported by model {model}"},
	}

	formatRules = []core.Rule{
		{
			Has: "format", Values: []string{"text", "json_object"},
			Message: "response_format.type must be one of text, json_object",
		},
		{
			Has: "format:json_object tools", Claim: claims.JSONBesideTools, Is: "refused",
			Message: "cannot specify response_format with tools or documents",
		},
		{Has: "format:json_object documents", Message: "cannot specify response_format with tools or documents"},
	}

	thinkingRules = []core.Rule{
		{Has: "thinking", Values: []string{"enabled", "disabled"}, Message: "thinking.type must be one of enabled, disabled"},
		{
			Has: "thinking", Claim: claims.ThinkingTypes, Test: core.ListsNothing,
			Message: "thinking is not supported by model {model}",
		},
	}
)

// listTraits lists what the rules ask about:
//   - tool_choice;
//   - tools: there is at least one, or toolless: there is none;
//   - format and thinking: their types;
//   - documents.
func (r *request) listTraits() core.Traits {
	t := core.Traits{}
	if !jsondoc.IsNull(r.ToolChoice) {
		t["tool_choice"], _ = jsondoc.Text(r.ToolChoice)
	}
	t.Add("tools", len(r.Tools) > 0)
	t.Add("toolless", len(r.Tools) == 0)
	if r.Format != nil {
		t["format"] = r.Format.Type
	}
	if r.Thinking != nil {
		t["thinking"] = r.Thinking.Type
	}
	t.Add("documents", !jsondoc.IsNull(r.raw["documents"]))
	return t
}

func (r *request) checkRules(rules []core.Rule) *core.Refusal {
	f := core.CheckRules(rules, r.facts, r.Model, r.listTraits())
	if f == nil {
		return nil
	}
	return refuse("%s", f.Message)
}
