package models

import (
	"slices"
	"strings"
)

// Models by what they can do. Those that aren't listed take tools and don't
// think. Source: ollama.com, "Library", read 2026-11-30.
var (
	ollamaThinkers = strings.Fields(`qwen3 deepseek-r1 deepseek-v3.1 gpt-oss magistral gemma4 glm-4 kimi-k2`)
	ollamaToolless = strings.Fields(`gemma2 gemma3 llama2 phi3 phi4 codellama llava tinyllama`)
)

// OllamaCanThink reports whether a model can think.
func OllamaCanThink(model string) bool { return hasPrefix(model, ollamaThinkers) }

// OllamaTakesTools reports whether a model takes tools.
func OllamaTakesTools(model string) bool { return !hasPrefix(model, ollamaToolless) }

func hasPrefix(name string, with []string) bool {
	return slices.ContainsFunc(with, func(p string) bool { return strings.HasPrefix(name, p) })
}
