package core

import (
	"encoding/json"
)

// Task is what a request wants, whatever its dialect.
type Task struct {
	// Prompt is the text of the last user turn.
	Prompt string
	// Results are the tool results that came after it.
	Results []Result
	Tools   []Tool
	Choice  Choice
	// Schema is the wanted form of the answer; nil: text. An empty JSON object
	// means any JSON object.
	Schema json.RawMessage
	// Thinks: the model thinks first.
	Thinks bool
	Limit  int // most tokens of text; 0: none
	Stops  []string
	Input  int // tokens of the request
	Seed   string
}

// Result is what a tool returned.
type Result struct {
	Tool, Text string
	Failed     bool
}

func (tk *Task) listOffered() []Tool {
	if tk.Choice.Mode == ChoiceNamed {
		if t, ok := tk.findTool(tk.Choice.Name); ok {
			return []Tool{t}
		}
	}
	if tk.Choice.Allowed == nil {
		return tk.Tools
	}
	var out []Tool
	for _, name := range tk.Choice.Allowed {
		if t, ok := tk.findTool(name); ok {
			out = append(out, t)
		}
	}
	return out
}

func (tk *Task) findTool(name string) (Tool, bool) {
	for _, t := range tk.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
