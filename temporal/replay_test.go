package temporal_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/tools"
)

// replay runs a workflow's code against a history that a server recorded.
func replay(t *testing.T, flow *temporal.Flow, file string) error {
	t.Helper()
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(flow.Workflow, workflow.RegisterOptions{Name: "clerk"})
	return r.ReplayWorkflowHistoryFromJSONFile(quiet(), file)
}

// TestReplays: the code does today what it did when a server recorded it. A
// change that breaks this breaks all runs that are under way; see record_test.go
// for how the histories came about.
func TestReplays(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		files, err := filepath.Glob(filepath.Join("testdata", "history", s.name+".*.json"))
		if err != nil || len(files) != s.executions {
			t.Fatalf("%s: %d histories, want %d; %v", s.name, len(files), s.executions, err)
		}
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				if err := replay(t, s.flow(), file); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestOtherAgentsDoNotReplay: the replays above would notice a change.
func TestOtherAgentsDoNotReplay(t *testing.T) {
	t.Parallel()
	history := filepath.Join("testdata", "history", "tools.1.json")
	set := tools.NewSet(says("a", "x"), says("b", "y"))
	stop := func(agent.Step) bool { return true }
	for name, flow := range map[string]*temporal.Flow{
		"a tool is missing":          clerk(agent.Agent{Model: scripted(), Tools: tools.NewSet(says("a", "x"))}),
		"a tool needs approval":      clerk(agent.Agent{Model: scripted(), Tools: set, Policy: agent.NeedsApproval("b")}),
		"the run ends earlier":       clerk(agent.Agent{Model: scripted(), Tools: set, StopWhen: stop}),
		"the run is continued early": temporal.New(temporal.Config{Name: "clerk", Replies: 1, Agent: agent.Agent{Model: scripted(), Tools: set}}),
	} {
		if err := replay(t, flow, history); err == nil || !strings.Contains(err.Error(), "TMPRL1100") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
