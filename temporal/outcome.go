package temporal

import (
	"encoding/json"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
)

// The signals and queries of a flow's workflow.
const (
	// VerdictsSignal takes []agent.Verdict about the calls that wait. What can't be
	// taken is passed over; see Progress.Refused.
	VerdictsSignal = "sabir.verdicts"
	// MessagesSignal takes []chat.Message to put into the conversation before the
	// next step. A run that has ended doesn't hear it.
	MessagesSignal = "sabir.messages"

	// PendingQuery gives []agent.Pending: the calls for which the run waits.
	PendingQuery = "sabir.pending"
	// ProgressQuery gives a [Progress].
	ProgressQuery = "sabir.progress"
	// StateQuery gives the run's state when it last stopped: while it waits, and
	// after its end. It is what Input.State and agent.Agent.Resume take; null:
	// the run has not stopped since it began or was continued as new, or it was
	// refused before it began.
	StateQuery = "sabir.state"
)

// Input is what a workflow is started with.
type Input struct {
	// Messages is the conversation, as for [agent.Agent.Run]. With State, they are
	// put into the conversation before the next step.
	Messages []chat.Message `json:"messages,omitempty"`
	// State is that of a run to go on with, such as one that failed; empty: a new
	// run begins.
	State json.RawMessage `json:"state,omitempty"`
}

// Outcome is a workflow's result. A run that did not come to an answer is a
// failed workflow, or a cancelled one; see [Stopped].
type Outcome struct {
	Reason agent.Reason `json:"reason"`
	// Step counts the steps from 0: the last one, or that in which the run failed.
	Step int `json:"step"`
	// Text is the answer; see agent.Result.Text.
	Text string `json:"text,omitempty"`
	// Output is the JSON answer to a request with chat.Request.Output.
	Output json.RawMessage `json:"output,omitempty"`
	// Messages is the conversation, to go on with as Input.Messages; whole, unless
	// Agent.Compact shortened it.
	Messages []chat.Message `json:"messages,omitempty"`
	Usage    chat.Usage     `json:"usage"`
	Cost     float64        `json:"cost,omitempty"`
}

func outcome(result *agent.Result) *Outcome {
	out := &Outcome{
		Reason: result.Reason, Step: max(len(result.Steps)-1, 0), Text: result.Text(),
		Messages: result.Messages, Usage: result.Usage, Cost: result.Cost,
	}
	if result.Reply != nil && result.Final == nil {
		out.Output = result.Reply.Output
	}
	return out
}

// Progress is how far a run has come.
type Progress struct {
	// Step is the step that has begun, from 0; Usage and Cost are those of the
	// steps before it or, once the run has stopped, of all.
	Step  int        `json:"step"`
	Usage chat.Usage `json:"usage"`
	Cost  float64    `json:"cost"`
	// Reason is why the run last stopped: agent.StopApproval and StopQuestion
	// while it waits; empty until it stops.
	Reason agent.Reason `json:"reason,omitempty"`
	// Refused are the verdicts that were not taken, and why.
	Refused []string `json:"refused,omitempty"`
}
