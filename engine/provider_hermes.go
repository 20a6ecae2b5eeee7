package engine

import (
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// Hermes talks to any OpenAI-compatible server whose model calls tools in
// words, between tags in its text.
type Hermes struct{ core }

// HermesConfig is a [Config] and the template of the tags and texts.
type HermesConfig struct {
	Config
	Template profile.HermesTemplate
}

// NewHermes returns an engine for the server at cfg.BaseURL. It sends no key
// but cfg.APIKey.
func NewHermes(cfg HermesConfig) *Hermes {
	p := hermesProfile
	p.Template = cfg.Template
	return &Hermes{newCore(p, cfg.Config)}
}

// hermesCan is what is safe to send to a server that is known for its text.
const hermesCan = profile.Streaming | profile.ToolUse | profile.ToolsInText | profile.ParallelSwitch | profile.SubsetSwitch | profile.SubsetAuto | profile.OpenSchema | profile.Temperature | profile.TopP | profile.Stop | profile.Seed

// hermesChoice: asked for in words, held against in the reply.
var hermesChoice = profile.ChoiceSupport{Auto: profile.Emulated, Any: profile.Emulated, None: profile.Emulated, Named: profile.Emulated}

// Source: NousResearch/Hermes-Function-Calling (the tags and the shape of calls
// and results); read 2026-11-30.
var hermesProfile = profile.Profile{
	Name:    "hermes",
	BaseURL: "http://localhost:8080/v1",
	Auth:    profile.Auth{Header: "Authorization", Prefix: "Bearer ", Optional: true},
	Dialect: profile.OpenAIChat,
	Tools:   toolchoice.Hermes,
	Can:     hermesCan,
	Choice:  hermesChoice,
	// Nothing is forced on this wire, so nothing is blocked.
	Guard:   profile.GuardNever,
	Quirks:  profile.Quirks{MaxTokensKey: "max_tokens", ThinkTags: true},
	Example: "hermes-3-llama-3.1-8b",
}
