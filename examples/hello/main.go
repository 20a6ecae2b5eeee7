// Hello asks a model and prints its answer. It runs on the simulator; with
// -provider it asks a real provider, with the key from the environment:
//
//	go run ./examples/hello -provider openai -model gpt-4.1
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func main() {
	provider := flag.String("provider", "", "real provider to ask; empty: the simulator")
	model := flag.String("model", "gpt-4.1", "model to ask")
	flag.Parse()
	eng, done, err := demo.Single(*provider, "openai", *model)
	if err != nil {
		log.Fatal(err)
	}
	defer done()
	if err := hello(context.Background(), os.Stdout, eng); err != nil {
		log.Print(err)
	}
}

func hello(ctx context.Context, w io.Writer, eng engine.Engine) error {
	reply, err := sabir.New(eng).Ask(ctx, "Say hello in Dutch.")
	if err == nil {
		fmt.Fprintln(w, reply.Text())
	}
	return err
}
