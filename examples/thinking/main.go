// Thinking shows what Claude thinks while it uses a tool. The signatures on its
// thoughts go back as they came, or Anthropic would refuse the second step.
//
//	go run ./examples/thinking -provider anthropic
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

func main() { demo.Main("anthropic", "claude-sonnet-4-5", think) }

type place struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

var weather = tools.New("get_weather", "Current weather in a city.",
	func(_ context.Context, in place) (string, error) { return "4 °C and rain in " + in.City, nil })

func think(ctx context.Context, w io.Writer, model engine.Engine) error {
	bot := agent.Agent{Model: model, Tools: tools.NewSet(weather)}
	bot.Request.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOn, Show: true}
	result, err := bot.Run(ctx, chat.User("What is the weather in Ghent?"))
	if err == nil {
		fmt.Fprintf(w, "thoughts: %s\nanswer: %s\n", result.Thoughts(), result.Text())
	}
	return err
}
