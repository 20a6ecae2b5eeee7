// Extract reads a struct out of a text: the schema is made from the type, and
// the answer is held against it.
//
//	go run ./examples/extract -provider openai -model gpt-4.1
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func main() { demo.Main("openai", "gpt-4.1", extract) }

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
