package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Cohere can force a call but not name it: a named tool is sent alone.
type Cohere struct{ core }

// NewCohere returns an engine for Cohere's Chat API, version 2. The key defaults
// to $COHERE_API_KEY.
func NewCohere(cfg Config) *Cohere { return &Cohere{newCore(cohere, cfg)} }

// Source: docs.cohere.com/reference/chat (tool_choice REQUIRED and NONE, no word
// for auto; response_format json_object with a schema, not together with tools;
// thinking enabled or disabled with a token budget); read 2026-11-30.
var cohere = profile.Profile{
	Name:    "cohere",
	BaseURL: "https://api.cohere.com",
	Auth:    profile.Bearer("COHERE_API_KEY"),
	Dialect: profile.CohereV2,
	Tools:   toolchoice.Cohere,
	Schemas: schema.Cohere,
	Can: profile.Streaming | profile.ToolUse | profile.JSONSchema | profile.JSONMode | profile.OpenSchema |
		profile.Images | profile.ImageURLs | profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Choice:   profile.ChoiceSupport{Auto: profile.Emulated, Any: profile.Native, None: profile.Native, Named: profile.Refused},
	Thinking: thinksNever,
	Models: []profile.ModelRule{
		{Match: []string{"command-a-reasoning*", "command-a-plus*"}, Quirks: &profile.Quirks{ReplayThinking: "thinking"}, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksByDefault, Enabled: true, OffType: "disabled", Budget: true, MinBudget: 1,
		}},
	},
	Example: "command-a-03-2025",
}
