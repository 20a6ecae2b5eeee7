package toolchoice

import (
	"encoding/json"
	"fmt"
)

// WireFormat says how tools, calls and tool choice are spelled on a wire;
// several dialects can share one.
type WireFormat uint8

// The wire formats. NoTools, the zero WireFormat, is a wire without tools;
// Ollama and Hermes carry tools but no field for a choice.
const (
	NoTools   WireFormat = iota
	OpenAI               // Chat Completions and its many relatives
	Responses            // OpenAI's Responses API
	Anthropic            // Messages
	Gemini               // generateContent; the value goes under toolConfig
	Mistral              // as OpenAI, but any is "any"
	Cohere               // Chat v2: words in capitals, no named choice
	Bedrock              // Converse; the value goes under toolConfig.toolChoice
	Ollama               // /api/chat
	Hermes               // tools and calls written into plain text
)

var wireNames = [...]string{
	NoTools: "notools", OpenAI: "openai", Responses: "responses", Anthropic: "anthropic", Gemini: "gemini",
	Mistral: "mistral", Cohere: "cohere", Bedrock: "bedrock", Ollama: "ollama", Hermes: "hermes",
}

// String returns the format's name in lower case, "notools" for [NoTools].
func (w WireFormat) String() string {
	if int(w) >= len(wireNames) {
		return fmt.Sprintf("WireFormat(%d)", uint8(w))
	}
	return wireNames[w]
}

// spelling is how one wire writes a choice. An empty word or head means that
// the wire can't say it; a named tool is head, the quoted name, tail.
type spelling struct {
	auto, any, none string
	head, tail      string
	autoOmitted     bool // leaving the field out is the only way to say auto
}

// neutral is our own form, for JSON; its words are Anthropic's.
var neutral = spelling{
	auto: `{"type":"auto"}`, any: `{"type":"any"}`, none: `{"type":"none"}`,
	head: `{"type":"tool","name":`, tail: `}`,
}

var spellings = [...]spelling{
	// Source: openai-go chatcompletion.go, read 2026-11-30.
	OpenAI: {
		auto: `"auto"`, any: `"required"`, none: `"none"`,
		head: `{"type":"function","function":{"name":`, tail: `}}`,
	},
	// Source: openai-go responses/response.go, read 2026-11-30.
	Responses: {
		auto: `"auto"`, any: `"required"`, none: `"none"`,
		head: `{"type":"function","name":`, tail: `}`,
	},
	// Source: anthropic-sdk-go message.go, read 2026-11-30.
	Anthropic: {
		auto: `{"type":"auto"}`, any: `{"type":"any"}`, none: `{"type":"none"}`,
		head: `{"type":"tool","name":`, tail: `}`,
	},
	// Source: go-genai types.go, read 2026-11-30. Google also
	// accepts snake case; the documented names are camelCase.
	Gemini: {
		auto: `{"functionCallingConfig":{"mode":"AUTO"}}`,
		any:  `{"functionCallingConfig":{"mode":"ANY"}}`,
		none: `{"functionCallingConfig":{"mode":"NONE"}}`,
		head: `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":[`, tail: `]}}`,
	},
	// Source: Mistral's openapi.yaml, which has the object form and takes
	// "required" for any, too; read 2026-11-30.
	Mistral: {
		auto: `"auto"`, any: `"any"`, none: `"none"`,
		head: `{"type":"function","function":{"name":`, tail: `}}`,
	},
	// Source: cohere-openapi.yaml, Chat v2: REQUIRED, NONE, or left out for a
	// free choice; "auto" is not a legal value; read 2026-11-30.
	Cohere: {any: `"REQUIRED"`, none: `"NONE"`, autoOmitted: true},
	// Source: aws-sdk-go-v2 bedrockruntime types.go, a union of three members;
	// read 2026-11-30.
	Bedrock: {auto: `{"auto":{}}`, any: `{"any":{}}`, head: `{"tool":{"name":`, tail: `}}`},
	// Source: Ollama api/types.go has no such field; read 2026-11-30.
	Ollama: {},
	Hermes: {},
}

// To spells the choice for a wire. The result is the value of that wire's
// field (tool_choice, Gemini's toolConfig) and the caller's to keep.
//
// The zero Choice gives nil and no error: leave the field out. So does Auto on
// [Cohere], where leaving it out is how one says auto. What the wire can't say
// is [ErrNoWireForm], never something weaker; a choice without a usable name
// is [ErrNoName] on every wire.
func (c Choice) To(w WireFormat) (json.RawMessage, error) {
	if c.IsZero() {
		return nil, nil
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	var s spelling
	if int(w) < len(spellings) {
		s = spellings[w]
	}
	if c.mode == ModeAuto && s.autoOmitted {
		return nil, nil
	}
	raw := s.append(c)
	if raw == nil {
		return nil, fmt.Errorf("toolchoice: %s has %w for %s", w, ErrNoWireForm, c)
	}
	return raw, nil
}

// append returns the spelled choice in a slice of its own, nil if there is no
// way to spell it.
func (s *spelling) append(c Choice) []byte {
	var head, tail string
	switch c.mode {
	case ModeAuto:
		head = s.auto
	case ModeAny:
		head = s.any
	case ModeNone:
		head = s.none
	case ModeTool:
		head, tail = s.head, s.tail
	case Unset:
	}
	if head == "" {
		return nil
	}
	if c.mode != ModeTool {
		return []byte(head)
	}
	b := make([]byte, 0, len(head)+len(c.name)+2+len(tail))
	b = append(b, head...)
	b = appendString(b, c.name)
	return append(b, tail...)
}

const hexDigits = "0123456789abcdef"

// appendString appends s, which is UTF-8, as a JSON string.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch ch := s[i]; {
		case ch == '"' || ch == '\\':
			b = append(b, '\\', ch)
		case ch < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[ch>>4], hexDigits[ch&15])
		default:
			b = append(b, ch)
		}
	}
	return append(b, '"')
}
