package agent_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/tools"
)

// TestPanicOfTheListener: a panic in the loop that takes the events gets through
// when the tools have ended, and leaves no goroutine behind.
func TestPanicOfTheListener(t *testing.T) {
	t.Parallel()
	for name, inside := range map[string]func(*agent.Agent) agent.Runner{
		"agent": func(a *agent.Agent) agent.Runner { return a },
		"nested": func(a *agent.Agent) agent.Runner {
			return &agent.Agent{Model: scripted(calls(`ask {"task":"x"}`)), Tools: tools.NewSet(agent.AsTool("ask", "", a))}
		},
		"parallel": func(a *agent.Agent) agent.Runner {
			other := *a
			other.Model = scripted(calls("slow"))
			return agent.Parallel{Runners: []agent.Runner{a, &other}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				entered, left := make(chan struct{}, 3), make(chan struct{}, 3)
				slow := named("slow", func(ctx context.Context) (string, error) {
					entered <- struct{}{}
					<-ctx.Done()
					left <- struct{}{}
					return "", ctx.Err()
				})
				r := inside(&agent.Agent{Model: scripted(calls("slow", "slow")), Tools: tools.NewSet(slow)})
				func() {
					defer func() {
						if p := recover(); p != "enough" {
							t.Errorf("panicked with %v", p)
						}
					}()
					started := 0
					for ev := range agent.Stream(t.Context(), r, hello) {
						for nested, ok := ev.(agent.Nested); ok; nested, ok = ev.(agent.Nested) {
							ev = nested.Event
						}
						if call, ok := ev.(agent.CallStarted); ok && call.Call.Name == "slow" {
							if started++; started == 2 {
								panic("enough") //nolint:forbidigo // it is what is tested
							}
						}
					}
				}()
				if len(left) != len(entered) {
					t.Errorf("%d tools began and %d have ended", len(entered), len(left))
				}
			})
		})
	}
}
