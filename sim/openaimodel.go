package sim

import (
	"slices"
	"strings"
)

// gpt is what a family of models accepts on Chat Completions.
type gpt struct {
	known     bool
	efforts   []string // nil: doesn't reason
	byDefault string   // the effort when none is given
	// tools: whether function tools go together with reasoning.
	toolsWhileReasoning bool
	noStop              bool
}

func (g gpt) reasons(effort string) bool {
	if g.efforts == nil {
		return false
	}
	if effort == "" {
		effort = g.byDefault
	}
	return effort != "none"
}

// openaiModel finds the family of a model. Source: OpenAI, "Reasoning models";
// vercel/ai, packages/openai, openai-model-catalog.ts;
// openai/openai-openapi#541; genkit-ai/genkit-dart#423; read 2026-11-30.
func openaiModel(name string) gpt {
	low := []string{"low", "medium", "high"}
	plus := func(base []string, more ...string) []string { return append(slices.Clone(base), more...) }
	name = strings.TrimPrefix(name, "ft:")
	for _, f := range []struct {
		prefixes []string
		gpt
	}{
		{[]string{"gpt-6-astra", "gpt-6.1-sol", "gpt-6.2-astra"}, gpt{efforts: plus(low, "xhigh"), byDefault: "medium"}},
		{[]string{"gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"}, gpt{efforts: plus(low, "none", "xhigh"), byDefault: "medium"}},
		{[]string{"gpt-6"}, gpt{efforts: plus(low, "xhigh"), byDefault: "medium"}},
		{[]string{"gpt-5.6", "gpt-5.7", "gpt-5.8", "gpt-5.9"}, gpt{efforts: plus(low, "none", "xhigh"), byDefault: "medium"}},
		{[]string{"gpt-5.4", "gpt-5.5"}, gpt{efforts: plus(low, "none", "xhigh"), byDefault: "none"}},
		{[]string{"gpt-5.2", "gpt-5.3"}, gpt{efforts: plus(low, "none", "xhigh"), byDefault: "none", toolsWhileReasoning: true}},
		{[]string{"gpt-5.1"}, gpt{efforts: plus(low, "none"), byDefault: "none", toolsWhileReasoning: true}},
		{[]string{"gpt-5"}, gpt{efforts: plus(low, "minimal"), byDefault: "medium", toolsWhileReasoning: true}},
		{[]string{"o3", "o4-mini"}, gpt{efforts: low, byDefault: "medium", toolsWhileReasoning: true, noStop: true}},
		{[]string{"o1"}, gpt{efforts: low, byDefault: "medium", toolsWhileReasoning: true}},
		{[]string{"gpt-4", "gpt-3.5", "chatgpt-"}, gpt{toolsWhileReasoning: true}},
	} {
		for _, p := range f.prefixes {
			if strings.HasPrefix(name, p) {
				f.known = true
				return f.gpt
			}
		}
	}
	return gpt{}
}
