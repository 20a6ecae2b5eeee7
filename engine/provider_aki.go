package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// AKI speaks AKI.IO's own API: the key is in the body, there are no streams, and
// tools travel in the text.
type AKI struct{ core }

// NewAKI returns an engine for AKI.IO. The key defaults to $AKI_API_KEY.
func NewAKI(cfg Config) *AKI { return &AKI{newCore(akiProfile, cfg)} }

// Source: aki.io/docs, "LLM Request Parameters", "LLM Chat Response" and "LLM
// Output Format"; the Perl library Langertha 0.503, engine AKI (no streams);
// read 2026-11-30.
var akiProfile = profile.Profile{
	Name:    "aki",
	BaseURL: "https://aki.io",
	Auth:    profile.Auth{Env: "AKI_API_KEY"}, // no header: the dialect puts it into the body
	Dialect: profile.AKINative,
	Tools:   toolchoice.Hermes,
	Can:     profile.ToolUse | profile.ToolsInText | profile.ParallelSwitch | profile.SubsetSwitch | profile.SubsetAuto | profile.OpenSchema | profile.Temperature | profile.TopP,
	Choice:  hermesChoice,
	Guard:   profile.GuardNever,
	// A model may think, but nothing on this wire asks for it.
	Thinking: thinksNever,
	Quirks:   profile.Quirks{ThinkTags: true},
	Example:  "llama3_8b_chat",
}
