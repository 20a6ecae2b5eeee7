// Extract reads a struct out of a text: the schema is made from the type, and
// the answer is held against it.
//
//	go run ./examples/extract -provider openai -model gpt-4.1
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
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
	if err := extract(context.Background(), os.Stdout, eng); err != nil {
		log.Print(err)
	}
}

type castle struct {
	Name string `json:"name"`
	Year int    `json:"year" jsonschema:"the year in which it was built"`
}

func extract(ctx context.Context, w io.Writer, eng engine.Engine) error {
	c, _, err := sabir.Generate[castle](ctx, sabir.New(eng), &chat.Request{Messages: chat.Prompt("Philip built the Gravensteen in 1180.")})
	if err == nil {
		fmt.Fprintln(w, c.Name, c.Year)
	}
	return err
}
