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
package agent
