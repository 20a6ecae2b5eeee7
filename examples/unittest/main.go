// Unittest has a function that asks a model, and a test of it that needs no
// network and no key: see main_test.go.
//
//	go run ./examples/unittest
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func main() {
	demo.Main("openai", "gpt-4.1", func(ctx context.Context, w io.Writer, eng engine.Engine) error {
		text, err := answer(ctx, sabir.New(eng), "Where is the Gravensteen?")
		if err == nil {
			fmt.Fprintln(w, text)
		}
		return err
	})
}

// answer is what the test tests.
func answer(ctx context.Context, client *sabir.Client, question string) (string, error) {
	reply, err := client.Ask(ctx, question)
	if err != nil {
		return "", err
	}
	return reply.Text(), nil
}
