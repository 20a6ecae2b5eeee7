package core

import (
	"encoding/json"
	"regexp"
)

// Tool is a tool that a request offers.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
	Free              bool // takes free text instead of arguments
}

// ChoiceMode is what the tool choice asks for.
type ChoiceMode int

// The modes, whatever their words on the wire.
const (
	ChoiceAuto ChoiceMode = iota
	ChoiceAny
	ChoiceNone
	ChoiceNamed
)

// Choice is the tool choice; Allowed restricts the tools where not nil.
type Choice struct {
	Mode    ChoiceMode
	Name    string
	Allowed []string
}

// IsForced reports whether a call must come.
func (c Choice) IsForced() bool { return c.Mode == ChoiceAny || c.Mode == ChoiceNamed }

// FunctionTool is a tool as Chat Completions spells it, and others after it.
type FunctionTool struct {
	Type     string            `json:"type"`
	Function *functionSettings `json:"function"`
}

type functionSettings struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

func (f *functionSettings) Tool() Tool {
	return Tool{Name: f.Name, Description: f.Description, Schema: f.Parameters}
}

// ToolName is the form of a tool's name in both dialects. Source:
// openai-openapi 2.3.0, FunctionObject; anthropic-sdk-go v2.15.0, message.go;
// read 2026-11-30.
var ToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
