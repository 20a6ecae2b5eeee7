package openaichat

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// The wire's objects. Members that are raw are a part of the input; they are
// kept because their meaning hangs on a member that may come after them.

// chunk is a reply or one step of a stream, as far as it isn't fed to the
// assembly while it is read.
type chunk struct {
	err    []byte // the error member, if it says something
	failed bool   // object or type is "error"
	told   bool   // there is a message or detail at the top, as errors have it
	chosen bool   // there was a choice of index 0
}

// choice is one of a chunk's choices.
type choice struct {
	index          int64
	indexed        bool
	read           bool   // its message or delta was read already
	delta, message []byte // raw
	finish         []byte // raw
	usage          []byte // raw
}

// toolCall is a call or a fragment of one.
type toolCall struct {
	index     int64
	hasIndex  bool
	id        []byte // raw
	name      []byte // raw
	arguments []byte // raw: a string, or an object where a server is generous
	signature []byte // raw
	custom    bool
}

func readCall(s *rawjson.Scanner) toolCall {
	var c toolCall
	for key := range s.Members() {
		switch string(key) {
		case "index":
			c.hasIndex = s.Kind() == rawjson.Number
			c.index = s.Int()
		case "id":
			c.id = s.Raw()
		case "function":
			c.readFunction(s)
		case "custom":
			c.custom = s.Kind() == rawjson.Object
			c.readFunction(s)
		case "extra_content":
			c.readExtra(s)
		}
	}
	return c
}

// readFunction reads the function or custom member, or an old function_call.
func (c *toolCall) readFunction(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "name":
			c.name = s.Raw()
		case "arguments", "input":
			c.arguments = s.Raw()
		}
	}
}

// readExtra finds Gemini's signature.
// Source: ai.google.dev, "Thought signatures", read 2026-11-30.
func (c *toolCall) readExtra(s *rawjson.Scanner) {
	for key := range s.Members() {
		if string(key) != "google" {
			continue
		}
		for key := range s.Members() {
			if string(key) == "thought_signature" {
				c.signature = s.Raw()
			}
		}
	}
}

// usage counts tokens. Source: openai-go completion.go, read 2026-11-30;
// prompt_cache_hit_tokens: api-docs.deepseek.com, read 2026-11-30; cached_tokens
// at the top: platform.moonshot.ai, read 2026-11-30.
type usage struct {
	prompt, completion, total int
	cached, cacheWrite        int
	reasoning                 int
}

func readUsage(s *rawjson.Scanner) usage {
	var u usage
	for key := range s.Members() {
		switch string(key) {
		case "prompt_tokens":
			u.prompt = wire.Count(s)
		case "completion_tokens":
			u.completion = wire.Count(s)
		case "total_tokens":
			u.total = wire.Count(s)
		case "prompt_cache_hit_tokens", "cached_tokens":
			u.cached = max(u.cached, wire.Count(s))
		case "prompt_tokens_details", "completion_tokens_details":
			u.readDetails(s)
		}
	}
	return u
}

func (u *usage) readDetails(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "cached_tokens":
			u.cached = max(u.cached, wire.Count(s))
		case "cache_write_tokens":
			u.cacheWrite = wire.Count(s)
		case "reasoning_tokens":
			u.reasoning = wire.Count(s)
		}
	}
}

// toUsage adds up what a server counts apart: some leave the thinking out of
// completion_tokens, which shows in the total.
func (u usage) toUsage() chat.Usage {
	out := chat.Usage{
		Input: u.prompt, CachedInput: u.cached, CacheWrite: u.cacheWrite,
		Output: u.completion, Reasoning: u.reasoning,
	}
	if u.reasoning > 0 && u.total == u.prompt+u.completion+u.reasoning {
		out.Output += u.reasoning
	}
	return out
}
