package engine

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// Compatible talks to any server that imitates OpenAI's Chat Completions. What
// such a server keeps is not known: it is sent as asked, the reply is held
// against it, and warnings say so.
type Compatible struct{ core }

// NewOpenAICompatible returns an engine for the server at cfg.BaseURL, which
// includes the version ("http://localhost:8080/v1"). It sends no key but
// cfg.APIKey.
func NewOpenAICompatible(cfg Config) *Compatible {
	return &Compatible{newCore(openAICompatible, cfg)}
}

// Source: what OpenAI's own API reference promises; whether a server keeps the
// promise is its own affair. max_tokens is the member that old and new servers
// take (Ollama 0.17 ignores max_completion_tokens, recorded 2026-11-30).
var openAICompatible = profile.Profile{
	Name:    "openai-compatible",
	BaseURL: "http://localhost:8080/v1",
	Auth:    profile.Auth{Header: "Authorization", Prefix: "Bearer ", Optional: true},
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.OpenAI,
	Can: profile.Streaming | profile.ToolUse | profile.StrictTools | profile.ParallelSwitch | profile.JSONSchema | profile.JSONMode | profile.OpenSchema | profile.SchemaWithTools |
		profile.Images | profile.ImageURLs | profile.ResultImages | profile.Files | profile.FileIDs | profile.Audio | profile.Temperature | profile.TopP | profile.Stop | profile.Seed,
	Unsure:  profile.JSONSchema,
	Models:  compatibleModels,
	Guard:   profile.GuardUnproven,
	Quirks:  profile.Quirks{MaxTokensKey: "max_tokens"},
	Example: "local-model",
}

// compatibleModels are families whose rules are known wherever they are served.
// Source: Kimi, UKGovernmentBEIS/inspect_ai#5152 and mnfst/modelparams.dev#168;
// Qwen, cloudwego/eino#994 (models that always think can never be forced); read
// 2026-11-30.
var compatibleModels = []profile.ModelRule{
	{
		Match: []string{"*kimi-k3*"}, Guard: profile.GuardNever,
		Choice: &profile.ChoiceSupport{Auto: profile.Native, Any: profile.Native, None: profile.Native, Named: profile.Refused},
		Thinking: &profile.ThinkingSupport{
			State: profile.ThinksAlways, Efforts: []chat.Effort{chat.EffortLow, chat.EffortHigh, chat.EffortMax},
		},
	},
	{Match: []string{"*kimi-k2.7*", "*kimi-k2-thinking*"}, Guard: profile.GuardAlways, Thinking: &profile.ThinkingSupport{State: profile.ThinksAlways}},
	{
		Match: []string{"*kimi-k2.5*", "*kimi-k2.6*"}, Guard: profile.GuardThinking, Choice: &nativeChoice,
		Thinking: &profile.ThinkingSupport{State: profile.ThinksByDefault, Enabled: true, OffType: "disabled"},
		Quirks: &profile.Quirks{
			MaxTokensKey: "max_tokens", ThinkingObject: true, ReplayThinking: "reasoning_content", ReplayOnToolTurns: true,
		},
	},
	{Match: []string{"*qwen3*thinking*", "*qwq*"}, Guard: profile.GuardAlways, Thinking: &profile.ThinkingSupport{State: profile.ThinksAlways}},
}
