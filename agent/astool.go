package agent

import (
	"context"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// maxDepth is how many runs can be inside of each other.
const maxDepth = 8

// task is what a runner that is a tool is called with.
type task struct {
	Task string `json:"task" jsonschema:"what to do, with all that has to be known for it: nothing else of this conversation is seen"`
}

// AsTool makes an agent, or a flow, a tool of another agent. A call runs it on
// the task that the calling model writes; it sees nothing else of the
// conversation, keeps its own limits, and its answer is the result. If it ends
// without one, the result is an error that gives the reason and what it said
// last. Eight runs can be inside of each other; a call that is deeper fails.
//
//   - Its events are [Nested] in those of the calling run, each before the call's
//     CallFinished.
//   - Its usage and cost are the call's, and count in the step, the totals and the
//     limits of the calling run, which are looked at after the step.
//   - If it stops for approval, for a question or because it was paused, the calling
//     run does, too, when the calls beside it have finished. [Result.Pending]
//     then lists its calls, and the calling run's [Agent.Resume] goes on with it. It
//     is not begun again when the calling run is cut off by the end of its context.
//   - An agent is kept in the store of the calling run, if that has one, under the
//     name of the run and the places of the step and the call, so that none of its calls is
//     repeated after a crash. It stays there until [FileStore.Remove]. Its own
//     Store and RunID are not used. A flow that was cut off by a crash begins again.
//   - It takes over the calling run's Runtime if it has none, and whether replies are
//     streamed.
//
// r may serve many calls at once; an Agent.Control in it does not.
func AsTool(name, description string, r Runner) tools.Tool {
	if r == nil {
		return tools.New[task, string](name, description, nil)
	}
	return tools.New(name, description, func(ctx context.Context, in task) (chat.ToolResult, error) {
		return delegate(ctx, r, chat.User(in.Task))
	})
}

// delegate runs r inside of a call.
func delegate(ctx context.Context, r Runner, input chat.Message) (chat.ToolResult, error) {
	if depth := depthIn(ctx); depth > maxDepth {
		return chat.ToolResult{}, fmt.Errorf("agents call each other: it is not run, as %d runs are around it", depth)
	}
	n := takeNest(ctx)
	r, s, err := n.begin(ctx, r, input)
	if err != nil {
		n.broken = &StopError{Reason: StopStore, Err: err}
		return chat.ToolResult{}, err
	}
	result, err := collect(r.Start(ctx, s), n.tell)
	if result == nil {
		result = &Result{}
	}
	n.usage, n.cost = result.Usage, result.Cost
	if err != nil {
		return chat.ToolResult{}, n.stopped(result, err)
	}
	return chat.ToolResult{Parts: result.answer()}, nil
}
