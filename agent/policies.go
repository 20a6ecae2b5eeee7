package agent

import (
	"slices"

	"github.com/sabir-go/sabir/toolchoice"
)

// First forces a tool on the first step. After that the model is free: a
// choice that stays forced could never be answered in text. Where the engine
// can't force a tool, such as while it thinks, the run is refused before
// anything is sent, unless Request.Adapt permits a way out.
func First(tool string) Policy { return Sequence(tool) }

// Sequence forces tools one after the other, one a step, each once. After the
// last the model is free.
func Sequence(tools ...string) Policy {
	return func(s Step) Decision {
		if s.Index < len(tools) {
			return Decision{ToolChoice: toolchoice.Tool(tools[s.Index])}
		}
		return Decision{}
	}
}

// Until makes the model call tools, whichever it likes, until the named one has
// run. After that it is free.
func Until(tool string) Policy {
	return func(s Step) Decision {
		if s.Ran(tool) > 0 {
			return Decision{}
		}
		return Decision{ToolChoice: toolchoice.Any()}
	}
}

// Requires lets a tool run only when all the tools of after have succeeded in
// earlier steps. The tool stays offered; a call before its time is answered
// with a result that says what is missing.
func Requires(tool string, after ...string) Policy {
	after = slices.Clone(after)
	return func(Step) Decision { return Decision{Requires: map[string][]string{tool: after}} }
}

// MaxCalls lets a tool run n times in a run. Further calls are answered with
// an error result.
func MaxCalls(tool string, n int) Policy {
	return func(s Step) Decision {
		return Decision{MaxCalls: map[string]int{tool: max(n-s.Ran(tool), 0)}}
	}
}

// NeedsApproval makes each call of the tools wait for approval, whatever their
// own options say.
func NeedsApproval(tools ...string) Policy {
	tools = slices.Clone(tools)
	return func(Step) Decision { return Decision{NeedsApproval: tools} }
}

// Finish makes the run end by a tool, such as one that takes the report: its
// success ends the run with its result. A model that answers without it is
// made to call it.
func Finish(tool string) Policy {
	return func(s Step) Decision {
		d := Decision{Finish: tool}
		if s.Closing {
			d.ToolChoice = toolchoice.Tool(tool)
		}
		return d
	}
}

// Called is an [Agent.StopWhen]: it ends the run when one of the tools has
// succeeded.
func Called(tools ...string) func(Step) bool {
	return func(s Step) bool { return slices.ContainsFunc(tools, s.Succeeded) }
}
