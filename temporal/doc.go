// Package temporal runs an agent as a Temporal workflow. Its model calls and its
// tools are activities: they are retried, and a run survives the loss of any
// worker without doing anything twice that it has done. Approval is a signal, and
// a long run goes on in a new execution before its history gets too long. It
// stands in a module of its own, so that nobody else downloads the Temporal SDK.
//
// The agent is the one that runs anywhere else:
//
//	flow := temporal.New(temporal.Config{Name: "clerk", Agent: agent.Agent{
//		Model:  sabir.New(engine.NewAnthropic(engine.Config{Model: "claude-sonnet-4-5", MaxAttempts: 1})),
//		Tools:  tools.NewSet(search, pay), // pay: tools.Options{NeedsApproval: true, SideEffects: true}
//		Policy: agent.First("search"),
//	}})
//
//	w := worker.New(c, "agents", worker.Options{}) // c: client.Client
//	flow.Register(w)
//	err := w.Run(worker.InterruptCh())
//
// A run is started under the flow's name, from any program:
//
//	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "agents"}, "clerk",
//		temporal.Input{Messages: chat.Prompt("Pay the invoice of the baker.")})
//	…
//	err = c.SignalWorkflow(ctx, run.GetID(), "", temporal.VerdictsSignal, []agent.Verdict{agent.Approve(id)})
//	…
//	var out temporal.Outcome
//	err = run.Get(ctx, &out) // see Stopped
//
// # What must be deterministic
//
// Temporal repeats the workflow's code to get back to where it was. Of an agent,
// Policy, StopWhen, Price and a tool's ApprovalFor are part of that code: they
// must depend on their arguments only. So must all that shapes a run: a new
// version of an agent can't go on with the executions of the old one, unless
// workers are versioned. Model and tools are free to do what they like; they see
// the context of an activity, not that of the run.
//
// # Attempts
//
// A failed model call is retried by the policy of [Config.ModelCall], after the
// wait that the provider asked for, if its error says that it may succeed later.
// Let engines make one attempt (MaxAttempts: 1): then a wait takes no slot of a
// worker, and each attempt is seen.
//
// What a tool's function returns is the call's result, an error as well as an
// answer: it is for the model to decide what to do about it, as in any other run.
// Only a call whose worker was lost, or that ran out of time, is retried. If its
// tool has side effects (tools.Options.SideEffects), it is not: the model is told
// that its outcome is unknown.
//
// # Sizes
//
// Every model call carries the conversation, so history grows with its square
// until the run is continued as new; see [Config.Replies]. Temporal takes 2 MB
// for one payload, and what is carried over is about twice the conversation. For
// more, give all clients a data converter that stores large payloads elsewhere
// and sends their address (a claim check).
package temporal
