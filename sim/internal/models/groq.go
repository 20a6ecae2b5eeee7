package models

import (
	"strings"
)

// GroqEfforts are the efforts that a model takes; nil: it doesn't reason.
func GroqEfforts(model string) []string {
	switch {
	case strings.Contains(model, "gpt-oss"):
		return []string{"low", "medium", "high"}
	case strings.Contains(model, "qwen3"):
		return []string{"none", "default"}
	}
	return nil
}
