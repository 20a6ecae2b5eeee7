package sim

import (
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// hermesPersona plays models that read the tools in the system text and call
// them in words, between tags. What stands in the request's own tools never
// reaches them. Source: NousResearch/Hermes-Function-Calling;
// NousResearch/hermes-agent#7457; the Perl library Langertha 0.503, engines
// NousResearch and AKIOpenAI; read 2026-11-30.
func hermesPersona(prefix string) *chatPersona {
	return &chatPersona{
		Persona:   &core.Persona{Prefix: prefix, IDHeader: "X-Request-Id", Failure: core.EncodeOpenAIFailure},
		thinks:    func(r *chatRequest) bool { return r.asksToThink() },
		textTools: true,
		style: chatStyle{
			thoughts: hermesThoughts,
			callID:   func(seed string) string { return "call_" + strings.ToLower(core.MakeID(24, seed)) },
		},
	}
}

var (
	nousPersona      = hermesPersona("/v1")
	akiOpenAIPersona = hermesPersona("/openai/v1")
	plainHermes      = hermesPersona("/v1")
)

// hermesThoughts: Hermes 4 has a place for its thoughts, the others write them
// between tags.
func hermesThoughts(r *chatRequest) thoughts {
	if strings.Contains(r.Model, "Hermes-4") {
		return thoughtsReasoningContent
	}
	return thoughtsTags
}
