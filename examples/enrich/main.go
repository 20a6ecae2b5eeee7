// Enrich reads the data of a paper out of its text and then looks it up: the
// extraction is forced on the first step, and the look-up is refused, whatever
// the model tries, until it has succeeded.
//
//	go run ./examples/enrich -provider anthropic -model claude-sonnet-4-5
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

func main() { demo.Main("anthropic", "claude-sonnet-4-5", enrich, script...) }

// script is what the simulator answers; the forced call it makes up by itself.
var script = []sim.Turn{
	{},
	sim.Calls("enrich", doi{"10.1017/S0003598X00055252"}),
	sim.Says("Filed: a paper of 1969 on the castle of the counts, cited 12 times."),
}

type metadata struct {
	Title string `json:"title"`
	Year  int    `json:"year" jsonschema:"the year of publication"`
}

type doi struct {
	DOI string `json:"doi"`
}

const paper = "F. Gysseling, The castle of the counts at Ghent, 1969. https://doi.org/10.1017/S0003598X00055252"

func enrich(ctx context.Context, w io.Writer, model engine.Engine) error {
	extract := tools.New("extract_metadata", "Files the title and the year of a paper.",
		func(_ context.Context, in metadata) (metadata, error) { return in, nil })
	lookUp := tools.New("enrich", "Looks up how often a paper was cited.",
		func(context.Context, doi) (string, error) { return "cited 12 times", nil })
	bot := agent.Agent{
		Model: model, Tools: tools.NewSet(extract, lookUp),
		Policy: agent.All(agent.First("extract_metadata"), agent.Requires("enrich", "extract_metadata")),
	}
	for ev, err := range bot.Stream(ctx, chat.User("File this paper: "+paper)) {
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case agent.StepStarted:
			fmt.Fprintln(w, "step", ev.Step, ev.ToolChoice)
		case agent.CallFinished:
			fmt.Fprintln(w, " ", ev.Name, ev.Outcome)
		case agent.Done:
			fmt.Fprintln(w, ev.Result.Text())
		case agent.Compacted, agent.Nested, agent.Delta, agent.CallStarted, agent.StepFinished:
		}
	}
	return nil
}
