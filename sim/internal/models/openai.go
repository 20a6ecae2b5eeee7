package models

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
)

// openaiModels are how the names of OpenAI's models begin. Source: OpenAI,
// "Models", read 2026-11-30.
var openaiModels = strings.Fields("gpt-3.5 gpt-4 gpt-5 gpt-6 chatgpt- o1 o3 o4-mini")

// IsOpenAI reports whether OpenAI has a model of that name.
func IsOpenAI(name string) bool { return hasPrefix(strings.TrimPrefix(name, "ft:"), openaiModels) }

// Reasoning is what a model takes as its effort.
type Reasoning struct {
	Efforts   []string // nil: it doesn't reason
	ByDefault string   // the effort where none is given
}

// FindReasoning finds what a model of OpenAI's takes on one of its engines.
func FindReasoning(engine, name string) Reasoning {
	facts := claims.About(engine, name)
	words, _ := facts.Words(claims.Efforts)
	if len(words) == 0 || !IsOpenAI(name) {
		return Reasoning{}
	}
	r := Reasoning{Efforts: words, ByDefault: "medium"}
	if facts.Is(claims.Thinks) == "if_asked" && slices.Contains(words, "none") {
		r.ByDefault = "none"
	}
	return r
}

// Reasons reports whether the model thinks at that effort; empty: by default.
func (r Reasoning) Reasons(effort string) bool {
	if r.Efforts == nil {
		return false
	}
	if effort == "" {
		effort = r.ByDefault
	}
	return effort != "none"
}
