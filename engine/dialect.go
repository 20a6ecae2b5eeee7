package engine

import (
	"io"

	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/aki"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/gemini"
	"github.com/sabir-go/sabir/internal/wire/ollama"
	"github.com/sabir-go/sabir/internal/wire/openaichat"
	"github.com/sabir-go/sabir/internal/wire/openairesponses"
)

type dialect struct {
	codec wire.Codec
	// frames reads a stream's frames, each of at most that many bytes.
	frames func(io.Reader, int) frames
}

var dialects = map[profile.Dialect]dialect{
	profile.OpenAIChat:         {openaichat.Codec{}, sse},
	profile.AnthropicMessages:  {anthropic.Codec{}, sse},
	profile.OpenAIResponsesAPI: {openairesponses.Codec{}, sse},
	profile.GeminiAPI:          {gemini.Codec{}, geminiFrames},
	profile.OllamaAPI:          {ollama.Codec{}, ndjson},
	profile.AKINative:          {aki.Codec{}, ndjson},
	profile.BedrockConverse:    {bedrockconverse.Codec{}, eventStream},
	profile.CohereV2:           {coherev2.Codec{}, sse},
}

// frames reads a stream frame by frame. Release gives its buffer back.
type frames interface {
	frame.Reader
	Release()
}

func sse(r io.Reader, limit int) frames          { return frame.NewSSE(r, limit) }
func ndjson(r io.Reader, limit int) frames       { return frame.NewNDJSON(r, limit) }
func geminiFrames(r io.Reader, limit int) frames { return gemini.NewFrames(r, limit) }
func eventStream(r io.Reader, limit int) frames  { return frame.NewEventStream(r, limit) }

func codecOf(d profile.Dialect) wire.Codec { return dialects[d].codec }
