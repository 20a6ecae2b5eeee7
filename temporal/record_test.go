package temporal_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/tools"
)

// The histories in testdata come from Temporal Server 1.32.1, recorded
// 2026-11-30 by this test. To record them anew, with a server that listens on
// loopback (such as "temporal server start-dev"):
//
//	go test -run TestRecord -server 127.0.0.1:7233
var (
	server    = flag.String("server", "", "address of a Temporal server: record histories")
	namespace = flag.String("namespace", "default", "its namespace")
)

// scenario is a run of which there is a history.
type scenario struct {
	name       string
	executions int
	flow       func() *temporal.Flow
	// drive does what people do while it runs; nil: nothing.
	drive func(t *testing.T, c client.Client, id string)
	want  agent.Reason
}

func scenarios() []scenario {
	return []scenario{
		{"tools", 1, func() *temporal.Flow {
			return clerk(agent.Agent{
				Model: scripted(calls("a", "b", "a"), calls("nothing"), calls("b"), text("fine")), Tools: tools.NewSet(says("a", "x"), says("b", "y")),
			})
		}, nil, agent.StopAnswered},
		{"policy", 1, func() *temporal.Flow {
			return clerk(agent.Agent{
				Model: enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Fails(503, "full"), enginetest.Says("Cold.")),
				Tools: tools.NewSet(weather), Policy: agent.First("get_weather"),
			})
		}, nil, agent.StopAnswered},
		{"approval", 1, approvals, approve, agent.StopAnswered},
		{"continued", 3, func() *temporal.Flow {
			set := tools.NewSet(says("a", "x"), says("pay", "paid").With(tools.Options{NeedsApproval: true, SideEffects: true}))
			return temporal.New(temporal.Config{Name: "clerk", Replies: 1, Agent: agent.Agent{
				Model: scripted(calls("a", "a"), calls("pay"), text("fine")), Tools: set,
			}})
		}, approve, agent.StopAnswered},
		{"limit", 1, func() *temporal.Flow {
			return clerk(agent.Agent{Model: scripted(calls("a")), Tools: tools.NewSet(says("a", "x")), Limits: agent.Limits{Steps: 1}})
		}, nil, agent.StopSteps},
		{"cancelled", 1, approvals, func(t *testing.T, c client.Client, id string) {
			t.Helper()
			pending(t, c, id)
			if err := c.CancelWorkflow(t.Context(), id, ""); err != nil {
				t.Error(err)
			}
		}, agent.StopCancelled},
		{"cancelled-at-work", 1, func() *temporal.Flow {
			set := tools.NewSet(named("slow", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }))
			return temporal.New(temporal.Config{
				Name: "clerk", ToolCall: brisk, Agent: agent.Agent{Model: scripted(calls("slow", "slow")), Tools: set},
			})
		}, func(t *testing.T, c client.Client, id string) {
			t.Helper()
			eventually(t, func() bool {
				d, err := c.DescribeWorkflow(t.Context(), id, "")
				return err == nil && len(d.RawResponse.GetPendingActivities()) == 2
			})
			if err := c.CancelWorkflow(t.Context(), id, ""); err != nil {
				t.Error(err)
			}
		}, agent.StopCancelled},
	}
}

func approvals() *temporal.Flow {
	set := tools.NewSet(says("a", "x"), says("pay", "paid").With(tools.Options{NeedsApproval: true, SideEffects: true}), tools.External("ask", "", nil))
	return clerk(agent.Agent{Model: scripted(calls("pay", "a", "ask"), text("hm"), text("fine")), Tools: set})
}

// approve agrees to all that waits, and answers questions, until the run ends.
func approve(t *testing.T, c client.Client, id string) {
	t.Helper()
	signal := func(name string, arg any) {
		if err := c.SignalWorkflow(t.Context(), id, "", name, arg); err != nil {
			t.Error(err)
		}
	}
	waits := pending(t, c, id)
	signal(temporal.VerdictsSignal, []agent.Verdict{agent.Approve("nothing")})
	signal(temporal.MessagesSignal, []chat.Message{chat.User("Hurry!")})
	for _, p := range waits {
		v := agent.Approve(p.ID)
		if p.External {
			v = agent.Answer(p.ID, "blue")
		}
		signal(temporal.VerdictsSignal, []agent.Verdict{v})
	}
}

func pending(t *testing.T, c client.Client, id string) (waits []agent.Pending) {
	t.Helper()
	eventually(t, func() bool {
		v, err := c.QueryWorkflow(t.Context(), id, "", temporal.PendingQuery)
		return err == nil && v.Get(&waits) == nil && len(waits) > 0
	})
	return waits
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for range 600 {
		if is() {
			return
		}
		time.Sleep(50 * time.Millisecond) // the server has a clock of its own
	}
	t.Fatal("it never came")
}

// TestRecord runs the scenarios on a server. Workers keep no workflow in memory:
// each step is replayed from its history.
func TestRecord(t *testing.T) { //nolint:paralleltest // the cache of workflows is the process's
	if *server == "" {
		return
	}
	worker.SetStickyWorkflowCacheSize(0)
	c, err := client.Dial(client.Options{HostPort: *server, Namespace: *namespace, Identity: "recorder", Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, s := range scenarios() {
		record(t, c, s)
	}
}

func record(t *testing.T, c client.Client, s scenario) {
	t.Helper()
	w := worker.New(c, "agents-"+s.name, worker.Options{})
	s.flow().Register(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	id := fmt.Sprintf("%s-%d", s.name, time.Now().UnixNano())
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "agents-" + s.name}, "clerk",
		temporal.Input{Messages: []chat.Message{hello}})
	if err != nil {
		t.Fatal(err)
	}
	first := run.GetRunID()
	if s.drive != nil {
		s.drive(t, c, id)
	}
	var out temporal.Outcome
	if err := run.Get(t.Context(), &out); err != nil {
		stop, ok := temporal.Stopped(err)
		if !ok {
			t.Fatal(err)
		}
		out.Reason = stop.Reason
	}
	if out.Reason != s.want {
		t.Fatalf("%s: ended with %q", s.name, out.Reason)
	}
	runs := []string{first}
	for len(runs[len(runs)-1]) > 0 {
		runs = append(runs, save(t, c, s.name, id, len(runs), runs[len(runs)-1]))
	}
	if n := len(runs) - 1; n != s.executions {
		t.Errorf("%s: %d executions", s.name, n)
	}
}

// save writes the history of one execution, and returns the next one's id.
func save(t *testing.T, c client.Client, name, id string, n int, run string) (next string) {
	t.Helper()
	var h history.History
	for events := c.GetWorkflowHistory(t.Context(), id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		h.Events = append(h.Events, e)
		next = e.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	}
	raw, err := protojson.MarshalOptions{Indent: " "}.Marshal(&h)
	if err == nil {
		err = os.WriteFile(filepath.Join("testdata", "history", fmt.Sprintf("%s.%d.json", name, n)), slices.Concat(raw, []byte("\n")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return next
}
