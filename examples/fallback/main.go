// Fallback answers although the first provider is down: the second one is asked,
// and the reply says so. A breaker then leaves the first one alone for a while.
//
//	go run ./examples/fallback -provider openai
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/middleware"
)

func main() {
	demo.Main("openai", "gpt-4.1", func(ctx context.Context, w io.Writer, eng engine.Engine) error {
		return answer(ctx, w, down(), eng)
	})
}

// down is a provider at an address where nobody listens.
func down() engine.Engine {
	return engine.NewAnthropic(engine.Config{
		BaseURL: "http://127.0.0.1:1", APIKey: "any", Model: "claude-sonnet-4-5",
		MaxAttempts: 1, // to go on at once; three attempts are the default
	})
}

func answer(ctx context.Context, w io.Writer, first, second engine.Engine) error {
	breaker := middleware.Breaker(middleware.BreakerConfig{Failures: 1}) // to see it open; five are the default
	client := sabir.New(middleware.Fallback(breaker(first), breaker(second)))
	for range 2 {
		reply, err := client.Ask(ctx, "Where is the Gravensteen?")
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", reply.Engine, reply.Text())
		for _, warning := range reply.Warnings {
			fmt.Fprintln(w, "-", warning.Message)
		}
	}
	return nil
}
