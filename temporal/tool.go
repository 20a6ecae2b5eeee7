package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// toolCall is the input of a tool activity.
type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// toolReply is its result.
type toolReply struct {
	Result chat.ToolResult `json:"result"`
	// Ends: the tool called agent.EndRun.
	Ends bool `json:"ends,omitempty"`
	// Unknown: the tool's function doesn't know its outcome.
	Unknown bool `json:"unknown,omitempty"`
	// Stops: the tool failed and is one whose failure stops the run.
	Stops bool `json:"stops,omitempty"`
}

// remote is a tool whose function runs as an activity. One that can't run, or
// that is answered from outside, stays as it is.
func (f *Flow) remote(t tools.Tool) tools.Tool {
	if t.Err() != nil || t.IsExternal() {
		return t
	}
	o := t.Options
	o.Timeout = 0 // the activity's
	out := tools.Raw(t.Def.Name, t.Def.Description, t.Def.Schema,
		func(ctx context.Context, args json.RawMessage) (chat.ToolResult, error) {
			c, ok := current(ctx)
			if !ok {
				return chat.ToolResult{}, errOutside
			}
			var reply toolReply
			err := c.execute(ctx, f.toolOptions(t), f.cfg.Name+toolName, toolCall{t.Def.Name, args}, &reply)
			if err != nil {
				return chat.ToolResult{}, notEnded(ctx, t, err)
			}
			if reply.Ends {
				agent.EndRun(ctx)
			}
			if reply.Unknown {
				return chat.ToolResult{}, unknownError{chat.Message{Parts: reply.Result.Parts}.Text()}
			}
			if reply.Stops {
				return chat.ToolResult{}, errors.New(chat.Message{Parts: reply.Result.Parts}.Text())
			}
			return reply.Result, nil
		})
	out.Def, out.Options = t.Def, o
	return out
}

// notEnded says what is known of a call whose activity gave no result, in words
// for the model.
func notEnded(ctx context.Context, t tools.Tool, err error) error {
	timeout, timedOut := errors.AsType[*sdk.TimeoutError](err)
	switch {
	case ctx.Err() != nil && !t.Options.SideEffects:
		return context.Cause(ctx)
	case timedOut && timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START:
		return fmt.Errorf("%s was not run: no worker was free", t.Def.Name)
	case t.Options.SideEffects:
		return unknownError{fmt.Sprintf("%s was started, and its outcome is unknown: %v. "+
			"It may have happened or not. Find out before calling it again", t.Def.Name, cause(err))}
	}
	return fmt.Errorf("%s did not finish: %w", t.Def.Name, cause(err))
}

// unknownError is what the model is told of a call of unknown outcome.
type unknownError struct{ text string }

func (e unknownError) Error() string { return e.text }

func (unknownError) Unwrap() error { return tools.ErrOutcomeUnknown }

// callTool is the activity of one tool call.
func (f *Flow) callTool(ctx context.Context, in toolCall) (toolReply, error) {
	defer beat(ctx)()
	caught, ended := agent.CatchEnd(ctx)
	set := f.cfg.Agent.Tools.Fresh() // the run counts the calls
	result, err := set.RunOne(caught, chat.ToolCall{Name: in.Name, Arguments: in.Arguments})
	if ctx.Err() != nil && result.IsError {
		return toolReply{}, ctx.Err()
	}
	unknown := errors.Is(err, tools.ErrOutcomeUnknown)
	return toolReply{Result: result, Ends: ended(), Unknown: unknown, Stops: err != nil && !unknown && ctx.Err() == nil}, nil
}

// beat tells the server that the worker is alive, which is also how an activity
// learns that it was cancelled, until stop is called.
func beat(ctx context.Context) (stop func()) {
	// The SDK sends no more of them than it has to.
	every := activity.GetInfo(ctx).HeartbeatTimeout / 4
	if every <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
