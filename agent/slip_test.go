package agent_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/tools"
)

// TestSlipBesideGoodVerdicts: where one of several verdicts can't be, what the
// others have let run does not run again, and nothing that waits is lost.
func TestSlipBesideGoodVerdicts(t *testing.T) {
	t.Parallel()
	team := func(paid, sent *atomic.Int32) []agent.Runner { return []agent.Runner{asks(paid), asks(sent)} }
	for _, c := range []struct {
		name   string
		runner func(paid, sent *atomic.Int32) agent.Runner
		good   string
		bad    string
	}{
		{"side by side", func(paid, sent *atomic.Int32) agent.Runner {
			return agent.Parallel{Runners: team(paid, sent)}
		}, "0/c0", "1/c0"},
		{"best effort", func(paid, sent *atomic.Int32) agent.Runner {
			return agent.Parallel{Runners: team(paid, sent), BestEffort: true}
		}, "0/c0", "1/c0"},
		{"one after the other", func(paid, sent *atomic.Int32) agent.Runner {
			return agent.Parallel{Runners: team(paid, sent), Limit: 1}
		}, "1/c0", "0/c0"},
		{"two agents of one", func(paid, sent *atomic.Int32) agent.Runner {
			both := team(paid, sent)
			return &agent.Agent{
				Model: scripted(calls(`a {"task":"x"}`, `b {"task":"x"}`), text("both")),
				Tools: tools.NewSet(agent.AsTool("a", "", both[0]), agent.AsTool("b", "", both[1])),
			}
		}, "c0/c0", "c1/c0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, prefix := range []string{"", "c0/", "c0/c0/"} {
				var paid, sent atomic.Int32
				runner := c.runner(&paid, &sent)
				for range len(prefix) / 3 {
					runner = &agent.Agent{
						Model: scripted(calls(`team {"task":"x"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("team", "", runner)),
					}
				}
				result, err := agent.Run(t.Context(), runner, hello)
				stopped(t, result, err, agent.StopApproval)
				result, err = agent.Resume(t.Context(), runner, stateOf(t, result), agent.Approve(prefix+c.good),
					agent.Verdict{CallID: prefix + c.bad, Approved: true, Arguments: json.RawMessage(`{"x":7}`)})
				stopped(t, result, err, agent.StopRefused)
				if n := paid.Load() + sent.Load(); n != 1 || len(result.Pending) != 1 || result.Pending[0].ID != prefix+c.bad {
					t.Errorf("%d have run, pending %+v", n, result.Pending)
				}
				_, err = agent.Resume(t.Context(), runner, stateOf(t, result), agent.Approve(prefix+c.bad))
				if err != nil || paid.Load() != 1 || sent.Load() != 1 {
					t.Errorf("%v, paid %d times, sent %d times", err, paid.Load(), sent.Load())
				}
			}
		})
	}
}

// TestSlip: a run whose verdict is refused can be gone on with from its result.
func TestSlip(t *testing.T) {
	t.Parallel()
	sent := 0
	bot := agent.Agent{
		Model: scripted(calls("send", "ask_user"), text("fine")),
		Tools: tools.NewSet(counted("send", &sent, tools.Options{NeedsApproval: true}), tools.External("ask_user", "", nil)),
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	state := string(stateOf(t, result))
	result, err = bot.Resume(t.Context(), json.RawMessage(state), agent.Approve("c0"), agent.Approve("c1"))
	stopped(t, result, err, agent.StopRefused)
	if got := string(stateOf(t, result)); got != state {
		t.Errorf("the state was\n%s\nand is\n%s", state, got)
	}
	if len(result.Pending) != 2 || result.Pending[0].External || !result.Pending[1].External {
		t.Errorf("pending %+v", result.Pending)
	}
	_, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0"), agent.Answer("c1", "yes"))
	if err != nil || sent != 1 {
		t.Errorf("%v, sent %d times", err, sent)
	}
}
