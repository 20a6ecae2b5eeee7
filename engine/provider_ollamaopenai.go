package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// OllamaOpenAI speaks Chat Completions to an Ollama server, which ignores the
// tool choice there: a forced tool travels as an output schema.
type OllamaOpenAI struct{ core }

// NewOllamaOpenAI returns an engine for the OpenAI-compatible side of an Ollama
// server, by default the one on this machine.
func NewOllamaOpenAI(cfg Config) *OllamaOpenAI { return &OllamaOpenAI{newCore(ollamaOpenAI, cfg)} }

// Source: ollama/ollama, docs/api/openai-compatibility.mdx and openai/openai.go,
// state of 2026-08-21; recordings with 0.17.4, where a choice of none was
// answered with a call; read 2026-11-30.
var ollamaOpenAI = profile.Profile{
	Name:    "ollama-openai",
	BaseURL: "http://localhost:11434/v1",
	Auth:    profile.Auth{Header: "Authorization", Prefix: "Bearer ", Env: "OLLAMA_API_KEY", Optional: true},
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Schemas: schema.Ollama,
	// Source: docs/capabilities/structured-outputs.mdx, read 2026-11-30.
	HidesSchema: true,
	Can: profile.Streaming | profile.ToolUse | profile.JSONSchema | profile.JSONMode | profile.OpenSchema |
		profile.Images | profile.ResultImages | profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Choice: profile.ChoiceSupport{Auto: profile.Emulated, Any: profile.Ignored, None: profile.Ignored, Named: profile.Ignored},
	Guard:  profile.GuardNever,
	Thinking: profile.ThinkingSupport{
		State: profile.ThinksByDefault, OffEffort: "none", OnEffort: "medium", Efforts: fromMinimalToMax, NoSchema: true,
	},
	Models: []profile.ModelRule{
		{Match: []string{"gpt-oss*"}, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromLow, NoSchema: true,
		}},
		{Match: []string{"*-cloud", "*:cloud"}, Drop: profile.JSONSchema | profile.JSONMode},
	},
	Quirks:  profile.Quirks{MaxTokensKey: "max_tokens", ReplayThinking: "reasoning"},
	Example: "qwen3.5",
}
