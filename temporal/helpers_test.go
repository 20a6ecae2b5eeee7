package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/tools"
)

var hello = chat.User("What is the weather in Ghent?")

// script is a model that checks nothing and gives its replies in turn:
// *chat.Reply, error, or func(context.Context) (*chat.Reply, error).
type script struct {
	mu       sync.Mutex
	replies  []any
	requests []*chat.Request
}

func scripted(replies ...any) *script { return &script{replies: replies} }

func (s *script) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	s.mu.Lock()
	n := len(s.requests)
	kept := *req
	s.requests = append(s.requests, &kept)
	s.mu.Unlock()
	if n >= len(s.replies) {
		return nil, chat.Invalid("script", "is over")
	}
	switch r := s.replies[n].(type) {
	case *chat.Reply:
		return r, nil
	case error:
		return nil, r
	case func(context.Context) (*chat.Reply, error):
		return r(ctx)
	}
	return nil, fmt.Errorf("the script holds a %T", s.replies[n])
}

func (s *script) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { yield(nil, errors.New("not streamed")) }
}

// asked are the requests so far.
func (s *script) asked() []*chat.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func text(s string) *chat.Reply {
	return &chat.Reply{Parts: []chat.Part{chat.Text{Text: s}}, Finish: chat.FinishStop, Usage: chat.Usage{Input: 10, Output: 5}}
}

// calls is a reply that calls tools, each "name" or "name {json}", with the ids
// of their places.
func calls(list ...string) *chat.Reply {
	r := &chat.Reply{Finish: chat.FinishToolCalls, Usage: chat.Usage{Input: 10, Output: 5}}
	for i, c := range list {
		name, args, found := strings.Cut(c, " ")
		if !found {
			args = "{}"
		}
		r.Parts = append(r.Parts, chat.ToolCall{ID: fmt.Sprintf("c%d", i), Name: name, Arguments: json.RawMessage(args)})
	}
	return r
}

// named is a tool without arguments that does f.
func named(name string, f func(context.Context) (string, error)) tools.Tool {
	return tools.New(name, "Does "+name+".", func(ctx context.Context, _ struct{}) (string, error) { return f(ctx) })
}

func says(name, text string) tools.Tool {
	return named(name, func(context.Context) (string, error) { return text, nil })
}

// counted is a tool that counts its runs.
func counted(name string, n *count, o tools.Options) tools.Tool {
	return tools.New(name, "", func(_ context.Context, in struct {
		To string `json:"to,omitempty"`
	},
	) (string, error) {
		n.add()
		return name + " done " + in.To, nil
	}).With(o)
}

// count counts in activities, which run side by side.
type count struct {
	mu sync.Mutex
	n  int
}

func (c *count) add() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *count) value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func quiet() sdklog.Logger {
	return sdklog.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// bare is where a flow runs without a server. Its clock jumps over every wait.
func bare() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet())
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 30 * time.Second}) // machines can be busy
	return env
}

// finished is what came of a workflow, and the environments of its executions.
type finished struct {
	out  *temporal.Outcome
	err  error
	envs []*testsuite.TestWorkflowEnvironment
}

// execute runs a flow, named "clerk", to its end, over all its executions.
// prepare gets each environment before it runs.
func execute(t *testing.T, flow *temporal.Flow, in temporal.Input, prepare func(n int, env *testsuite.TestWorkflowEnvironment)) finished {
	t.Helper()
	return executeIn(t, in, func(n int) *testsuite.TestWorkflowEnvironment {
		env := bare()
		flow.Register(env)
		if prepare != nil {
			prepare(n, env)
		}
		return env
	})
}

// executeIn is execute in environments that are given.
func executeIn(t *testing.T, in temporal.Input, open func(n int) *testsuite.TestWorkflowEnvironment) finished {
	t.Helper()
	var f finished
	for n := range 50 {
		env := open(n)
		f.envs = append(f.envs, env)
		env.ExecuteWorkflow("clerk", in)
		if !env.IsWorkflowCompleted() {
			t.Fatal("the workflow did not end")
		}
		next, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
		if !ok {
			break
		}
		in = temporal.Input{}
		if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
			t.Fatal(err)
		}
	}
	env := f.envs[len(f.envs)-1]
	if f.err = env.GetWorkflowError(); f.err == nil {
		f.err = env.GetWorkflowResult(&f.out)
	}
	return f
}

// run is execute for runs that end well, in one execution.
func run(t *testing.T, flow *temporal.Flow, prepare func(env *testsuite.TestWorkflowEnvironment)) *temporal.Outcome {
	t.Helper()
	f := execute(t, flow, temporal.Input{Messages: []chat.Message{hello}}, func(_ int, env *testsuite.TestWorkflowEnvironment) {
		if prepare != nil {
			prepare(env)
		}
	})
	if f.err != nil {
		t.Fatal(f.err)
	}
	if len(f.envs) > 1 {
		t.Errorf("%d executions", len(f.envs))
	}
	return f.out
}

// stops runs a flow that ends without an answer.
func stops(t *testing.T, flow *temporal.Flow, want agent.Reason, prepare func(env *testsuite.TestWorkflowEnvironment)) *agent.StopError {
	t.Helper()
	f := execute(t, flow, temporal.Input{Messages: []chat.Message{hello}}, func(_ int, env *testsuite.TestWorkflowEnvironment) {
		if prepare != nil {
			prepare(env)
		}
	})
	stop, ok := temporal.Stopped(f.err)
	if !ok {
		t.Fatalf("ended with %v and %+v", f.err, f.out)
	}
	if stop.Reason != want || stop.Result.Reason != want {
		t.Fatalf("ended with %q: %v; want %q", stop.Reason, stop, want)
	}
	return stop
}

func clerk(bot agent.Agent) *temporal.Flow {
	return temporal.New(temporal.Config{Name: "clerk", Agent: bot})
}

// ask is a query's answer.
func ask[T any](t *testing.T, env *testsuite.TestWorkflowEnvironment, query string) T {
	t.Helper()
	var out T
	v, err := env.QueryWorkflow(query)
	if err == nil {
		err = v.Get(&out)
	}
	if err != nil {
		t.Errorf("%s: %v", query, err)
	}
	return out
}

// asJSON is for comparing what holds interfaces.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// told is what the model was told about its calls, in order.
func told(messages []chat.Message) []string {
	var out []string
	for _, m := range messages {
		for _, p := range m.Parts {
			if r, ok := p.(chat.ToolResult); ok {
				out = append(out, chat.Message{Parts: r.Parts}.Text())
			}
		}
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
