// Package chat plays Chat Completions: OpenAI's, and what other providers make of
// it.
package chat
