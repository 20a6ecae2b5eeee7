package anthropic

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
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

func (u usage) canonical() chat.Usage {
	return chat.Usage{
		Input: u.input + u.cacheRead + u.cacheWrite, CachedInput: u.cacheRead, CacheWrite: u.cacheWrite,
		Output: u.output, Reasoning: u.thinking,
	}
}

// scan overwrites the counts that are there and keeps the others: the counts
// of a message_delta are totals, and it may name only some.
func (u *usage) scan(s *rawjson.Scanner) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "input_tokens":
			count(s, &u.input)
		case "cache_read_input_tokens":
			count(s, &u.cacheRead)
		case "cache_creation_input_tokens":
			count(s, &u.cacheWrite)
		case "output_tokens":
			count(s, &u.output)
		case "output_tokens_details":
			u.scanDetails(s)
		default:
			s.Skip()
		}
	}
}

func (u *usage) scanDetails(s *rawjson.Scanner) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		if string(key) != "thinking_tokens" {
			s.Skip()
			continue
		}
		count(s, &u.thinking)
	}
}

// maxCount bounds a token count, so that sums of them can't overflow.
const maxCount = 1 << 40

func count(s *rawjson.Scanner, n *int) {
	if s.Kind() == rawjson.Null {
		s.Skip()
		return
	}
	*n = int(min(max(s.Int(), 0), maxCount))
}
