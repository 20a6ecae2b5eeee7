package anthropic

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// usage counts tokens as the wire does: input without what the cache took.
type usage struct {
	input, cacheRead, cacheWrite int
	output, thinking             int
}

func usageOf(u chat.Usage) usage {
	return usage{
		input: u.Input - u.CachedInput - u.CacheWrite, cacheRead: u.CachedInput, cacheWrite: u.CacheWrite,
		output: u.Output, thinking: u.Reasoning,
	}
}

func (u usage) toUsage() chat.Usage {
	return chat.Usage{
		Input: u.input + u.cacheRead + u.cacheWrite, CachedInput: u.cacheRead, CacheWrite: u.cacheWrite,
		Output: u.output, Reasoning: u.thinking,
	}
}

// readFrom overwrites the counts that are there and keeps the others: the counts
// of a message_delta are totals, and it may name only some.
func (u *usage) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "input_tokens":
			wire.Recount(s, &u.input)
		case "cache_read_input_tokens":
			wire.Recount(s, &u.cacheRead)
		case "cache_creation_input_tokens":
			wire.Recount(s, &u.cacheWrite)
		case "output_tokens":
			wire.Recount(s, &u.output)
		case "output_tokens_details":
			u.readDetails(s)
		}
	}
}

func (u *usage) readDetails(s *rawjson.Scanner) {
	for key := range s.Members() {
		if string(key) == "thinking_tokens" {
			wire.Recount(s, &u.thinking)
		}
	}
}
