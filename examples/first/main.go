// First forces a tool on the first step, whatever the model would do, and then
// lets it answer freely.
//
//	go run ./examples/first -provider anthropic -model claude-sonnet-4-5
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/tools"
)

func main() { demo.Main("anthropic", "claude-sonnet-4-5", first) }

type place struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

var weather = tools.New("get_weather", "Current weather in a city.",
	func(_ context.Context, in place) (string, error) { return "4 °C and rain in " + in.City, nil })

func first(ctx context.Context, w io.Writer, model engine.Engine) error {
	bot := agent.Agent{Model: model, Tools: tools.NewSet(weather), Policy: agent.First("get_weather")}
	result, err := bot.Run(ctx, chat.User("Should I take an umbrella to Ghent?"))
	if err == nil {
		fmt.Fprintln(w, result.Text())
	}
	return err
}
