// Hello asks a model and prints its answer. It runs on the simulator; with
// -provider it asks a real provider, with the key from the environment:
//
//	go run ./examples/hello -provider openai -model gpt-4.1
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func main() { demo.Main("openai", "gpt-4.1", hello) }

func hello(ctx context.Context, w io.Writer, eng engine.Engine) error {
	reply, err := sabir.New(eng).Ask(ctx, "Say hello in Dutch.")
	if err == nil {
		fmt.Fprintln(w, reply.Text())
	}
	return err
}
