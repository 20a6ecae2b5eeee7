// Parallel runs the calls of one reply side by side and gives the results back
// in their order: three look-ups of half a second take half a second.
//
//	go run ./examples/parallel -provider openai -model gpt-4.1
package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

func main() { demo.Main("openai", "gpt-4.1", compare, script...) }

var script = []sim.Turn{
	{Calls: []sim.ToolCall{look("Ghent"), look("Lisbon"), look("Tunis")}},
	sim.Says("Tunis is the warmest."),
}

func look(city string) sim.ToolCall { return sim.Calls("get_weather", place{city}).Calls[0] }

type place struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

var degrees = map[string]int{"Ghent": 4, "Lisbon": 15, "Tunis": 19}

var weather = tools.New("get_weather", "Current weather in a city.",
	func(ctx context.Context, in place) (string, error) {
		select {
		case <-time.After(time.Second / 2):
			return fmt.Sprintf("%d °C", degrees[in.City]), nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}).With(tools.Options{Timeout: 5 * time.Second})

func compare(ctx context.Context, w io.Writer, model engine.Engine) error {
	bot := agent.Agent{Model: model, Tools: tools.NewSet(weather)}
	result, err := bot.Run(ctx, chat.User("Where is it warmest now: Ghent, Lisbon or Tunis?"))
	if err != nil {
		return err
	}
	for _, s := range result.Steps {
		var total time.Duration
		for _, c := range s.Calls {
			total += c.Duration
			fmt.Fprintln(w, string(c.Arguments), chat.Message{Parts: c.Result.Parts}.Text())
		}
		if len(s.Calls) > 1 {
			fmt.Fprintf(w, "%d calls of %v in all took %v\n", len(s.Calls), total.Round(time.Second/10), s.Duration.Round(time.Second/10))
		}
	}
	fmt.Fprintln(w, result.Text())
	return nil
}
