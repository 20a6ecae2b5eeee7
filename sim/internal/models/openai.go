package models

import (
	"slices"
	"strings"
)

// GPT is what a family of models accepts on Chat Completions.
type GPT struct {
	Known     bool
	Efforts   []string // nil: doesn't reason
	ByDefault string   // the effort when none is given
	// ToolsWhileReasoning: function tools go together with reasoning.
	ToolsWhileReasoning bool
	NoStop              bool
}

// Reasons reports whether the model thinks at that effort; empty: by default.
func (g GPT) Reasons(effort string) bool {
	if g.Efforts == nil {
		return false
	}
	if effort == "" {
		effort = g.ByDefault
	}
	return effort != "none"
}

// FindGPT finds the family of a model. Source: OpenAI, "Reasoning models";
// vercel/ai, packages/openai, openai-model-catalog.ts;
// openai/openai-openapi#541; genkit-ai/genkit-dart#423; read 2026-11-30.
func FindGPT(name string) GPT {
	low := []string{"low", "medium", "high"}
	plus := func(base []string, more ...string) []string { return append(slices.Clone(base), more...) }
	name = strings.TrimPrefix(name, "ft:")
	for _, f := range []struct {
		prefixes []string
		GPT
	}{
		{[]string{"gpt-6-astra", "gpt-6.1-sol", "gpt-6.2-astra"}, GPT{Efforts: plus(low, "xhigh"), ByDefault: "medium"}},
		{[]string{"gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"}, GPT{Efforts: plus(low, "none", "xhigh"), ByDefault: "medium"}},
		{[]string{"gpt-6"}, GPT{Efforts: plus(low, "xhigh"), ByDefault: "medium"}},
		{[]string{"gpt-5.6", "gpt-5.7", "gpt-5.8", "gpt-5.9"}, GPT{Efforts: plus(low, "none", "xhigh"), ByDefault: "medium"}},
		{[]string{"gpt-5.4", "gpt-5.5"}, GPT{Efforts: plus(low, "none", "xhigh"), ByDefault: "none"}},
		{[]string{"gpt-5.2", "gpt-5.3"}, GPT{Efforts: plus(low, "none", "xhigh"), ByDefault: "none", ToolsWhileReasoning: true}},
		{[]string{"gpt-5.1"}, GPT{Efforts: plus(low, "none"), ByDefault: "none", ToolsWhileReasoning: true}},
		{[]string{"gpt-5"}, GPT{Efforts: plus(low, "minimal"), ByDefault: "medium", ToolsWhileReasoning: true}},
		{[]string{"o3", "o4-mini"}, GPT{Efforts: low, ByDefault: "medium", ToolsWhileReasoning: true, NoStop: true}},
		{[]string{"o1"}, GPT{Efforts: low, ByDefault: "medium", ToolsWhileReasoning: true}},
		{[]string{"gpt-4", "gpt-3.5", "chatgpt-"}, GPT{ToolsWhileReasoning: true}},
	} {
		for _, p := range f.prefixes {
			if strings.HasPrefix(name, p) {
				f.Known = true
				return f.GPT
			}
		}
	}
	return GPT{}
}
