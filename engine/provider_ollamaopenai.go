package engine

import (
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
var ollamaOpenAI = Profile{
	Name:    "ollama-openai",
	BaseURL: "http://localhost:11434/v1",
	Auth:    Auth{Header: "Authorization", Prefix: "Bearer ", Env: "OLLAMA_API_KEY", Optional: true},
	Dialect: OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Schemas: schema.Ollama,
	// Source: docs/capabilities/structured-outputs.mdx, read 2026-11-30.
	HidesSchema: true,
	Can: Streaming | ToolUse | JSONSchema | JSONMode | OpenSchema |
		Images | ResultImages | Temperature | TopP | Stop | Seed,
	Choice: ChoiceSupport{Auto: Emulated, Any: Ignored, None: Ignored, Named: Ignored},
	Guard:  GuardNever,
	Thinking: ThinkingSupport{
		State: ThinksByDefault, OffEffort: "none", OnEffort: "medium", Efforts: fromMinimalToMax, NoSchema: true,
	},
	Models: []ModelRule{
		{Match: []string{"gpt-oss*"}, Thinking: &ThinkingSupport{
			State: ThinksAlways, OnEffort: "medium", Efforts: fromLow, NoSchema: true,
		}},
		{Match: []string{"*-cloud", "*:cloud"}, Drop: JSONSchema | JSONMode},
	},
	Quirks:  Quirks{MaxTokensKey: "max_tokens", ReplayThinking: "reasoning"},
	Example: "qwen3.5",
}
