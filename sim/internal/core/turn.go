package core

import (
	"encoding/json"
	"net/http"
	"time"
)

// Turn is one answer of the script. It and the types below are the exported
// ones of package sim, which documents them.
type Turn struct {
	Thinking string
	Text     string
	Calls    []ToolCall
	Finish   string
	Usage    Usage
	Fail     *Failure
	Fault    Fault
}

// ToolCall is a tool call, scripted or made.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
}

// Usage counts tokens. Input includes Cached and CacheWrite, Output includes
// Reasoning.
type Usage struct {
	Input, Cached, CacheWrite, Output, Reasoning int
}

// Failure is an error answer in the provider's shape.
type Failure struct {
	Status                     int
	Type, Code, Param, Message string
	RetryAfter                 time.Duration
	Header                     http.Header
	Body                       string
}

// Fault breaks the rules of the wire on purpose.
type Fault struct {
	IgnoreChoice  bool
	CallUnderNone bool
	WrongTool     string

	CutAfter  int
	Reset     bool
	FailAfter int
	NoEndMark bool

	Interleave    bool
	OneByteDeltas bool
	WholeCalls    bool
	NoIndex       bool
}

// IsDefault reports whether the default behaviour decides the content.
func (t *Turn) IsDefault() bool {
	return t.Thinking == "" && t.Text == "" && len(t.Calls) == 0
}
