package sim

import (
	"strings"

	"github.com/sabir-go/sabir/sim/internal/aki"
	"github.com/sabir-go/sabir/sim/internal/bedrock"
	"github.com/sabir-go/sabir/sim/internal/chat"
	"github.com/sabir-go/sabir/sim/internal/cohere"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/gemini"
	"github.com/sabir-go/sabir/sim/internal/messages"
	"github.com/sabir-go/sabir/sim/internal/ollama"
	"github.com/sabir-go/sabir/sim/internal/responses"
)

// provider is who can be played.
type provider struct {
	// persona answers where the path has no endpoint; its prefix is part of the
	// provider's base URL.
	persona *core.Persona
	// chat answers on Chat Completions.
	chat *chat.Persona
}

func chatOnly(p *chat.Persona) provider { return provider{p.Persona, p} }

// providers are the providers by the names of their engines.
var providers = map[string]provider{
	"aki":              {aki.Persona, chat.Plain},
	"aki-openai":       chatOnly(chat.AKI),
	"anthropic":        {messages.Persona, chat.NewRuleless(messages.Persona, messages.MakeCallID)},
	"bedrock":          {bedrock.Persona, chat.Plain},
	"cohere":           {cohere.Persona, chat.Plain},
	"deepseek":         chatOnly(chat.DeepSeek),
	"gemini":           {gemini.Gemini, chat.Plain},
	"groq":             chatOnly(chat.Groq),
	"hermes":           chatOnly(chat.Hermes),
	"mistral":          chatOnly(chat.Mistral),
	"nousresearch":     chatOnly(chat.NousResearch),
	"ollama":           {ollama.Persona, chat.Ollama},
	"ollama-openai":    chatOnly(chat.Ollama),
	"openai":           chatOnly(chat.OpenAI),
	"openai-responses": chatOnly(chat.OpenAI),
	"perplexity":       chatOnly(chat.Perplexity),
	"vertex":           {gemini.Vertex, chat.Plain},
}

// findProvider finds who is played under a name; any other name is a plain Chat
// Completions server.
func findProvider(name string) provider {
	if p, ok := providers[name]; ok {
		return p
	}
	return chatOnly(chat.Plain)
}

// dialect is a language that the server speaks.
type dialect struct {
	// matches reports whether a path is one of its endpoints.
	matches func(path string) bool
	// home plays it where the path begins with the endpoint itself.
	home string
	// persona answers under a provider's name.
	persona func(name string) *core.Persona
	serve   func(x *core.Exchange, name string)
}

// dialects are all that the server speaks. The first that matches is taken.
var dialects = []dialect{
	{endsWith("/v1/messages"), "anthropic", personaOnly(messages.Persona), withoutName(messages.Serve)},
	{endsWith("/chat/completions"), "openai", findChatPersona, serveChatCompletions},
	{endsWith("/responses"), "openai", personaOnly(core.OpenAI), withoutName(responses.Serve)},
	{endsWith(":generateContent", ":streamGenerateContent"), "gemini", googlePersona, withoutName(gemini.Serve)},
	{endsWith("/api/chat"), "ollama", personaOnly(ollama.Persona), withoutName(ollama.Serve)},
	{endsWith("/converse", "/converse-stream"), "bedrock", personaOnly(bedrock.Persona), withoutName(bedrock.Serve)},
	{endsWith("/v2/chat"), "cohere", personaOnly(cohere.Persona), withoutName(cohere.Serve)},
	{contains("/api/call/"), "aki", personaOnly(aki.Persona), withoutName(aki.Serve)},
}

func endsWith(suffixes ...string) func(string) bool {
	return func(path string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(path, s) {
				return true
			}
		}
		return false
	}
}

func contains(part string) func(string) bool {
	return func(path string) bool { return strings.Contains(path, part) }
}

func personaOnly(p *core.Persona) func(string) *core.Persona {
	return func(string) *core.Persona { return p }
}

func withoutName(serve func(*core.Exchange)) func(*core.Exchange, string) {
	return func(x *core.Exchange, _ string) { serve(x) }
}

func findChatPersona(name string) *core.Persona { return findProvider(name).chat.Persona }

func serveChatCompletions(x *core.Exchange, name string) { chat.Serve(x, findProvider(name).chat) }

func googlePersona(name string) *core.Persona {
	if name == "vertex" {
		return gemini.Vertex
	}
	return gemini.Gemini
}

// findDialect finds who is spoken to, and in which dialect; nil: in none.
func findDialect(path string) (name string, d *dialect) {
	name, _, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for i := range dialects {
		if d = &dialects[i]; d.matches(path) {
			if isEndpoint(name) {
				name = d.home
			}
			return name, d
		}
	}
	if isEndpoint(name) {
		name = "openai"
	}
	return name, nil
}

// isEndpoint reports whether the first segment of a path belongs to the
// endpoint and names no provider.
func isEndpoint(first string) bool {
	switch first {
	case "", "v1", "v1beta", "v2", "api", "chat", "model", "models", "responses":
		return true
	}
	return false
}
