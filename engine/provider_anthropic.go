package engine

import (
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Anthropic speaks the Messages API. A forced choice and extended thinking
// exclude each other; the newest models always think, so a named tool travels
// there as an output schema.
type Anthropic struct{ core }

// NewAnthropic returns an engine for Claude. The key defaults to
// $ANTHROPIC_API_KEY.
func NewAnthropic(cfg Config) *Anthropic { return &Anthropic{newCore(anthropicProfile, cfg)} }

// Source: anthropic-sdk-go v2.15.0, message.go (parameters, tool_choice,
// output_config, cache_control); platform.claude.com/docs, "Extended thinking"
// and "Structured outputs"; read 2026-11-30.
var anthropicProfile = Profile{
	Name:    "anthropic",
	BaseURL: "https://api.anthropic.com",
	Auth:    KeyHeader("X-Api-Key", "ANTHROPIC_API_KEY"),
	Dialect: AnthropicMessages,
	Tools:   toolchoice.Anthropic,
	Schemas: schema.Anthropic,
	Can: Streaming | ToolUse | StrictTools | ParallelSwitch | JSONSchema | SchemaWithTools | Images | ImageURLs | ResultImages | Files | FileURLs | FileIDs |
		Temperature | TopP | Stop | Metadata | CacheMarks,
	Choice:           nativeChoice,
	Guard:            GuardThinking,
	Models:           claudeModels,
	MetadataKeys:     []string{"user_id"},
	DefaultMaxTokens: 8192,
	Example:          "claude-sonnet-4-5",
}
