package cases

import (
	"encoding/json"
	"fmt"
)

// Request is a canonical request.
type Request struct {
	Model             string                     `json:"model"`
	Messages          []Message                  `json:"messages"`
	Tools             []Tool                     `json:"tools"`
	ToolChoice        *Choice                    `json:"tool_choice"`
	ParallelToolCalls *bool                      `json:"parallel_tool_calls"`
	Thinking          *Thinking                  `json:"thinking"`
	Output            *Output                    `json:"output"`
	MaxTokens         int                        `json:"max_tokens"`
	Temperature       *float64                   `json:"temperature"`
	TopP              *float64                   `json:"top_p"`
	Stop              texts                      `json:"stop"`
	Stream            bool                       `json:"stream"`
	ProviderOptions   map[string]json.RawMessage `json:"provider_options"`
}

// Message is one turn.
type Message struct {
	Role    string `json:"role"`
	Content parts  `json:"content"`
}

// Tool is a tool that is offered.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Choice is the tool choice.
type Choice struct {
	Mode string `json:"mode"`
	Name string `json:"name"`
}

// Thinking controls extended thinking.
type Thinking struct {
	Enabled      *bool  `json:"enabled"`
	BudgetTokens int    `json:"budget_tokens"`
	Effort       string `json:"effort"`
}

// Output asks for JSON.
type Output struct {
	Mode   string          `json:"mode"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// The parts of a message: textPart, imagePart, thinkingPart, redactedPart,
// callPart or resultPart.
type (
	textPart struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	imagePart struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
		URL       string `json:"url"`
	}
	thinkingPart struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Signature string `json:"signature"`
	}
	redactedPart struct {
		Type string `json:"type"`
		Data string `json:"data"`
	}
	callPart struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	resultPart struct {
		Type    string `json:"type"`
		CallID  string `json:"call_id"`
		Content parts  `json:"content"`
		IsError bool   `json:"is_error"`
	}
)

// parts is a list of parts, or one text.
type parts []any

func (p *parts) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*p = parts{&textPart{Text: text}}
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*p = make(parts, len(list))
	for i, raw := range list {
		part, err := readPart(raw)
		if err != nil {
			return err
		}
		(*p)[i] = part
	}
	return nil
}

func readPart(raw json.RawMessage) (any, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	var part any
	switch head.Type {
	case "text":
		part = new(textPart)
	case "image":
		part = new(imagePart)
	case "thinking":
		part = new(thinkingPart)
	case "redacted_thinking":
		part = new(redactedPart)
	case "tool_call":
		part = new(callPart)
	case "tool_result":
		part = new(resultPart)
	default:
		return nil, fmt.Errorf("part type %q is not defined", head.Type)
	}
	return part, decodeStrict(raw, part)
}
