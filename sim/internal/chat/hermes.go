package chat

import (
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// newHermes plays models that read the tools in the system text and call
// them in words, between tags. What stands in the request's own tools never
// reaches them. Source: NousResearch/Hermes-Function-Calling;
// NousResearch/hermes-agent#7457; the Perl library Langertha 0.503, engines
// NousResearch and AKIOpenAI; read 2026-11-30.
func newHermes(prefix string) *Persona {
	return &Persona{
		Persona:   &core.Persona{Prefix: prefix, IDHeader: "X-Request-Id", Failure: core.EncodeOpenAIFailure},
		thinks:    func(r *request) bool { return r.asksToThink() },
		textTools: true,
		style: style{
			thoughts: findHermesThoughts,
			callID:   func(seed string) string { return "call_" + strings.ToLower(core.MakeID(24, seed)) },
		},
	}
}

// Servers of such models: two providers, and any other.
var (
	NousResearch = newHermes("/v1")
	AKI          = newHermes("/openai/v1")
	Hermes       = newHermes("/v1")
)

// findHermesThoughts: Hermes 4 has a place for its thoughts, the others write them
// between tags.
func findHermesThoughts(r *request) thoughts {
	if strings.Contains(r.Model, "Hermes-4") {
		return thoughtsReasoningContent
	}
	return thoughtsTags
}
