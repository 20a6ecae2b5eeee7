// Twoagents lets a writer ask a researcher, an agent with tools of its own, and
// shows what the researcher does while it does it.
//
//	go run ./examples/twoagents -provider anthropic -model claude-sonnet-4-5
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/tools"
)

func main() { demo.Main("anthropic", "claude-sonnet-4-5", write) }

type topic struct {
	Castle string `json:"castle" jsonschema:"the castle to look up"`
}

var archive = tools.New("search_archive", "Searches the archive for facts about a castle.",
	func(_ context.Context, in topic) (string, error) {
		return in.Castle + ": built in 1180 by Philip of Alsace", nil
	})

func write(ctx context.Context, w io.Writer, model engine.Engine) error {
	researcher := &agent.Agent{
		Model: model, Tools: tools.NewSet(archive), Policy: agent.First("search_archive"), Limits: agent.Limits{Steps: 5},
		System: "You find facts in the archive. Answer with what it says, and nothing else.",
	}
	writer := agent.Agent{
		Model: model, Tools: tools.NewSet(agent.AsTool("research", "Finds facts about a castle.", researcher)),
		System: "You write captions for a museum, on facts that you have had researched.",
	}
	for ev, err := range writer.Stream(ctx, chat.User("Write a caption on facts about the Gravensteen castle.")) {
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case agent.CallStarted:
			fmt.Fprintf(w, "writer calls %s(%s)\n", ev.Call.Name, ev.Call.Arguments)
		case agent.Nested:
			if call, ok := ev.Event.(agent.CallFinished); ok {
				fmt.Fprintf(w, "  %s calls %s: %s\n", ev.Name, call.Name, chat.Message{Parts: call.Result.Parts}.Text())
			}
		case agent.Done:
			fmt.Fprintln(w, ev.Result.Text())
		case agent.Compacted, agent.StepStarted, agent.Delta, agent.CallFinished, agent.StepFinished:
		}
	}
	return nil
}
