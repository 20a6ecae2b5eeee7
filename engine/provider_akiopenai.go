package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// AKIOpenAI speaks Chat Completions to AKI.IO, with tools in the text: its route
// has no parameters for them.
type AKIOpenAI struct{ core }

// NewAKIOpenAI returns an engine for AKI.IO's OpenAI-compatible route. The key
// defaults to $AKI_API_KEY.
func NewAKIOpenAI(cfg Config) *AKIOpenAI { return &AKIOpenAI{newCore(akiOpenAI, cfg)} }

// Source: the Perl library Langertha 0.503, engine AKIOpenAI; read 2026-11-30.
var akiOpenAI = profile.Profile{
	Name:    "aki-openai",
	BaseURL: "https://aki.io/openai/v1",
	Auth:    profile.Bearer("AKI_API_KEY"),
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.Hermes,
	Can:     hermesCan,
	Choice:  hermesChoice,
	Guard:   profile.GuardNever,
	Quirks:  profile.Quirks{MaxTokensKey: "max_tokens", ThinkTags: true},
	Example: "llama3-chat-8b",
}
