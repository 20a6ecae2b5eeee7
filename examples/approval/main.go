// Approval asks before it pays. The run stops at the call, is kept in a
// directory, and another process goes on with it:
//
//	go run ./examples/approval -dir /tmp/runs
//	go run ./examples/approval -dir /tmp/runs -approve ID   # the one that was printed
//
// With -deny ID, the model is told that it may not.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/tools"
)

func main() {
	dir := flag.String("dir", "runs", "where runs are kept")
	approve := flag.String("approve", "", "id of the call to approve")
	deny := flag.String("deny", "", "id of the call to deny")
	demo.Main("anthropic", "claude-sonnet-4-5", func(ctx context.Context, w io.Writer, model engine.Engine) error {
		var verdicts []agent.Verdict
		if *approve != "" {
			verdicts = append(verdicts, agent.Approve(*approve))
		}
		if *deny != "" {
			verdicts = append(verdicts, agent.Deny(*deny, "The user said no."))
		}
		return pay(ctx, w, model, agent.FileStore{Dir: *dir}, verdicts...)
	})
}

type transfer struct {
	To   string  `json:"to"`
	Euro float64 `json:"euro"`
}

// pay begins the run or, with verdicts, goes on with it.
func pay(ctx context.Context, w io.Writer, model engine.Engine, store agent.Store, verdicts ...agent.Verdict) error {
	send := tools.New("send_money", "Transfers money.", func(_ context.Context, in transfer) (string, error) {
		fmt.Fprintf(w, "%.2f euro go to %s\n", in.Euro, in.To)
		return "done", nil
	}).With(tools.Options{NeedsApproval: true, SideEffects: true})
	bot := agent.Agent{Model: model, Tools: tools.NewSet(send), Store: store, RunID: "invoice-17"}

	var result *agent.Result
	var err error
	if len(verdicts) == 0 {
		result, err = bot.Run(ctx, chat.User("please pay 120.50 euro to Marta, for invoice 17"))
	} else {
		var state json.RawMessage
		if state, err = agent.Load(ctx, store, bot.RunID); err == nil {
			result, err = bot.Resume(ctx, state, verdicts...)
		}
	}
	if errors.Is(err, tools.ErrNeedsApproval) {
		for _, c := range result.Pending {
			fmt.Fprintf(w, "%s wants to run with %s; -approve %s or -deny %s\n", c.Name, c.Arguments, c.ID, c.ID)
		}
		return nil
	}
	if err == nil {
		fmt.Fprintln(w, result.Text())
	}
	return err
}
