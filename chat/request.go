package chat

import (
	"encoding/json"
	"time"

	"github.com/sabir-go/sabir/toolchoice"
)

// Request is one call of a model, the same for every engine. The zero value
// of each field means "not stated" unless its comment says otherwise. An
// engine never changes a request that it is given.
type Request struct {
	// Model is the provider's name for the model; empty takes the engine's
	// default.
	Model string
	// System is the instruction that stands before the conversation.
	System   string
	Messages []Message

	Tools []ToolDef
	// ToolChoice says what the model may or must do with the tools. Unset:
	// the provider decides (auto with tools).
	ToolChoice toolchoice.Choice
	// AllowedTools restricts this call to a subset of Tools, by name. nil: all.
	AllowedTools []string
	// ParallelTools allows (true) or forbids (false) several calls in one
	// reply. nil: the provider's default.
	ParallelTools *bool

	// Output asks for JSON instead of prose.
	Output *Output
	// Thinking controls extended thinking (reasoning).
	Thinking ThinkingConfig

	// MaxTokens limits the output, thinking included, in tokens. 0: the
	// provider's default, or the engine's where the wire demands a number.
	MaxTokens int
	// Temperature, TopP: sampling; nil is the provider's default.
	Temperature *float64
	TopP        *float64
	// Stop ends the answer where one of these texts would appear.
	Stop []string
	// Seed asks for repeatable sampling.
	Seed *int64

	// Cache marks the part of the prompt that the provider should keep.
	Cache PromptCache
	// Metadata is passed to the provider for its own bookkeeping.
	Metadata map[string]string

	// Adapt names the changes that are permitted instead of a refusal.
	Adapt Adapt
	// Extra adds raw members to the body.
	Extra Extra
}

// ToolDef is a tool as the model sees it.
type ToolDef struct {
	// Name is unique among the tools of a request: 1 to 64 letters, digits,
	// underscores and hyphens.
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, an object. Empty: the tool
	// takes none.
	Schema json.RawMessage
	// Strict asks the provider to enforce the schema. Where the schema does
	// not qualify for that, it is sent without, with a warning.
	Strict bool
}

// Output asks for an answer in JSON.
type Output struct {
	// Name is a short identifier for the schema; empty: "output".
	Name        string
	Description string
	// Schema is the JSON Schema of the answer. Empty: any JSON object.
	Schema json.RawMessage
	// Strict asks the provider to enforce the schema where it can be enforced.
	Strict bool
}

// ThinkingMode says whether a model should think before it answers.
type ThinkingMode string

// The thinking modes.
const (
	// ThinkingDefault leaves it to the model's default, which may be on.
	ThinkingDefault ThinkingMode = ""
	ThinkingOff     ThinkingMode = "off"
	ThinkingOn      ThinkingMode = "on"
	// ThinkingAdaptive lets the model decide how long to think, if at all.
	ThinkingAdaptive ThinkingMode = "adaptive"
)

// Effort is how hard a model should think.
type Effort string

// The efforts, from least to most. An engine clamps to what the model takes,
// with a warning.
const (
	EffortDefault Effort = ""
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortXHigh   Effort = "xhigh"
	EffortMax     Effort = "max"
)

// ThinkingConfig is the thinking part of a request. The zero value leaves the
// model's default. Effort or Budget alone switches thinking on.
type ThinkingConfig struct {
	Mode   ThinkingMode
	Effort Effort
	// Budget is the most tokens to think, where the wire counts them; it is
	// below MaxTokens.
	Budget int
	// Show asks for readable thoughts where the provider withholds them by
	// default.
	Show bool
}

// PromptCache marks how much of the prompt the provider should keep for the calls
// that follow. It changes cost, never the answer.
type PromptCache struct {
	// Auto marks everything up to the last block of the request.
	Auto bool
	// Tools, System mark the prefix that ends after the tools, or after the
	// system text.
	Tools  bool
	System bool
	// Messages marks the prefix that ends after that many messages.
	Messages int
	// TTL is how long to keep it; 0: the provider's default.
	TTL time.Duration
	// Key groups requests that share a prefix, where the wire has such a key.
	Key string
}

// IsZero reports whether no caching was asked for.
func (c PromptCache) IsZero() bool { return c == PromptCache{} }

// Adapt names changes that the caller permits where a request would be
// refused otherwise. Each one used is a [Warning] in the reply. The zero value
// permits nothing.
type Adapt struct {
	// ThinkingOff permits switching thinking off for this call.
	ThinkingOff bool
	// ChoiceToAuto permits weakening a forced choice to auto.
	ChoiceToAuto bool
	// Drop lists request fields, by their name in [Request] ("Seed", "Stop",
	// "Temperature", …), that may be left out.
	Drop []string
}

// Extra holds raw JSON members for the request body that have no field in
// [Request], keyed first by the name of a dialect ("openai-chat") or an engine
// ("groq"). Members for others are not sent. A member that the planner owns,
// such as tool_choice, is refused with the name of the field to use.
type Extra map[string]map[string]json.RawMessage
