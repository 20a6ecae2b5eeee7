package sim

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

// ollamaCanThink reports whether a model can think, and ollamaTakesTools
// whether it takes tools.
func ollamaCanThink(model string) bool { return begins(model, ollamaThinkers) }

func ollamaTakesTools(model string) bool { return !begins(model, ollamaToolless) }

func begins(name string, with []string) bool {
	return slices.ContainsFunc(with, func(p string) bool { return strings.HasPrefix(name, p) })
}
