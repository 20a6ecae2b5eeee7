// Unittest has a function that asks a model, and a test of it that needs no
// network and no key: see main_test.go.
//
//	go run ./examples/unittest
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/sabir-go/sabir"
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
	text, err := answer(context.Background(), sabir.New(eng), "Where is the Gravensteen?")
	fmt.Println(text, err)
}

// answer is what the test tests.
func answer(ctx context.Context, client *sabir.Client, question string) (string, error) {
	reply, err := client.Ask(ctx, question)
	if err != nil {
		return "", err
	}
	return reply.Text(), nil
}
