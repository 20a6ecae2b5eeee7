package engine

import (
	"io"

	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/openaichat"
)

// Dialect is a request-reply language that one or more providers speak.
type Dialect uint8

// The dialects.
const (
	OpenAIChat Dialect = iota + 1
	AnthropicMessages
)

type dialect struct {
	name  string
	codec wire.Codec
	// frames reads a stream's frames, each of at most that many bytes.
	frames func(io.Reader, int) frames
	// owned are the body's members that the planner or the codec writes, each
	// with the field of chat.Request to use instead of Extra.
	owned map[string]string
}

var dialects = map[Dialect]dialect{
	OpenAIChat: {"openai-chat", openaichat.Codec{}, sse, map[string]string{
		"model": "Model", "messages": "Messages", "tools": "Tools", "functions": "Tools",
		"tool_choice": "ToolChoice", "function_call": "ToolChoice", "parallel_tool_calls": "ParallelTools",
		"response_format": "Output", "reasoning_effort": "Thinking", "reasoning": "Thinking",
		"thinking": "Thinking", "enable_thinking": "Thinking", "reasoning_format": "Thinking",
		"include_reasoning": "Thinking", "max_tokens": "MaxTokens", "max_completion_tokens": "MaxTokens",
		"temperature": "Temperature", "top_p": "TopP", "stop": "Stop", "seed": "Seed", "random_seed": "Seed",
		"metadata": "Metadata", "prompt_cache_key": "Cache", "stream": "Stream", "stream_options": "Stream",
	}},
	AnthropicMessages: {"anthropic", anthropic.Codec{}, sse, map[string]string{
		"model": "Model", "messages": "Messages", "system": "System", "tools": "Tools",
		"tool_choice": "ToolChoice", "thinking": "Thinking", "output_config": "Output and Thinking",
		"output_format": "Output", "max_tokens": "MaxTokens", "temperature": "Temperature", "top_p": "TopP",
		"stop_sequences": "Stop", "metadata": "Metadata", "cache_control": "Cache", "stream": "Stream",
	}},
}

// frames reads a stream frame by frame. Release gives its buffer back.
type frames interface {
	frame.Reader
	Release()
}

func sse(r io.Reader, limit int) frames { return frame.NewSSE(r, limit) }

// String is the dialect's name, as used in chat.Extra.
func (d Dialect) String() string { return dialects[d].name }

func (d Dialect) codec() wire.Codec { return dialects[d].codec }

// owner is the request field to use for a member that the planner owns.
func (d Dialect) owner(member string) (field string, owned bool) {
	field, owned = dialects[d].owned[member]
	return field, owned
}
