// Errors shows the kinds of failure, and what a program can do about each:
// what can't be had is refused before anything is sent; what the provider says
// no to, or later, comes back typed.
//
//	go run ./examples/errors
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

func main() {
	server, err := sim.Start(sim.Options{Turns: []sim.Turn{sim.Fails(529, "Overloaded"), sim.Says("hello")}})
	if err == nil {
		err = errors.Join(run(context.Background(), os.Stdout, server.BaseURL("anthropic")), server.Close())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, baseURL string) error {
	eng := engine.NewAnthropic(engine.Config{
		BaseURL: baseURL, APIKey: "any", Model: "claude-sonnet-4-5",
		MaxAttempts: 1, // to see the failure; three attempts are the default
	})
	req := &chat.Request{
		Messages:   chat.Prompt("Where is the Gravensteen?"),
		Tools:      []chat.ToolDef{{Name: "place", Schema: []byte(`{"type":"object"}`)}},
		ToolChoice: toolchoice.Tool("place"),
		Thinking:   chat.ThinkingConfig{Mode: chat.ThinkingOn},
	}
	_, err := eng.Chat(ctx, req)
	if errors.Is(err, chat.ErrUnsupported) { // nothing was sent
		fmt.Fprintln(w, err)
		req.Thinking.Mode = chat.ThinkingOff
	}
	_, err = eng.Chat(ctx, req)
	if e, ok := errors.AsType[*chat.Error](err); ok && e.Retryable {
		fmt.Fprintln(w, "later:", e.Status, e.Type, e.RetryAfter)
	}
	req.ToolChoice = toolchoice.None()
	reply, err := eng.Chat(ctx, req)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, reply.Text())
	return nil
}
