// Stream prints an answer as it comes. A stream that was cut is an error, not
// a short answer.
//
//	go run ./examples/stream -provider anthropic -model claude-sonnet-4-5
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

func main() { demo.Main("anthropic", "claude-sonnet-4-5", tell) }

func tell(ctx context.Context, w io.Writer, eng engine.Engine) error {
	for text, err := range chat.Texts(sabir.New(eng).AskStream(ctx, "Tell me about the Gravensteen.")) {
		if err != nil {
			return err
		}
		fmt.Fprint(w, text)
	}
	return nil
}
