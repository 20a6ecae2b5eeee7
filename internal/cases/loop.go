package cases

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

// ToolRun is one run of a tool: its name and the arguments it was given.
type ToolRun struct {
	Name      string
	Arguments json.RawMessage
}

// maxSteps bounds a loop that doesn't say how long it may be.
const maxSteps = 8

// runLoop calls the model and runs its tools until it stops asking. Tools run
// only once a reply has ended, and not those of a reply that was cut; a forced
// choice holds for the first step.
func (s *session) runLoop(ctx context.Context) (*chat.Reply, error) {
	steps := s.Run.Given.Loop.MaxSteps
	if steps == 0 {
		steps = maxSteps
	}
	bench := s.newToolRunner()
	for range steps {
		reply, err := s.callModel(ctx)
		if err != nil {
			return nil, err
		}
		calls := reply.ToolCalls()
		if reply.Finish != chat.FinishToolCalls && reply.Finish != chat.FinishPaused {
			return reply, nil
		}
		s.req.Messages = append(s.req.Messages, reply.Message())
		if len(calls) == 0 {
			continue
		}
		results, err := bench.set.Run(ctx, calls)
		s.ToolRuns = append(s.ToolRuns, bench.takeInOrder(calls)...)
		if err != nil {
			return nil, err
		}
		for _, c := range calls {
			s.IDs = append(s.IDs, c.ID)
		}
		s.req.Messages = append(s.req.Messages, chat.Results(results...))
		s.req.ToolChoice = toolchoice.Choice{}
	}
	return nil, errMaxSteps
}

// toolRunner runs the tools of a loop and records the runs.
type toolRunner struct {
	set  *tools.Set
	mu   sync.Mutex
	runs []ToolRun
}

func (s *session) newToolRunner() *toolRunner {
	b := &toolRunner{}
	made := make([]tools.Tool, 0, len(s.req.Tools))
	for _, def := range s.req.Tools {
		impl := s.Run.Given.ToolsImpl[def.Name]
		made = append(made, tools.Raw(def.Name, def.Description, def.Schema,
			func(ctx context.Context, args json.RawMessage) ([]chat.Part, error) {
				b.mu.Lock()
				b.runs = append(b.runs, ToolRun{def.Name, args})
				b.mu.Unlock()
				returns, err := impl.run(ctx, args)
				if err != nil {
					return nil, err
				}
				return s.Run.Case.mapReturned(returns)
			}))
	}
	b.set = tools.NewSet(made...)
	return b
}

// takeInOrder takes the runs of one reply, in the order of its calls: they ran
// side by side.
func (b *toolRunner) takeInOrder(calls []chat.ToolCall) []ToolRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []ToolRun
	for _, c := range calls {
		at := -1
		for i, r := range b.runs {
			if r.Name == c.Name && (at < 0 || equalJSON(r.Arguments, c.Arguments)) {
				at = i
				if equalJSON(r.Arguments, c.Arguments) {
					break
				}
			}
		}
		if at >= 0 {
			out = append(out, b.runs[at])
			b.runs = append(b.runs[:at:at], b.runs[at+1:]...)
		}
	}
	out = append(out, b.runs...)
	b.runs = nil
	return out
}

func (i Impl) run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	returns, delay := i.Returns, i.DelayMS
	for _, c := range i.ByArguments {
		if equalJSON(c.When, args) {
			returns, delay = c.Returns, max(delay, c.DelayMS)
			break
		}
	}
	if returns == nil {
		return nil, errors.New("the case does not say what this returns")
	}
	select {
	case <-time.After(time.Duration(delay) * time.Millisecond):
		return returns, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// mapReturned maps what a tool returns: a text, a list of parts, or any JSON.
func (c *Case) mapReturned(raw json.RawMessage) ([]chat.Part, error) {
	var ps parts
	if kind := kindOf(raw); kind == "string" || kind == "array" {
		if err := ps.UnmarshalJSON(raw); err != nil {
			return nil, err
		}
		return c.mapParts(ps), nil
	}
	return []chat.Part{chat.Text{Text: textOf(raw)}}, nil
}
