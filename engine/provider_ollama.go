package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Ollama speaks Ollama's own API. It has no tool choice: a forced tool travels
// as a format, with thinking off, because only then is the format sure to be
// kept.
type Ollama struct{ core }

// NewOllama returns an engine for an Ollama server, by default the one on this
// machine. The hosted service wants a key, $OLLAMA_API_KEY, and BaseURL
// https://ollama.com.
func NewOllama(cfg Config) *Ollama { return &Ollama{newCore(ollamaProfile, cfg)} }

// Source: ollama/ollama, api/types.go, server/routes.go (no tool choice; when
// the grammar of a format is applied), docs/capabilities/thinking.mdx, state of
// 2026-08-21; recordings with 0.17.4; read 2026-11-30.
var ollamaProfile = profile.Profile{
	Name:    "ollama",
	BaseURL: "http://localhost:11434",
	Auth:    profile.Auth{Header: "Authorization", Prefix: "Bearer ", Env: "OLLAMA_API_KEY", Optional: true},
	Dialect: profile.OllamaAPI,
	Tools:   toolchoice.Ollama,
	Schemas: schema.Ollama,
	// Source: docs/capabilities/structured-outputs.mdx, read 2026-11-30.
	HidesSchema: true,
	Can: profile.Streaming | profile.ToolUse | profile.JSONSchema | profile.JSONMode | profile.OpenSchema |
		profile.Images | profile.ResultImages | profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Choice:   profile.ChoiceSupport{Auto: profile.Emulated, Any: profile.Refused, None: profile.Emulated, Named: profile.Refused},
	Guard:    profile.GuardNever,
	Thinking: ollamaThinking,
	Models: []profile.ModelRule{
		{Match: []string{"gpt-oss*"}, Thinking: &profile.ThinkingSupport{
			State: profile.ThinksAlways, OnEffort: "medium", Efforts: fromLow, NoSchema: true,
		}},
		{Match: []string{"llama3*", "llama2*", "gemma2*", "gemma3*", "mistral*", "qwen2*", "phi3*", "phi4", "codellama*"}, Thinking: &thinksNever},
		// Hosted models take no format.
		{Match: []string{"*-cloud", "*:cloud"}, Drop: profile.JSONSchema | profile.JSONMode},
	},
	Example: "qwen3.5",
}

// ollamaThinking: on by default for the models that can.
var ollamaThinking = profile.ThinkingSupport{
	State: profile.ThinksByDefault, Enabled: true, OffType: "disabled",
	Efforts:  []chat.Effort{chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortMax},
	NoSchema: true,
}
