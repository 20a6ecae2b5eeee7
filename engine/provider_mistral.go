package engine

import (
	"github.com/sabir-go/sabir/chat"
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
var mistral = Profile{
	Name:    "mistral",
	BaseURL: "https://api.mistral.ai/v1",
	Auth:    Bearer("MISTRAL_API_KEY"),
	Dialect: OpenAIChat,
	Tools:   toolchoice.Mistral,
	Can: Streaming | ToolUse | StrictTools | ParallelSwitch | JSONSchema | JSONMode | OpenSchema | SchemaWithTools |
		Images | ImageURLs | ResultImages | Temperature | TopP | Stop | Seed,
	Choice: nativeChoice,
	// No source says what a forced choice does beside reasoning_effort.
	Guard: GuardUnproven,
	Models: []ModelRule{
		{Match: []string{"mistral-small*", "mistral-medium-3-5*", "mistral-medium-3.5*", "mistral-medium-latest"}, Thinking: &ThinkingSupport{
			State: ThinksIfAsked, OnEffort: "high", OffEffort: "none", Efforts: []chat.Effort{chat.EffortHigh},
		}},
		{Match: []string{"mistral-large*", "ministral*", "codestral*", "devstral*", "pixtral*", "open-*"}, Thinking: &thinksNever},
		{Match: []string{"magistral*"}, Thinking: &ThinkingSupport{State: ThinksAlways}},
	},
	Quirks: Quirks{
		MaxTokensKey:    "max_tokens",
		SeedKey:         "random_seed",
		NoStreamOptions: true,
		ShortToolIDs:    true,
	},
	Example: "mistral-large-latest",
}
