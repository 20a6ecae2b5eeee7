package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// Result is what a run did.
type Result struct {
	// Reason is why it ended.
	Reason Reason
	// Reply is the model's last reply, nil if there is none.
	Reply *chat.Reply
	// Final is the result by which a tool ended the run; nil if none did.
	Final *chat.ToolResult
	// Messages is the whole conversation, input included. It is sound: every
	// call in it has its result, so it can be stored and gone on with. A reply
	// that was cut, filtered or refused in the middle of its calls is only in
	// Reply. Where [Agent.Compact] shortened it, it is the working history.
	Messages []chat.Message
	// Archive is everything that was said, in order, as it was before Messages
	// was shortened; nil without Agent.Compact.
	Archive []chat.Message
	Steps   []StepResult
	// Runs are the results of a flow's runners, in their order, or of its rounds;
	// nil for one that was not begun. An agent's run has none.
	Runs []*Result
	// Usage and Cost add up all steps, the reply whose calls are pending, and the
	// summaries of Agent.Compact; of a flow, its runs.
	Usage chat.Usage
	Cost  float64
	// Pending are the calls for which the run waits, after StopApproval and
	// StopQuestion, and after a verdict was refused.
	Pending []Pending

	state *state
	// flow is what the state of a flow holds beside those of its runs; output is
	// an answer that no model gave.
	flow   *flowState
	output *chat.Message
}

// State is the run as versioned JSON, for [Agent.Resume]: the conversation, the
// steps, the counters, and the calls of a step that was left in the middle.
func (r *Result) State() (json.RawMessage, error) {
	switch {
	case r.flow != nil:
		return r.flow.store(r)
	case r.state == nil:
		return nil, chat.Invalid("Result", "was not made by a run")
	}
	return json.Marshal(r.state)
}

// Text is the answer: the text of the last step. Where a tool ended the run, it
// is the text of that tool's result; that of a flow is the answer of its last run,
// or the merged one.
func (r *Result) Text() string {
	switch {
	case r.output != nil:
		return r.output.Text()
	case r.Final != nil:
		return chat.Message{Parts: r.Final.Parts}.Text()
	}
	if len(r.Steps) == 0 {
		return ""
	}
	return r.Steps[len(r.Steps)-1].join((*chat.Reply).Text, "")
}

// answer is the answer with its pictures.
func (r *Result) answer() []chat.Part {
	switch {
	case r.output != nil && len(r.output.Parts) > 0:
		return r.output.Parts
	case r.Final != nil && len(r.Final.Parts) > 0:
		return r.Final.Parts
	}
	return []chat.Part{chat.Text{Text: r.Text()}}
}

// Thoughts joins what the model let us read of its thinking, a line break
// between replies.
func (r *Result) Thoughts() string {
	var all []string
	for _, s := range r.Steps {
		if t := s.join((*chat.Reply).Thoughts, "\n"); t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n")
}

// StepResult is one model step: a reply, and what came of its calls.
type StepResult struct {
	// Index counts the steps from 0.
	Index int
	// ToolChoice is the choice that was asked for.
	ToolChoice toolchoice.Choice
	// Paused are the replies that the provider broke off and that were gone on
	// with, in order; Reply is the last one, nil if the model call failed.
	Paused []*chat.Reply
	Reply  *chat.Reply
	// Calls are the reply's calls, in order.
	Calls []Call
	// Usage and Cost are those of this step's replies, and of its calls.
	Usage chat.Usage
	Cost  float64
	// Duration is the step's whole time, tools included.
	Duration time.Duration

	void bool // nothing of it is in the conversation: it is made again when resumed
}

func (s StepResult) join(text func(*chat.Reply) string, sep string) string {
	var all []string
	for _, r := range s.Paused {
		all = append(all, text(r))
	}
	if s.Reply != nil {
		all = append(all, text(s.Reply))
	}
	return strings.Trim(strings.Join(all, sep), sep)
}

// Call is a tool call and what came of it.
type Call struct {
	chat.ToolCall
	Result  chat.ToolResult
	Outcome Outcome
	// Duration is how long the tool took; 0 if it did not run.
	Duration time.Duration
	// Edited are the arguments that it ran with, where a [Verdict] changed them.
	Edited json.RawMessage
	// Usage and Cost are those of the run that the call made, where its tool is an
	// agent; see [AsTool].
	Usage chat.Usage
	Cost  float64

	ends        bool // the tool asked to end the run
	insists     bool // the model was told before that the call is a repetition
	approved    bool
	waits       bool // it was pending when the run stopped
	interrupted bool // by the end of the run; it can be run again
	// inner is the run that the call made, where that is to be gone on with.
	inner *inner
}

// answered is the call with an error result that says why it has none of its
// own.
func (c Call) answered(outcome Outcome, why string) Call {
	c.Outcome, c.Result = outcome, chat.ErrorResult(c.ID, why)
	c.Result.Name = c.Name
	return c
}

// Outcome is what became of a call.
type Outcome string

// The outcomes of a call.
const (
	// Succeeded: the tool ran and gave a result.
	Succeeded Outcome = "succeeded"
	// Failed: the tool was started and gave an error, crashed, ran out of time
	// or was cancelled.
	Failed Outcome = "failed"
	// Refused: the policy, a limit or a [Verdict] did not let it run.
	Refused Outcome = "refused"
	// Invalid: there is no such tool, or the arguments don't fit. It did not run.
	Invalid Outcome = "invalid"
	// NotRun: the run ended before the call's turn came.
	NotRun Outcome = "not_run"
	// Unknown: the tool has side effects and was started, and the process ended
	// before it did; or its function says so, see tools.ErrOutcomeUnknown.
	Unknown Outcome = "unknown"
)

// Ran reports whether the tool's function was entered.
func (o Outcome) Ran() bool { return o == Succeeded || o == Failed || o == Unknown }

// Reason is why a run ended.
type Reason string

// The reasons. Those before StopSteps are good ends; the others come with a
// [StopError].
const (
	StopAnswered  Reason = "answered"  // the model gave its answer
	StopTool      Reason = "tool"      // a tool ended the run with its result
	StopCondition Reason = "condition" // Agent.StopWhen said so

	StopSteps     Reason = "max_steps"
	StopTokens    Reason = "max_tokens"
	StopCost      Reason = "max_cost"
	StopDeadline  Reason = "deadline" // of the context
	StopCancelled Reason = "cancelled"
	StopHops      Reason = "max_hops"      // the provider paused too often
	StopInvalid   Reason = "invalid_calls" // the model wrote calls that can't be run
	StopRepeated  Reason = "repeated_call" // the model makes the same call again and again
	StopLength    Reason = "length"        // the reply was cut by a token limit; nothing of it was run
	StopFiltered  Reason = "filtered"      // a filter stopped the reply, or the model refused
	StopMalformed Reason = "malformed"     // the provider says that the model wrote a broken call
	StopUnmet     Reason = "choice_unmet"  // the model broke the tool choice; nothing was run
	StopToolError Reason = "tool_error"    // a tool with tools.Stop failed
	StopApproval  Reason = "approval"      // a call needs approval; nothing of its reply was run
	StopQuestion  Reason = "question"      // a call of an external tool needs its answer; nothing of its reply was run
	StopPaused    Reason = "paused"        // by Control.Pause or the control tool
	StopAborted   Reason = "aborted"       // by the control tool; it can't be gone on with
	StopRounds    Reason = "max_rounds"    // of a Loop
	StopStore     Reason = "store"         // Agent.Store failed
	StopRefused   Reason = "refused"       // a request was wrong or can't be had; it was not sent
	StopFailed    Reason = "failed"        // a model call failed, or a function in a flow
)

// StopError says why a run ended without an answer. errors.Is and errors.As
// see the cause, such as the errors of package chat and context.Canceled.
type StopError struct {
	Reason Reason
	// Step is the step in which it happened, from 0.
	Step int
	// Err is the cause; nil where Reason says it all.
	Err error
	// Result is what was done so far; never nil.
	Result *Result
}

func (e *StopError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("agent: step %d: %s", e.Step, e.Reason)
	}
	return fmt.Sprintf("agent: step %d: %s: %v", e.Step, e.Reason, e.Err)
}

// Unwrap gives the cause.
func (e *StopError) Unwrap() error { return e.Err }
