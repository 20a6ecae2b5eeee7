package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
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
var anthropicProfile = profile.Profile{
	Name:    "anthropic",
	BaseURL: "https://api.anthropic.com",
	Auth:    profile.KeyHeader("X-Api-Key", "ANTHROPIC_API_KEY"),
	Dialect: profile.AnthropicMessages,
	Tools:   toolchoice.Anthropic,
	Schemas: schema.Anthropic,
	Can: profile.Streaming | profile.ToolUse | profile.StrictTools | profile.ParallelSwitch | profile.JSONSchema | profile.SchemaWithTools | profile.Images | profile.ImageURLs | profile.ResultImages | profile.Files | profile.FileURLs | profile.FileIDs |
		profile.Temperature | profile.TopP | profile.Stop | profile.Metadata | profile.CacheMarks | profile.ChoiceInCache,
	Choice:           nativeChoice,
	Guard:            profile.GuardThinking,
	Models:           claudeModels,
	MetadataKeys:     []string{"user_id"},
	DefaultMaxTokens: 8192,
	Example:          "claude-sonnet-4-5",
}
