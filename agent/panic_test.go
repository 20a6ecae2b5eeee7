package agent_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// TestConsumerLeavesByPanic: whoever takes the events can panic, or end its
// goroutine as t.FailNow does. What runs is ended then, as by a break.
func TestConsumerLeavesByPanic(t *testing.T) {
	t.Parallel()
	does := func(list ...string) agent.Model {
		return replies(func(context.Context, *chat.Request) (*chat.Reply, error) { return calls(list...), nil })
	}
	worker := func() *agent.Agent {
		return &agent.Agent{Model: does("tick", "hang", "hang"), Tools: tools.NewSet(
			named("hang", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }),
			says("tick", "x"),
		)}
	}
	asked := &agent.Agent{Model: does(`ask {"task":""}`), Tools: tools.NewSet(agent.AsTool("ask", "", worker()))}
	for _, c := range []struct {
		name   string
		runner agent.Runner
		at     string
	}{
		{"start", worker(), "start hang"},
		{"end", worker(), "end tick: succeeded"},
		{"nested step", asked, "c0 ask> step 0"},
		{"nested start", &agent.Agent{
			Model: does(`ask {"task":""}`, `ask {"task":""}`), Tools: tools.NewSet(agent.AsTool("ask", "", worker())),
		}, "c0 ask> start hang"},
		{"side by side", agent.Parallel{Runners: []agent.Runner{worker(), worker()}}, "1> start hang"},
		{"as a tool", &agent.Agent{
			Model: does(`ask {"task":""}`),
			Tools: tools.NewSet(agent.AsTool("ask", "", agent.Parallel{Runners: []agent.Runner{worker(), worker()}})),
		}, "c0 ask> 0> end tick: succeeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, leave := range map[string]func(){
				"panic": func() { panic("enough") }, //nolint:forbidigo // what is tested
				"exit":  runtime.Goexit,
			} {
				synctest.Test(t, func(t *testing.T) {
					var left sync.WaitGroup
					found := false
					left.Go(func() {
						defer func() { _ = recover() }()
						for ev := range agent.Stream(t.Context(), c.runner, hello) {
							if line(ev) == c.at {
								found = true
								leave()
							}
						}
					})
					left.Wait()
					if !found {
						t.Errorf("%s: there was no %q", name, c.at)
					}
				})
			}
		})
	}
}

// TestRunCrashesBesideOthers: a panic in one of several runs is that run's
// failure.
func TestRunCrashesBesideOthers(t *testing.T) {
	t.Parallel()
	crash := &agent.Agent{Model: scripted(), Policy: func(agent.Step) agent.Decision { panic("no") }} //nolint:forbidigo // what is tested
	flow := agent.Parallel{Runners: []agent.Runner{crash, agent.Sequential{plus("a")}}}
	result, err := agent.Run(t.Context(), flow, chat.User("-"))
	stopped(t, result, err, agent.StopFailed)
	if !strings.Contains(err.Error(), "the run crashed: no") {
		t.Error(err)
	}
	flow.BestEffort = true
	if result, err = agent.Run(t.Context(), flow, chat.User("-")); err != nil || result.Text() != "-a" {
		t.Errorf("%q, %v", result.Text(), err)
	}
}
