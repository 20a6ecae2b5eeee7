package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// Mistral spells any as "any", wants tool call ids of nine characters, and
// refuses members that it doesn't know.
type Mistral struct{ core }

// NewMistral returns an engine for Mistral. The key defaults to
// $MISTRAL_API_KEY.
func NewMistral(cfg Config) *Mistral { return &Mistral{newCore(mistral, cfg)} }

// Source: mistralai/platform-docs-public, openapi.yaml (parameters, closed
// request objects, reasoning_effort high and none, random_seed, no
// stream_options, named choice as an object); recording of all four choices in
// 0xPlaygrounds/rig, mistral/agent_tool_sessions; read 2026-11-30. Older notes
// of other clients say that there is no named choice; the recording is newer.
var mistral = profile.Profile{
	Name:    "mistral",
	BaseURL: "https://api.mistral.ai/v1",
	Auth:    profile.Bearer("MISTRAL_API_KEY"),
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.Mistral,
	Can: profile.Streaming | profile.ToolUse | profile.StrictTools | profile.ParallelSwitch | profile.JSONSchema | profile.JSONMode | profile.OpenSchema | profile.SchemaWithTools |
		profile.Images | profile.ImageURLs | profile.ResultImages | profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Choice: nativeChoice,
	// No source says what a forced choice does beside reasoning_effort.
	Guard: profile.GuardUnproven,
	Models: []profile.ModelRule{
		{Match: []string{"mistral-small*", "mistral-medium-3-5*", "mistral-medium-3.5*", "mistral-medium-latest"}, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksIfAsked, OnEffort: "high", OffEffort: "none", Efforts: []chat.Effort{chat.EffortHigh},
		}},
		{Match: []string{"mistral-large*", "ministral*", "codestral*", "devstral*", "pixtral*", "open-*"}, Thinking: &thinksNever},
		{Match: []string{"magistral*"}, Thinking: &profile.ThinkingSupport{State: profile.ThinksAlways}},
	},
	Quirks: profile.Quirks{
		MaxTokensKey:    "max_tokens",
		SeedKey:         "random_seed",
		NoStreamOptions: true,
		ShortToolIDs:    true,
	},
	Example: "mistral-large-latest",
}
