package agent_test

import (
	"context"
	"fmt"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/tools"
)

// An agent is a tool of another, and what it does is seen in the other's stream.
func ExampleAsTool() {
	meteorologist := &agent.Agent{
		Model: enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Says("Cold.")),
		Tools: tools.NewSet(weather),
	}
	bot := agent.Agent{
		Model: enginetest.New(
			enginetest.Calls("ask_meteorologist", map[string]string{"task": "How is it in Ghent?"}),
			enginetest.Says("Take a coat."),
		),
		Tools: tools.NewSet(agent.AsTool("ask_meteorologist", "Knows the weather.", meteorologist)),
	}
	for ev, err := range bot.Stream(context.Background(), chat.User("What do I wear in Ghent?")) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev := ev.(type) {
		case agent.Nested:
			if call, ok := ev.Event.(agent.CallStarted); ok {
				fmt.Println(ev.Name, "calls", call.Call.Name)
			}
		case agent.CallFinished:
			fmt.Println(ev.Name, "says", said(ev.Call))
		case agent.Done:
			fmt.Println(ev.Result.Text())
		case agent.Compacted, agent.StepStarted, agent.Delta, agent.CallStarted, agent.StepFinished:
		}
	}
	// Output:
	// ask_meteorologist calls get_weather
	// ask_meteorologist says Cold.
	// Take a coat.
}

// What one agent answers is what the next is asked.
func ExampleSequential() {
	writer := &agent.Agent{Model: enginetest.New(enginetest.Says("It rains very much in Ghent."))}
	editor := &agent.Agent{Model: enginetest.New(enginetest.Says("Ghent is wet."))}
	flow := agent.Sequential{writer, editor}
	result, err := agent.Run(context.Background(), flow, chat.User("Write about the weather in Ghent."))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range result.Runs {
		fmt.Println(run.Text())
	}
	fmt.Println(result.Reason)
	// Output:
	// It rains very much in Ghent.
	// Ghent is wet.
	// answered
}

// The agents of a flow write into one value, whose type is the caller's.
func ExampleShared() {
	type report struct{ Cities []string }
	note := tools.New("note", "Notes a city.", func(ctx context.Context, in city) (string, error) {
		shared, _ := agent.SharedIn[report](ctx)
		shared.Do(func(r *report) { r.Cities = append(r.Cities, in.City) })
		return "noted", nil
	})
	noting := func(name string) *agent.Agent {
		return &agent.Agent{
			Model: enginetest.New(enginetest.Calls("note", city{name}), enginetest.Says("Done.")),
			Tools: tools.NewSet(note),
		}
	}
	var shared agent.Shared[report]
	flow := agent.Parallel{Runners: []agent.Runner{noting("Ghent"), noting("Bruges")}}
	if _, err := agent.Run(shared.In(context.Background()), flow, chat.User("Note a city.")); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(shared.Value().Cities), "cities")
	// Output:
	// 2 cities
}

// A run that asks the user stops, and goes on with the answer, in another process
// if need be.
func ExampleControlTools() {
	bot := agent.Agent{
		Model: enginetest.New(
			enginetest.Calls("ask_user", map[string]string{"question": "Which Ghent?"}),
			enginetest.Says("Cold, in Kentucky too."),
		),
		Allow: agent.ControlTools{AskUser: true},
	}
	result, err := bot.Run(context.Background(), chat.User("How is the weather in Ghent?"))
	fmt.Println(result.Reason, err != nil)
	state, err := result.State()
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err = bot.Resume(context.Background(), state, agent.Answer(result.Pending[0].ID, "The one in Kentucky."))
	fmt.Println(result.Text(), err)
	// Output:
	// question true
	// Cold, in Kentucky too. <nil>
}
