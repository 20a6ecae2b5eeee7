// Terminal is a conversation in a terminal: answers appear as they are written, and
// one that breaks off leaves the conversation as it was before.
//
//	go run ./examples/terminal -provider anthropic -model claude-sonnet-4-5
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func main() {
	demo.Main("anthropic", "claude-sonnet-4-5", func(ctx context.Context, w io.Writer, eng engine.Engine) error {
		return talk(ctx, os.Stdin, w, eng)
	})
}

// talk answers line by line until the input ends. A turn that fails is told and
// forgotten, so that the next one can be tried.
func talk(ctx context.Context, in io.Reader, w io.Writer, eng engine.Engine) error {
	var said []chat.Message
	lines := bufio.NewScanner(in)
	for fmt.Fprint(w, "> "); lines.Scan(); fmt.Fprint(w, "> ") {
		reply, err := turn(ctx, w, eng, append(said, chat.User(lines.Text())))
		if err != nil {
			fmt.Fprintln(w, "\nthat went wrong:", err)
			continue
		}
		said = append(said, chat.User(lines.Text()), reply.Message())
		fmt.Fprintf(w, "\n(%d tokens in, %d out)\n", reply.Usage.Input, reply.Usage.Output)
	}
	fmt.Fprintln(w)
	return lines.Err()
}

// turn prints an answer as it comes.
func turn(ctx context.Context, w io.Writer, eng engine.Engine, said []chat.Message) (*chat.Reply, error) {
	var reply *chat.Reply
	for ev, err := range eng.Stream(ctx, &chat.Request{System: "Be brief.", Messages: said}) {
		if err != nil {
			return nil, err
		}
		switch ev := ev.(type) {
		case chat.TextDelta:
			fmt.Fprint(w, ev.Text)
		case chat.Done:
			reply = ev.Reply
		default: // no tools, no thoughts
		}
	}
	return reply, nil
}
