package sim

import (
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// provider is who can be played.
type provider struct {
	// persona answers where the path has no endpoint; its prefix is part of the
	// provider's base URL.
	persona *core.Persona
	// chat answers on Chat Completions.
	chat *chatPersona
}

func chatOnly(p *chatPersona) provider { return provider{p.Persona, p} }

// providers are the providers by the names of their engines.
var providers = map[string]provider{
	"aki":              {akiPersona, plainPersona},
	"aki-openai":       chatOnly(akiOpenAIPersona),
	"anthropic":        {messagesPersona, ruleless(messagesPersona, messagesCallID)},
	"bedrock":          {bedrockPersona, plainPersona},
	"cohere":           {coherePersona, plainPersona},
	"deepseek":         chatOnly(deepseekPersona),
	"gemini":           {geminiPersona, plainPersona},
	"groq":             chatOnly(groqPersona),
	"hermes":           chatOnly(plainHermes),
	"mistral":          chatOnly(mistralPersona),
	"nousresearch":     chatOnly(nousPersona),
	"ollama":           {ollamaPersona, ollamaChatPersona},
	"ollama-openai":    chatOnly(ollamaChatPersona),
	"openai":           chatOnly(openaiChatPersona),
	"openai-responses": chatOnly(openaiChatPersona),
	"perplexity":       chatOnly(perplexityPersona),
	"vertex":           {vertexPersona, plainPersona},
}

// findProvider finds who is played under a name; any other name is a plain Chat
// Completions server.
func findProvider(name string) provider {
	if p, ok := providers[name]; ok {
		return p
	}
	return chatOnly(plainPersona)
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
	{ends("/v1/messages"), "anthropic", only(messagesPersona), alone(serveMessages)},
	{ends("/chat/completions"), "openai", findChatPersona, serveChatCompletions},
	{ends("/responses"), "openai", only(core.OpenAI), alone(serveResponses)},
	{ends(":generateContent", ":streamGenerateContent"), "gemini", googlePersona, alone(serveGemini)},
	{ends("/api/chat"), "ollama", only(ollamaPersona), alone(serveOllama)},
	{ends("/converse", "/converse-stream"), "bedrock", only(bedrockPersona), alone(serveBedrock)},
	{ends("/v2/chat"), "cohere", only(coherePersona), alone(serveCohere)},
	{holds("/api/call/"), "aki", only(akiPersona), alone(serveAKI)},
}

func ends(suffixes ...string) func(string) bool {
	return func(path string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(path, s) {
				return true
			}
		}
		return false
	}
}

func holds(part string) func(string) bool {
	return func(path string) bool { return strings.Contains(path, part) }
}

func only(p *core.Persona) func(string) *core.Persona { return func(string) *core.Persona { return p } }

func alone(serve func(*core.Exchange)) func(*core.Exchange, string) {
	return func(x *core.Exchange, _ string) { serve(x) }
}

func findChatPersona(name string) *core.Persona { return findProvider(name).chat.Persona }

func serveChatCompletions(x *core.Exchange, name string) { serveChat(x, findProvider(name).chat) }

func googlePersona(name string) *core.Persona {
	if name == "vertex" {
		return vertexPersona
	}
	return geminiPersona
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
