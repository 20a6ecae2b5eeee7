package chat

import (
	"encoding/json"
	"strings"
	"time"
)

// Reply is a model's whole answer. Collecting a stream gives the same Reply
// that the call without streaming would have given.
type Reply struct {
	Parts []Part
	// Finish is why the model stopped; RawFinish is the provider's own word.
	Finish    FinishReason
	RawFinish string
	Usage     Usage
	// Output is the JSON answer to a request with [Request.Output]: one valid
	// JSON value, with fences and prose around it taken off.
	Output json.RawMessage

	// Engine is the engine that answered; Model, ID are the provider's words.
	Engine string
	Model  string
	ID     string
	// RequestID is the provider's id for the HTTP request, for its support.
	RequestID string
	RateLimit RateLimit
	Timing    Timing

	// Warnings are settings that were changed or left out.
	Warnings []Warning
	// Steps are the rewrites that the plan took.
	Steps []PlanStep
	// Raw is the body as received; nil for streams.
	Raw json.RawMessage
}

// Text joins the reply's text parts.
func (r *Reply) Text() string { return joinText(r.Parts) }

// Thoughts joins what the model let us read of its thinking.
func (r *Reply) Thoughts() string {
	var b strings.Builder
	for _, t := range collect[Thinking](r.Parts) {
		b.WriteString(t.Text)
	}
	return b.String()
}

// ToolCalls returns the calls that the model made, in order.
func (r *Reply) ToolCalls() []ToolCall { return collect[ToolCall](r.Parts) }

// Message is the reply as a turn to append to the conversation. It says back
// what the provider needs to hear, signatures included.
func (r *Reply) Message() Message { return Message{RoleAssistant, r.Parts} }

// FinishReason is why a model stopped.
type FinishReason string

// The finish reasons. A reply with complete calls is FinishToolCalls whatever
// word the provider used, unless it reported a cut or a filter.
const (
	FinishStop         FinishReason = "stop"
	FinishStopSequence FinishReason = "stop_sequence" // one of Request.Stop
	FinishToolCalls    FinishReason = "tool_calls"
	FinishLength       FinishReason = "length" // cut by a token limit
	FinishFiltered     FinishReason = "content_filter"
	FinishPaused       FinishReason = "paused"         // say the reply back to go on
	FinishMalformed    FinishReason = "malformed_call" // the model wrote a call that can't be read
	FinishError        FinishReason = "error"
	FinishOther        FinishReason = "other" // see RawFinish
)

// Usage counts tokens. A count that the provider doesn't report is 0.
type Usage struct {
	// Input is the whole prompt, cache reads and writes included.
	Input int `json:"input"`
	// CachedInput is the part of Input read from a cache; CacheWrite the part
	// written to one.
	CachedInput int `json:"cached_input"`
	CacheWrite  int `json:"cache_write"`
	// Output is everything generated, thinking included.
	Output int `json:"output"`
	// Reasoning is the part of Output spent on thinking.
	Reasoning int `json:"reasoning"`
}

// Total is Input plus Output.
func (u Usage) Total() int { return u.Input + u.Output }

// Add adds v to u, count by count.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.CachedInput += v.CachedInput
	u.CacheWrite += v.CacheWrite
	u.Output += v.Output
	u.Reasoning += v.Reasoning
}

// RateLimit is what the provider's headers said about its limits.
type RateLimit struct {
	Requests Window `json:"requests,omitzero"`
	Tokens   Window `json:"tokens,omitzero"`
}

// Window is one limit: how much there is, how much is left, and how long
// until it is whole again. Zero values: not said.
type Window struct {
	Limit     int           `json:"limit"`
	Remaining int           `json:"remaining"`
	Reset     time.Duration `json:"reset"`
}

// Timing says how long a call took, measured on our side from sending the
// request, unless a field says otherwise.
type Timing struct {
	// FirstToken is when the first event of a stream came; 0 without a stream.
	FirstToken time.Duration `json:"first_token,omitempty"`
	Total      time.Duration `json:"total,omitempty"`
	// Attempts counts the requests sent; 1 means no retry, 0 that the reply came
	// from elsewhere, such as a cache.
	Attempts int `json:"attempts,omitempty"`
	// Load, Prompt and Generation are what the server says it took to load the
	// model, to read the prompt and to write the answer; 0 if it doesn't say.
	Load       time.Duration `json:"load,omitempty"`
	Prompt     time.Duration `json:"prompt,omitempty"`
	Generation time.Duration `json:"generation,omitempty"`
}

// Warning says that a setting was changed or left out of the request.
type Warning struct {
	// Field is the path of the field in [Request], such as "Cache" or
	// "Tools[0].Strict"; empty when it belongs to none.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// PlanStep is one rewrite that a plan took.
type PlanStep struct {
	Kind PlanStepKind `json:"kind"`
	// Detail says in plain words what was done and why.
	Detail string `json:"detail"`
}

// PlanStepKind names a rewrite.
type PlanStepKind string

// The rewrites a plan can take.
const (
	// StepToolAsSchema: a forced tool travels as a JSON Schema output and comes
	// back as a synthetic call.
	StepToolAsSchema PlanStepKind = "tool_as_schema"
	// StepToolsAsSchema: any of several tools travels as one union schema.
	StepToolsAsSchema PlanStepKind = "tools_as_schema"
	// StepNamedAsAny: only the named tool is sent, with any.
	StepNamedAsAny PlanStepKind = "named_as_any"
	// StepToolsLeftOut: the tools are left out to express none.
	StepToolsLeftOut PlanStepKind = "tools_left_out"
	// StepToolsTrimmed: only the allowed tools are sent.
	StepToolsTrimmed PlanStepKind = "tools_trimmed"
	// StepOutputAsTool: the output schema travels as a reserved, forced tool.
	StepOutputAsTool PlanStepKind = "output_as_tool"
	// StepOutputAsPrompt: the output schema is written into the prompt, with
	// JSON mode on, and the answer is validated.
	StepOutputAsPrompt PlanStepKind = "output_as_prompt"
	// StepToolsAsText: the tools are written into the system text, and calls are
	// read from the model's.
	StepToolsAsText PlanStepKind = "tools_as_text"
	// StepHistoryAsText: earlier calls go back as the text that was written.
	StepHistoryAsText PlanStepKind = "history_as_text"
	// StepPartsLeftOut: opaque parts of another origin are left out.
	StepPartsLeftOut PlanStepKind = "parts_left_out"
	// StepThinkingOff: thinking is switched off for this call.
	StepThinkingOff PlanStepKind = "thinking_off"
	// StepChoiceToAuto: a forced choice is weakened to auto.
	StepChoiceToAuto PlanStepKind = "choice_to_auto"
)
