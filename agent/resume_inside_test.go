package agent_test

import (
	"testing"

	"github.com/sabir-go/sabir/agent"
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
