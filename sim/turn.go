package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Turn is one answer of the script. A turn without Thinking, Text, Calls and
// Fail answers by the default behaviour, with its Fault applied.
//
// A scripted answer is given as it stands, also where it breaks the request's
// tool choice: that is how a disobedient server is played.
type Turn struct {
	// Thinking is a thought that comes before the answer. It is given whether
	// or not the request asked for one, where the wire has a place for it.
	Thinking string
	Text     string
	Calls    []ToolCall
	// Finish overrides the finish reason. "stop", "tool_calls", "length" and
	// "refusal" are translated to the dialect, others are sent as they stand.
	Finish string
	// Usage overrides the counts; a zero field is counted from the texts.
	Usage Usage
	// Fail answers with an error instead.
	Fail *Failure
	// Fault breaks the rules.
	Fault Fault
}

// ToolCall is a tool call of a scripted answer.
type ToolCall struct {
	// ID of the call; empty: one in the provider's style.
	ID   string
	Name string
	// Arguments is sent as it stands, valid or not. Empty: no arguments.
	Arguments json.RawMessage
}

// Usage counts tokens. Input includes Cached and CacheWrite, Output includes
// Reasoning, whatever the dialect's own way of counting is.
type Usage struct {
	Input, Cached, CacheWrite, Output, Reasoning int
}

// Failure is an error answer in the provider's shape.
type Failure struct {
	// Status is the HTTP status; 0 is 500.
	Status int
	// Type, Code, Param and Message go into the body; an empty Type, Code or
	// Message takes what the provider says with that status. Dialects without
	// a Code or a Param leave it out.
	Type, Code, Param, Message string
	// RetryAfter becomes the provider's header for it; 0: no header.
	RetryAfter time.Duration
	// Header is added to the answer.
	Header http.Header
	// Body replaces the provider's error body: an HTML page, a bare string.
	Body string
}

// Fault breaks the rules of the wire on purpose. The zero value breaks none.
type Fault struct {
	// IgnoreChoice answers in text although a call was forced.
	IgnoreChoice bool
	// CallUnderNone calls a tool although the choice is none.
	CallUnderNone bool
	// WrongTool calls the tool of this name, offered or not, instead of the
	// one that is due.
	WrongTool string

	// CutAfter ends the stream after that many events; 0: never.
	CutAfter int
	// Reset makes the cut an abrupt one: the connection is dropped without
	// the end of the body.
	Reset bool
	// FailAfter sends the turn's Fail inside the stream, after that many
	// events. Unstreamed calls fail as a whole.
	FailAfter int
	// NoEndMark leaves out what ends a stream, such as [DONE], message_stop or
	// the chunk with the finish reason.
	NoEndMark bool

	// Interleave makes the deltas of several calls alternate.
	Interleave bool
	// OneByteDeltas sends text and arguments character by character.
	OneByteDeltas bool
	// WholeCalls sends each call in one delta, as Gemini and Ollama always do.
	WholeCalls bool
	// NoIndex leaves the index out of Chat Completions' call deltas.
	NoIndex bool
}

// Says is a turn that answers with text.
func Says(text string) Turn { return Turn{Text: text} }

// Calls is a turn that calls one tool. args is marshalled to JSON; a
// json.RawMessage or nil is taken as it is. What can't be marshalled becomes a
// turn that fails with the reason.
func Calls(name string, args any) Turn {
	raw, ok := args.(json.RawMessage)
	if !ok && args != nil {
		b, err := jsondoc.Marshal(args)
		if err != nil {
			return Fails(http.StatusInternalServerError, fmt.Sprintf("sim: arguments of %s: %v", name, err))
		}
		raw = b
	}
	return Turn{Calls: []ToolCall{{Name: name, Arguments: raw}}}
}

// Thinks puts a thought before a turn.
func Thinks(thought string, then Turn) Turn {
	then.Thinking = thought
	return then
}

// Fails is a turn that answers with an error of that HTTP status. An empty
// message takes the provider's.
func Fails(status int, message string) Turn {
	return Turn{Fail: &Failure{Status: status, Message: message}}
}

// RateLimited is a turn that answers 429 and asks to wait.
func RateLimited(wait time.Duration) Turn {
	return Turn{Fail: &Failure{Status: http.StatusTooManyRequests, RetryAfter: wait}}
}

// Breaks is a turn of the default behaviour that breaks the rules.
func Breaks(fault Fault) Turn { return Turn{Fault: fault} }

// With returns the turn with a fault.
func (t Turn) With(fault Fault) Turn {
	t.Fault = fault
	return t
}

func convertTurn(t Turn) core.Turn {
	out := core.Turn{
		Thinking: t.Thinking, Text: t.Text, Finish: t.Finish,
		Usage: core.Usage(t.Usage), Fail: (*core.Failure)(t.Fail), Fault: core.Fault(t.Fault),
	}
	for _, c := range t.Calls {
		out.Calls = append(out.Calls, core.ToolCall(c))
	}
	return out
}
