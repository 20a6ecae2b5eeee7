package gemini

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// usage counts tokens as the wire does: the output without the thoughts. Source:
// go-genai types.go, GenerateContentResponseUsageMetadata, read 2026-11-30.
type usage struct {
	prompt, toolUse, cached int
	candidates, thoughts    int
}

func (u usage) toUsage() chat.Usage {
	return chat.Usage{
		Input: u.prompt + u.toolUse, CachedInput: u.cached,
		Output: u.candidates + u.thoughts, Reasoning: u.thoughts,
	}
}

// readFrom overwrites the counts that are there and keeps the others: each frame
// of a stream brings the totals so far, and may leave some out.
func (u *usage) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "promptTokenCount":
			wire.Recount(s, &u.prompt)
		case "toolUsePromptTokenCount":
			wire.Recount(s, &u.toolUse)
		case "cachedContentTokenCount":
			wire.Recount(s, &u.cached)
		case "candidatesTokenCount":
			wire.Recount(s, &u.candidates)
		case "thoughtsTokenCount":
			wire.Recount(s, &u.thoughts)
		}
	}
}
