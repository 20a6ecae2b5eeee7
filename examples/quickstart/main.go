// Quickstart forces a typed tool and answers with its result; sends the same
// request to a provider that calls no tools; and shows how a request is
// refused before anything is sent. It needs no key: it runs on a simulator.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -engine gemini        (any name of engine.Catalog)
//	go run ./examples/quickstart -provider anthropic   (for real, with $ANTHROPIC_API_KEY)
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

type place struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

var weather = tools.New("get_weather", "Current weather in a city.",
	func(_ context.Context, in place) (string, error) { return "4 °C and rain in " + in.City, nil })

func main() {
	name := flag.String("engine", "anthropic", "engine to ask, on the simulator")
	provider := flag.String("provider", "", "engine to ask for real, with its key from the environment")
	model := flag.String("model", "", "model to ask; empty is one that the provider serves")
	flag.Parse()
	world, err := demo.Open(*provider)
	if err == nil {
		err = errors.Join(run(context.Background(), os.Stdout, world, cmp.Or(*provider, *name), *model), world.Close())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, world *demo.World, name, model string) error {
	req := chat.Request{
		Messages:   chat.Prompt("What is the weather in Ghent?"),
		Tools:      []chat.ToolDef{weather.Def},
		ToolChoice: toolchoice.Tool("get_weather"), // it happens, or it is refused
		Adapt:      chat.Adapt{ThinkingOff: true},  // for models that think unless told not to
	}
	for _, on := range []struct{ name, model string }{{name, model}, {"perplexity", "sonar"}} {
		eng, err := world.Engine(on.name, on.model)
		if err != nil {
			return err
		}
		if err := forceThenAnswer(ctx, w, sabir.New(eng), req); err != nil {
			return err
		}
	}
	return refused(w, world, req)
}

// forceThenAnswer makes the model call the tool, runs it, and lets the model
// answer freely.
func forceThenAnswer(ctx context.Context, w io.Writer, client *sabir.Client, req chat.Request) error {
	reply, err := client.Chat(ctx, &req)
	if err != nil {
		return err
	}
	for _, call := range reply.ToolCalls() {
		fmt.Fprintf(w, "%s called %s(%s), synthetic: %v\n", reply.Engine, call.Name, call.Arguments, call.Synthetic)
	}
	for _, step := range reply.Steps {
		fmt.Fprintf(w, "  because %s\n", step.Detail)
	}
	results, err := tools.NewSet(weather).Run(ctx, reply.ToolCalls())
	if err != nil {
		return err
	}
	req.Messages = append(req.Messages, reply.Message(), chat.Results(results...))
	req.ToolChoice = toolchoice.None() // now it must talk
	last, err := client.Chat(ctx, &req)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "  answer: %s\n\n", last.Text())
	return err
}

// refused asks for what Claude can't do, prints why, and shows the plan of
// what it can.
func refused(w io.Writer, world *demo.World, req chat.Request) error {
	eng, err := world.Engine("anthropic", "claude-sonnet-4-5")
	if err != nil {
		return err
	}
	req.Thinking, req.Adapt = chat.ThinkingConfig{Mode: chat.ThinkingOn}, chat.Adapt{}
	if _, err = eng.Plan(&req); !errors.Is(err, chat.ErrUnsupported) {
		return fmt.Errorf("this should have been refused: %w", err)
	}
	fmt.Fprintf(w, "%v\n\n", err)
	req.Adapt.ThinkingOff = true // permitted, it is said in the plan
	plan, err := eng.Plan(&req)
	if err == nil {
		fmt.Fprint(w, plan)
	}
	return err
}
