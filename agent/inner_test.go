package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// TestArgumentsOfABegunRun: a run inside that has begun has its task; nobody is
// told that it was another.
func TestArgumentsOfABegunRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cut := func(ctx context.Context) (*chat.Reply, error) { cancel(); return nil, ctx.Err() }
	helper := &agent.Agent{Model: scripted(cut, text("done"))}
	bot := agent.Agent{Model: scripted(calls(`ask {"task":"old"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", helper))}
	result, err := bot.Run(ctx, hello)
	stopped(t, result, err, agent.StopCancelled)
	state := stateOf(t, result)
	result, err = bot.Resume(t.Context(), state, agent.Verdict{CallID: "c0", Approved: true, Arguments: json.RawMessage(`{"task":"new"}`)})
	stopped(t, result, err, agent.StopRefused)
	if result, err = bot.Resume(t.Context(), state, agent.Approve("c0")); err != nil || said(result.Steps[0].Calls[0]) != "done" {
		t.Errorf("%v", err)
	}
}

// TestWaysWithSlashes: ids are the provider's, and a slash in one leads nowhere
// else.
func TestWaysWithSlashes(t *testing.T) {
	t.Parallel()
	var a, b atomic.Int32
	reply := calls(`a {"task":"x"}`, `b {"task":"x"}`)
	for i, id := range []string{"a", "a/b"} {
		c := reply.ToolCalls()[i]
		c.ID = id
		reply.Parts[i] = c
	}
	bot := agent.Agent{Model: scripted(reply, text("fine")), Tools: tools.NewSet(agent.AsTool("a", "", asks(&a)), agent.AsTool("b", "", asks(&b)))}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	_, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("a/b/c0"), agent.Approve("a/c0"))
	if err != nil || a.Load() != 1 || b.Load() != 1 {
		t.Errorf("%v, paid %d and %d times", err, a.Load(), b.Load())
	}
}

// TestUsageOfWhatFailed: it does not get less when a flow that has ended is
// resumed.
func TestUsageOfWhatFailed(t *testing.T) {
	t.Parallel()
	fails := func() *agent.Agent {
		return &agent.Agent{
			Model: scripted(calls("look"), chat.ErrServer), Tools: tools.NewSet(says("look", "x")),
			Price: func(*chat.Reply) float64 { return 1 },
		}
	}
	flow := agent.Parallel{Runners: []agent.Runner{echo("a"), fails(), agent.Sequential{plus("b"), fails()}}, BestEffort: true}
	result, err := agent.Run(t.Context(), flow, hello)
	if err != nil || result.Usage.Total() != 45 || result.Cost != 2 {
		t.Fatalf("%v, used %d, cost %g", err, result.Usage.Total(), result.Cost)
	}
	for range 2 {
		if result, err = agent.Resume(t.Context(), flow, stateOf(t, result)); err != nil || result.Usage.Total() != 45 || result.Cost != 2 {
			t.Errorf("%v, used %d, cost %g", err, result.Usage.Total(), result.Cost)
		}
	}
}

// TestServerEnabledTwiceAtOnce: it is opened once, and both calls are told.
func TestServerEnabledTwiceAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var opened atomic.Int32
		bot := agent.Agent{
			Model: scripted(calls(`enable_server {"name":"mail"}`, `enable_server {"name":"mail"}`), text("fine")),
			Allow: agent.ControlTools{Servers: map[string]func(context.Context) (*tools.Set, error){
				"mail": func(context.Context) (*tools.Set, error) {
					opened.Add(1)
					time.Sleep(time.Second)
					return tools.NewSet(says("send", "x")), nil
				},
			}},
		}
		result, err := bot.Run(t.Context(), hello)
		if err != nil || opened.Load() != 1 {
			t.Errorf("%v, opened %d times", err, opened.Load())
		}
		same(t, "calls", outcomes(result), []string{"0 enable_server succeeded", "0 enable_server succeeded"})
	})
}

// TestLoopCutBetweenRounds: Until is not asked again about a round that the flow
// has gone past.
func TestLoopCutBetweenRounds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked []int
	loop := agent.Loop{Runner: echo("a"), Rounds: 3, Until: func(_ context.Context, round int, _ *agent.Result) bool {
		asked = append(asked, round)
		cancel()
		return round == 1
	}}
	result, err := agent.Run(ctx, loop, chat.User("-"))
	stopped(t, result, err, agent.StopCancelled)
	result, err = agent.Resume(t.Context(), loop, stateOf(t, result))
	if err != nil || result.Text() != "-aa" || !slices.Equal(asked, []int{0, 1}) {
		t.Errorf("%q, %v, asked about %v", result.Text(), err, asked)
	}
}

// TestBreakIsNoFailure: calls that were cut off since the consumer left are run
// when the run is resumed from its store, and the run inside is gone on with.
func TestBreakIsNoFailure(t *testing.T) {
	t.Parallel()
	sent, resumed := 0, false
	wait := named("wait", func(ctx context.Context) (string, error) {
		if !resumed {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return "waited", nil
	})
	helper := &agent.Agent{
		Model: scripted(calls("send"), text("sent")), Tools: tools.NewSet(counted("send", &sent, tools.Options{SideEffects: true})),
	}
	bot := agent.Agent{
		Model: scripted(calls("wait", `ask {"task":"x"}`), text("fine")), Tools: tools.NewSet(wait, agent.AsTool("ask", "", helper)),
		Store: &agent.MemoryStore{}, RunID: "run",
	}
	for ev := range bot.Stream(t.Context(), hello) {
		if line(ev) == "c1 ask> step 1" {
			break
		}
	}
	state, err := agent.Load(t.Context(), bot.Store, "run")
	if err != nil {
		t.Fatal(err)
	}
	helper.Model, resumed = scripted(text("sent")), true
	result, err := bot.Resume(t.Context(), state)
	if err != nil || sent != 1 {
		t.Fatalf("%v, sent %d times", err, sent)
	}
	same(t, "calls", outcomes(result), []string{"0 wait succeeded", "0 ask succeeded"})
	if got := said(result.Steps[0].Calls[1]); got != "sent" {
		t.Errorf("the answer is %q", got)
	}
}
