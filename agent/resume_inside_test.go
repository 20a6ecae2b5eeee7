package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// TestStoreFromResume: runs that get their store only when they are resumed
// don't take the runs inside of each other for their own.
func TestStoreFromResume(t *testing.T) {
	t.Parallel()
	store := &agent.MemoryStore{}
	for _, answer := range []string{"first", "second"} {
		inner := &agent.Agent{Model: scripted(text(answer))}
		bot := agent.Agent{
			Model: scripted(calls(`ask {"task":"x"}`), text("fine")), RunID: "r", Policy: agent.NeedsApproval("ask"),
			Tools: tools.NewSet(agent.AsTool("ask", "", inner)),
		}
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopApproval)
		bot.Store = store
		result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0"))
		if err != nil || said(result.Steps[0].Calls[0]) != answer {
			t.Errorf("%q, %v; want %q", said(result.Steps[0].Calls[0]), err, answer)
		}
	}
}

// TestArgumentsThatAreNone: a verdict with arguments that are no JSON is refused,
// wherever its call is, and the run can still be gone on with.
func TestArgumentsThatAreNone(t *testing.T) {
	t.Parallel()
	paid := 0
	pay := counted("pay", &paid, tools.Options{NeedsApproval: true})
	for name, bot := range map[string]agent.Agent{
		"own": {Model: scripted(calls("pay"), text("fine")), Tools: tools.NewSet(pay)},
		"inside": {Model: scripted(calls(`ask {"task":"x"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", &agent.Agent{
			Model: scripted(calls("pay"), text("paid")), Tools: tools.NewSet(pay),
		}))},
	} {
		bot.Store, bot.RunID = &agent.MemoryStore{}, name
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopApproval)
		id := result.Pending[0].ID
		result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Verdict{CallID: id, Approved: true, Arguments: json.RawMessage(`{"to":`)})
		stopped(t, result, err, agent.StopRefused)
		if !errors.Is(err, chat.ErrInvalid) || !strings.Contains(err.Error(), "not JSON") || paid > 0 {
			t.Errorf("%s: %v, paid %d times", name, err, paid)
		}
		result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve(id))
		if err != nil || result.Text() != "fine" || paid != 1 {
			t.Errorf("%s: %v, paid %d times", name, err, paid)
		}
		paid = 0
	}
}

// TestNamesOfDeepRuns: as many runs as may be inside of each other can be kept in
// files, whose names are bounded, and gone on with.
func TestNamesOfDeepRuns(t *testing.T) {
	t.Parallel()
	paid := 0
	bot := &agent.Agent{Model: scripted(calls("pay"), text("deep")), Tools: tools.NewSet(counted("pay", &paid, tools.Options{NeedsApproval: true}))}
	id := "call_" + strings.Repeat("a", 24)
	for range 8 {
		ask := calls()
		ask.Parts = []chat.Part{chat.ToolCall{ID: id, Name: "ask", Arguments: json.RawMessage(`{"task":"x"}`)}}
		bot = &agent.Agent{Model: scripted(ask, text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", bot))}
	}
	store := agent.FileStore{Dir: t.TempDir()}
	bot.Store, bot.RunID = store, "run"
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	state, err := agent.Load(t.Context(), store, "run")
	if err != nil {
		t.Fatal(err)
	}
	result, err = bot.Resume(t.Context(), state, agent.Approve(result.Pending[0].ID))
	if err != nil || paid != 1 {
		t.Fatalf("%v, paid %d times", err, paid)
	}
	same(t, "calls", outcomes(result), []string{"0 ask succeeded"})
	keptFiles(t, store, 9)
}
