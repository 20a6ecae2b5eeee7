package sim

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// ask is what a request wants, whatever its dialect.
type ask struct {
	// prompt is the text of the last user turn.
	prompt string
	// results are the tool results that came after it.
	results []result
	tools   []tool
	choice  choice
	// schema is the wanted form of the answer; nil: text. An empty JSON object
	// means any JSON object.
	schema json.RawMessage
	// thinks: the model thinks first.
	thinks bool
	limit  int // most tokens of text; 0: none
	stops  []string
	input  int // tokens of the request
	seed   string
}

type result struct {
	tool, text string
	failed     bool
}

type tool struct {
	name, description string
	schema            json.RawMessage
	free              bool // takes free text instead of arguments
}

type choiceMode int

const (
	choiceAuto choiceMode = iota
	choiceAny
	choiceNone
	choiceNamed
)

// choice is the tool choice; allowed restricts the tools where not nil.
type choice struct {
	mode    choiceMode
	name    string
	allowed []string
}

func (c choice) forced() bool { return c.mode == choiceAny || c.mode == choiceNamed }

// offered are the tools that the choice leaves.
func (a *ask) offered() []tool {
	if a.choice.mode == choiceNamed {
		if t, ok := a.tool(a.choice.name); ok {
			return []tool{t}
		}
	}
	if a.choice.allowed == nil {
		return a.tools
	}
	var out []tool
	for _, name := range a.choice.allowed {
		if t, ok := a.tool(name); ok {
			out = append(out, t)
		}
	}
	return out
}

func (a *ask) tool(name string) (tool, bool) {
	for _, t := range a.tools {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// answer is what the model says, whatever the dialect.
type answer struct {
	thinking string
	text     string
	refusal  bool // text is a refusal
	calls    []ToolCall
	finish   string
	stop     string // the stop sequence that was met
	usage    Usage
}

// textMessage is a message read as text, whatever its dialect. The roles are
// those of Chat Completions.
type textMessage struct{ role, text string }

// functionTool is a tool as Chat Completions spells it, and others after it.
type functionTool struct {
	Type     string            `json:"type"`
	Function *functionSettings `json:"function"`
}

type functionSettings struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

func (f *functionSettings) tool() tool {
	return tool{name: f.Name, description: f.Description, schema: f.Parameters}
}

// anyObject is what a model writes in JSON mode when nobody says what.
var anyObject = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)

// promptedSchema finds a JSON Schema in the texts of a conversation, the
// latest first: in JSON mode a model follows the one it was shown.
func promptedSchema(messages []textMessage) json.RawMessage {
	for _, m := range slices.Backward(messages) {
		if m.role == "assistant" || m.role == "tool" {
			continue
		}
		if raw := schema.Find(m.text); raw != nil {
			return raw
		}
	}
	return anyObject
}

type contentPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// contentText is the text of a content, which is a string or a list of parts.
func contentText(raw json.RawMessage) string {
	if s, ok := jsondoc.Text(raw); ok {
		return s
	}
	var parts []contentPart
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// toolName is the form of a tool's name in both dialects. Source:
// openai-openapi 2.3.0, FunctionObject; anthropic-sdk-go v2.15.0, message.go;
// read 2026-11-30.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
