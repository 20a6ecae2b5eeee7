// Durable books a journey in three steps and survives being killed: started
// again, it goes on where it was. A booking that was cut off is not repeated on
// a guess: the model is told that its outcome is unknown.
//
//	go run ./examples/durable -dir /tmp/runs   # press Ctrl-C, or kill -9
//	go run ./examples/durable -dir /tmp/runs   # goes on
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/tools"
)

func main() {
	dir := flag.String("dir", "runs", "where runs are kept")
	takes := flag.Duration("takes", time.Second, "how long a booking takes")
	demo.Main("openai", "gpt-4.1", func(ctx context.Context, w io.Writer, model engine.Engine) error {
		return journey(ctx, w, model, agent.FileStore{Dir: *dir}, *takes)
	})
}

type booking struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func journey(ctx context.Context, w io.Writer, model engine.Engine, store agent.Store, takes time.Duration) error {
	book := func(what string) tools.Tool {
		return tools.New("book_"+what, "Books a "+what+".", func(_ context.Context, in booking) (string, error) {
			fmt.Fprintln(w, "booking a", what)
			time.Sleep(takes)
			fmt.Fprintln(w, "booked a", what)
			return "a " + what + " from " + in.From + " to " + in.To, nil
		}).With(tools.Options{SideEffects: true})
	}
	bot := agent.Agent{
		Model: model, Store: store, RunID: "journey",
		Tools:  tools.NewSet(book("train"), book("ship"), book("room")),
		Policy: agent.Sequence("book_train", "book_ship", "book_room"),
	}
	state, err := agent.Load(ctx, store, bot.RunID)
	run := bot.ResumeStream(ctx, state)
	if errors.Is(err, agent.ErrNoRun) {
		run = bot.Stream(ctx, chat.User("Book me a journey from Ghent to Tunis."))
	} else if err != nil {
		return err
	}
	for ev, err := range run {
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case agent.CallFinished:
			fmt.Fprintln(w, ev.Name, ev.Outcome)
		case agent.Done:
			fmt.Fprintln(w, len(ev.Result.Steps), "steps:", ev.Result.Text())
		case agent.Compacted, agent.Nested, agent.StepStarted, agent.Delta, agent.CallStarted, agent.StepFinished:
		}
	}
	return nil
}
