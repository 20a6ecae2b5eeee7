package agent

import (
	"iter"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// Event is something that happened in a run: [StepStarted], [Delta],
// [CallStarted], [Nested], [CallFinished], [StepFinished], [Compacted] or [Done].
// The union is sealed.
//
// A run begins with a StepStarted, a Compacted aside. Deltas follow while the
// model speaks, then a CallStarted and a CallFinished for each call, then the
// StepFinished. Calls start in their order and finish when they do; one that can't run or may not
// has only a CallFinished, before the others start; one whose turn never comes,
// since the run ended, has neither. The Nested of a call stand between the two; a
// call whose inner run waits finishes as NotRun, and starts again when the run is
// resumed. A Compacted stands before the StepStarted of its step, or after it if
// the provider refused the request. Streamed and unstreamed runs give the same
// events, deltas joined or not. Those of a flow are the Nested of its runs.
//
//sumtype:decl
type Event interface{ event() }

// StepStarted says that the model is about to be asked.
type StepStarted struct {
	// Step counts from 0.
	Step int
	// Resumed: the model's reply came before the run was resumed, and its calls
	// are gone on with.
	Resumed bool
	// Injected are the messages that were put into the conversation since the
	// last step, by [Control.Inject] or on the policy's behalf.
	Injected []chat.Message
	// ToolChoice and AllowedTools are what is asked for.
	ToolChoice   toolchoice.Choice
	AllowedTools []string
	// Engine and Model will answer, and Rewrites and Warnings are what the
	// planner decided. They are empty where the agent's Model can't plan; the
	// reply has them then.
	Engine   string
	Model    string
	Rewrites []chat.PlanStep
	Warnings []chat.Warning
}

// Delta is an event of the model's stream, anything but its end.
type Delta struct {
	Step  int
	Event chat.Event
}

// CallStarted says that a tool is about to run.
type CallStarted struct {
	Step int
	Call chat.ToolCall
}

// Nested is an event of a run inside of this one: of an agent that is a tool, see
// [AsTool], or of a runner in a flow. The events of such a run come in its order,
// Done included.
type Nested struct {
	// ID is the id of the call; in a flow, the place of the runner or the round,
	// from 0.
	ID string
	// Name is the tool's; empty in a flow.
	Name  string
	Event Event
}

// CallFinished says what came of a call.
type CallFinished struct {
	Step int
	Call
}

// StepFinished ends a step whose reply came.
type StepFinished struct {
	StepResult
	// Total is the usage of the run so far, this step included.
	Total     chat.Usage
	TotalCost float64
}

// Compacted says that the working history was shortened, before the StepStarted
// of its step, or after it if the provider had refused the request as too long.
type Compacted struct {
	// Step is the step that is to come.
	Step int
	// Before and After are the tokens of the request, as estimated.
	Before, After int
	// Dropped counts the tool results that were left out, Summarised the messages
	// whose place a summary took.
	Dropped    int
	Summarised int
	// Usage and Cost are those of the summary's call.
	Usage chat.Usage
	Cost  float64
	// Err is why there is no summary although one was asked for; nil if there is
	// one or none was needed.
	Err error
}

// Done ends a run that went well.
type Done struct{ Result *Result }

func (StepStarted) event()  {}
func (Delta) event()        {}
func (CallStarted) event()  {}
func (Nested) event()       {}
func (CallFinished) event() {}
func (StepFinished) event() {}
func (Compacted) event()    {}
func (Done) event()         {}

// Texts gives the text of a run as it comes, of all its steps, and the run's
// error, last, if it failed. Other events are passed over, nested ones too.
func Texts(run iter.Seq2[Event, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for ev, err := range run {
			if err != nil {
				yield("", err)
				return
			}
			d, ok := ev.(Delta)
			if !ok {
				continue
			}
			if t, ok := d.Event.(chat.TextDelta); ok && !yield(t.Text, nil) {
				return
			}
		}
	}
}
