// Package agent runs the loop between a model and its tools: it calls the
// model, runs the tools that it asks for, and goes on until it stops asking or
// a limit is reached. A [Policy] says, step by step, what the model must and
// may do.
//
//	bot := agent.Agent{
//		Model:  sabir.New(engine.NewAnthropic(engine.Config{Model: "claude-sonnet-4-5"})),
//		Tools:  tools.NewSet(extract, enrich),
//		Policy: agent.All(agent.First("extract"), agent.Requires("enrich", "extract")),
//	}
//	result, err := bot.Run(ctx, chat.User("File this paper."))
//
// A run can stop and go on: for somebody's approval, at a limit, after a crash;
// see [Agent.Resume] and [Store].
//
// An Agent at rest is plain data, half a kilobyte. A run that waits in a tool
// call, with its stream and the simulator that answered it, takes about 40 KB,
// stacks included; it has one goroutine of its own for each running call.
//
// [AsTool] makes an agent a tool of another; [Sequential], [Parallel] and [Loop]
// make a flow of several. [ControlTools] are tools by which the model itself
// steers its run.
package agent
