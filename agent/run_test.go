package agent_test

import (
	"context"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// looker is an agent that calls a tool and then answers.
func looker() *agent.Agent {
	model := replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
		if len(req.Messages) == 1 {
			return calls("look"), nil
		}
		return text("seen"), nil
	})
	return &agent.Agent{Model: model, Tools: tools.NewSet(says("look", "x"))}
}

// BenchmarkRun measures runs whose events nobody looks at.
func BenchmarkRun(b *testing.B) {
	asks := replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
		if len(req.Messages) == 1 {
			return calls(`ask {"task":"x"}`, `ask {"task":"y"}`), nil
		}
		return text("fine"), nil
	})
	for name, r := range map[string]agent.Runner{
		"alone":    looker(),
		"inside":   &agent.Agent{Model: asks, Tools: tools.NewSet(agent.AsTool("ask", "", looker()))},
		"parallel": agent.Parallel{Runners: []agent.Runner{looker(), looker()}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := agent.Run(b.Context(), r, hello); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
