package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// OpenAI speaks Chat Completions. From GPT-5.4 on, models take no tools here
// while they reason, and from GPT-5.6 on they reason by default: use thinking
// off for such a turn.
type OpenAI struct{ core }

// NewOpenAI returns an engine for OpenAI's Chat Completions. The key defaults
// to $OPENAI_API_KEY.
func NewOpenAI(cfg Config) *OpenAI { return &OpenAI{newCore(openAI, cfg)} }

// Source: openai-openapi 2.3.0 and openai-go v3.98.0 (parameters, roles, tool
// choice, response_format, strict); read 2026-11-30.
var openAI = profile.Profile{
	Name:    "openai",
	BaseURL: "https://api.openai.com/v1",
	Auth:    profile.Bearer("OPENAI_API_KEY"),
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Can: profile.Streaming | profile.ToolUse | profile.StrictTools | profile.ParallelSwitch | profile.SubsetSwitch | profile.SubsetAuto | profile.JSONSchema | profile.JSONMode | profile.OpenSchema |
		profile.SchemaWithTools | profile.Images | profile.ImageURLs | profile.ResultImages | profile.Files | profile.FileIDs | profile.Audio | profile.Temperature | profile.TopP | profile.Stop | profile.Seed | profile.Metadata | profile.CacheKey,
	Choice:   nativeChoice,
	Guard:    profile.GuardNever,
	Thinking: profile.ThinkingSupport{State: profile.ThinksIfAsked, OffEffort: "none", Efforts: fromLow, OnEffort: "medium", Hidden: true, NoSampling: true},
	Models:   openAIModels,
	Quirks:   profile.Quirks{SystemRole: "developer"},
	Example:  "gpt-4.1",
}
