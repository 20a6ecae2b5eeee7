package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

// Perplexity answers from live web search. It calls no tools: a forced tool
// travels as response_format and comes back as a synthetic call.
type Perplexity struct{ core }

// NewPerplexity returns an engine for Perplexity's Sonar models. The key
// defaults to $PERPLEXITY_API_KEY.
func NewPerplexity(cfg Config) *Perplexity { return &Perplexity{newCore(perplexity, cfg)} }

// Source: perplexity-py, src/perplexity/types/chat/completion_create_params.py
// (parameters, response_format types text, json_schema and regex); recordings
// in maruel/genai, providers/perplexity (no client tools); read 2026-11-30.
var perplexity = profile.Profile{
	Name:    "perplexity",
	BaseURL: "https://api.perplexity.ai",
	Auth:    profile.Bearer("PERPLEXITY_API_KEY"),
	Dialect: profile.OpenAIChat,
	Can:     profile.Streaming | profile.JSONSchema | profile.OpenSchema | profile.Images | profile.ImageURLs | profile.Temperature | profile.TopP,
	// Nothing is ever forced on this wire, so nothing is blocked.
	Guard: profile.GuardNever,
	Models: []profile.ModelRule{
		{Match: []string{"sonar", "sonar-pro"}, Thinking: &thinksNever},
		{Match: []string{"sonar-reasoning*", "sonar-deep-research*"}, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksAlways, OnEffort: "medium",
			Efforts: []chat.Effort{chat.EffortMinimal, chat.EffortLow, chat.EffortMedium, chat.EffortHigh},
		}},
	},
	Quirks: profile.Quirks{
		MaxTokensKey: "max_tokens",
		// Usage comes in every chunk, unasked.
		NoStreamOptions: true,
		// The reasoning models put their thoughts into the text.
		ThinkTags: true,
	},
	Example: "sonar",
}
