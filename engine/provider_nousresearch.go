package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// NousResearch serves the Hermes models, which call tools in words.
type NousResearch struct{ core }

// NewNousResearch returns an engine for Nous Research's inference API. The key
// defaults to $NOUSRESEARCH_API_KEY.
func NewNousResearch(cfg Config) *NousResearch { return &NousResearch{newCore(nousResearch, cfg)} }

// Source: the Perl library Langertha 0.503, engine NousResearch (address, models,
// tags); tools are parsed for some models only, so they travel in the text for
// all; read 2026-11-30.
var nousResearch = profile.Profile{
	Name:    "nousresearch",
	BaseURL: "https://inference-api.nousresearch.com/v1",
	Auth:    profile.Bearer("NOUSRESEARCH_API_KEY"),
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.Hermes,
	Can:     hermesCan,
	Choice:  hermesChoice,
	Guard:   profile.GuardNever,
	Quirks:  profile.Quirks{MaxTokensKey: "max_tokens", ThinkTags: true},
	Example: "Hermes-4-70B",
}
