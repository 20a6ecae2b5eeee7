package engine

import "github.com/sabir-go/sabir/toolchoice"

// Hermes talks to any OpenAI-compatible server whose model calls tools in
// words, between tags in its text.
type Hermes struct{ core }

// HermesConfig is a [Config] and the template of the tags and texts.
type HermesConfig struct {
	Config
	Template HermesTemplate
}

// NewHermes returns an engine for the server at cfg.BaseURL. It sends no key
// but cfg.APIKey.
func NewHermes(cfg HermesConfig) *Hermes {
	p := hermesProfile
	p.Template = cfg.Template
	return &Hermes{newCore(p, cfg.Config)}
}

// hermesCan is what is safe to send to a server that is known for its text.
const hermesCan = Streaming | ToolUse | ParallelSwitch | SubsetSwitch | SubsetAuto | OpenSchema | Temperature | TopP | Stop | Seed

// hermesChoice: asked for in words, held against in the reply.
var hermesChoice = ChoiceSupport{Auto: Emulated, Any: Emulated, None: Emulated, Named: Emulated}

// Source: NousResearch/Hermes-Function-Calling (the tags and the shape of calls
// and results); read 2026-11-30.
var hermesProfile = Profile{
	Name:    "hermes",
	BaseURL: "http://localhost:8080/v1",
	Auth:    Auth{Header: "Authorization", Prefix: "Bearer ", Optional: true},
	Dialect: OpenAIChat,
	Tools:   toolchoice.Hermes,
	Can:     hermesCan,
	Choice:  hermesChoice,
	// Nothing is forced on this wire, so nothing is blocked.
	Guard:   GuardNever,
	Quirks:  Quirks{MaxTokensKey: "max_tokens", ThinkTags: true},
	Example: "hermes-3-llama-3.1-8b",
}
