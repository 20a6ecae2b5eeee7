package sim

import "encoding/json"

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
