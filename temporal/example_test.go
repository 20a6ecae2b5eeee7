package temporal_test

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/tools"
)

// In a program, flow.Register is given a worker; here it is the SDK's test
// environment, in which two days are no time.
func ExampleFlow() {
	type payment struct {
		To  string `json:"to"`
		Sum int    `json:"sum"`
	}
	pay := tools.New("pay", "Pays an invoice.", func(_ context.Context, p payment) (string, error) {
		return fmt.Sprintf("paid %d € to %s", p.Sum, p.To), nil
	}).With(tools.Options{NeedsApproval: true, SideEffects: true})
	flow := temporal.New(temporal.Config{Name: "clerk", Agent: agent.Agent{
		Model: enginetest.New(enginetest.Calls("pay", payment{"the baker", 70}), enginetest.Says("It is paid.")),
		Tools: tools.NewSet(pay),
	}})

	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet())
	env := suite.NewTestWorkflowEnvironment()
	flow.Register(env)
	env.RegisterDelayedCallback(func() {
		var pending []agent.Pending
		if v, err := env.QueryWorkflow(temporal.PendingQuery); err != nil || v.Get(&pending) != nil {
			return
		}
		for _, p := range pending {
			fmt.Println("agreed to", p.Name, string(p.Arguments))
			env.SignalWorkflow(temporal.VerdictsSignal, []agent.Verdict{agent.Approve(p.ID)})
		}
	}, 48*time.Hour)
	env.ExecuteWorkflow("clerk", temporal.Input{Messages: chat.Prompt("Pay the invoice of the baker.")})

	var out temporal.Outcome
	if err := env.GetWorkflowResult(&out); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Reason, out.Text)
	// Output:
	// agreed to pay {"to":"the baker","sum":70}
	// answered It is paid.
}

// A worker runs the flow; any client starts a run and reads its end.
func ExampleNew() {
	clerk := func(ctx context.Context, bot agent.Agent) error {
		c, err := client.Dial(client.Options{})
		if err != nil {
			return err
		}
		defer c.Close()
		w := worker.New(c, "agents", worker.Options{})
		temporal.New(temporal.Config{Name: "clerk", Agent: bot}).Register(w)
		if err := w.Start(); err != nil {
			return err
		}
		defer w.Stop()

		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "agents"}, "clerk",
			temporal.Input{Messages: chat.Prompt("Pay the invoice of the baker.")})
		if err != nil {
			return err
		}
		var out temporal.Outcome
		err = run.Get(ctx, &out)
		if stop, ok := temporal.Stopped(err); ok {
			return stop // such as agent.StopSteps, with errors of package chat below it
		}
		fmt.Println(out.Text)
		return err
	}
	_ = clerk
}
