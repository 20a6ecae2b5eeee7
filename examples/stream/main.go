// Stream prints an answer as it comes. A stream that was cut is an error, not
// a short answer.
//
//	go run ./examples/stream -provider anthropic -model claude-sonnet-4-5
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
	model := flag.String("model", "claude-sonnet-4-5", "model to ask")
	flag.Parse()
	eng, done, err := demo.Single(*provider, "anthropic", *model)
	if err != nil {
		log.Fatal(err)
	}
	defer done()
	if err := tell(context.Background(), os.Stdout, eng); err != nil {
		log.Print(err)
	}
}

func tell(ctx context.Context, w io.Writer, eng engine.Engine) error {
	for text, err := range chat.Texts(sabir.New(eng).AskStream(ctx, "Tell me about the Gravensteen.")) {
		if err != nil {
			return err
		}
		fmt.Fprint(w, text)
	}
	return nil
}
