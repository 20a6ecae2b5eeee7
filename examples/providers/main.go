// Providers runs the same code on two providers: only the constructor differs.
//
//	go run ./examples/providers
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

func main() {
	if err := start(); err != nil {
		log.Fatal(err)
	}
}

// start uses the simulator unless there are keys for both.
func start() error {
	openAI, anthropic := engine.Config{Model: "gpt-4.1"}, engine.Config{Model: "claude-sonnet-4-5"}
	if os.Getenv("OPENAI_API_KEY") == "" || os.Getenv("ANTHROPIC_API_KEY") == "" {
		server, err := sim.Start(sim.Options{})
		if err != nil {
			return err
		}
		defer server.Close()
		openAI.BaseURL, anthropic.BaseURL = server.BaseURL("openai"), server.BaseURL("anthropic")
		openAI.APIKey, anthropic.APIKey = "any", "any"
	}
	return both(context.Background(), os.Stdout, openAI, anthropic)
}

func both(ctx context.Context, w io.Writer, openAI, anthropic engine.Config) error {
	for _, eng := range []engine.Engine{engine.NewOpenAI(openAI), engine.NewAnthropic(anthropic)} {
		reply, err := sabir.New(eng).Ask(ctx, "Where is the Gravensteen?")
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", eng.Name(), reply.Text())
	}
	return nil
}
