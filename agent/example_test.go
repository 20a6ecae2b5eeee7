package agent_test

import (
	"context"
	"fmt"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

func ExampleAgent_Run() {
	bot := agent.Agent{
		Model: enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Says("It is 4 °C in Ghent.")),
		Tools: tools.NewSet(weather),
	}
	result, err := bot.Run(context.Background(), chat.User("What is the weather in Ghent?"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	fmt.Println(result.Reason, "after", len(result.Steps), "steps")
	// Output:
	// It is 4 °C in Ghent.
	// answered after 2 steps
}

func ExampleAgent_Stream() {
	bot := agent.Agent{
		Model: enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Says("Cold.")),
		Tools: tools.NewSet(weather),
	}
	for ev, err := range bot.Stream(context.Background(), chat.User("What is the weather in Ghent?")) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev := ev.(type) {
		case agent.Delta:
			if t, ok := ev.Event.(chat.TextDelta); ok {
				fmt.Println("text:", t.Text)
			}
		case agent.CallStarted:
			fmt.Printf("run: %s(%s)\n", ev.Call.Name, ev.Call.Arguments)
		case agent.Compacted, agent.StepStarted, agent.Nested, agent.CallFinished, agent.StepFinished, agent.Done:
		}
	}
	// Output:
	// run: get_weather({"city":"Ghent"})
	// text: Cold.
}

// The first tool is forced, and the second can't run before it, whatever the
// model tries.
func ExampleAll() {
	extract := tools.New("extract", "Extracts metadata.", func(context.Context, struct{}) (string, error) { return "year: 1180", nil })
	enrich := tools.New("enrich", "Looks up more.", func(context.Context, struct{}) (string, error) { return "built by Philip", nil })
	bot := agent.Agent{
		Model: enginetest.New(
			enginetest.Calls("extract", nil),
			sim.Turn{Calls: []sim.ToolCall{{Name: "enrich"}, {Name: "enrich"}}},
			enginetest.Says("Filed."),
		),
		Tools:  tools.NewSet(extract, enrich),
		Policy: agent.All(agent.First("extract"), agent.Requires("enrich", "extract"), agent.MaxCalls("enrich", 1)),
	}
	result, err := bot.Run(context.Background(), chat.User("File this paper."))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range result.Steps {
		for _, call := range step.Calls {
			fmt.Println(step.ToolChoice, call.Name, call.Outcome)
		}
	}
	// Output:
	// tool(extract) extract succeeded
	// unset enrich succeeded
	// unset enrich refused
}

// A run can be looked at before it is paid for.
func ExampleAgent_Plan() {
	bot := agent.Agent{Model: enginetest.New(), Tools: tools.NewSet(weather), Policy: agent.First("get_weather")}
	plans, err := bot.Plan(chat.User("What is the weather in Ghent?"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(plans), "steps are known; the first goes to", plans[0].Model)
	// Output:
	// 2 steps are known; the first goes to fake-model
}
