package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

// TestPlan: a run is planned as far as its policy determines it.
func TestPlan(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	for _, c := range []struct {
		name   string
		policy agent.Policy
		limits agent.Limits
		want   []string // the tool choices on the wire
	}{
		{"free", nil, agent.Limits{}, []string{"-"}},
		{"first", agent.First("a"), agent.Limits{}, []string{"a", "-"}},
		{"sequence", agent.Sequence("a", "b"), agent.Limits{}, []string{"a", "b", "-"}},
		{"until", agent.Until("b"), agent.Limits{}, []string{"any", "-"}},
		{"until, restricted", agent.All(agent.Until("b"), fixed(agent.Decision{AllowedTools: []string{"b"}})), agent.Limits{}, []string{"any", "-"}},
		{"finish", agent.Finish("b"), agent.Limits{}, []string{"-", "b"}},
		{"first and finish", agent.All(agent.First("a"), agent.Finish("b")), agent.Limits{}, []string{"a", "-", "b"}},
		{"forced to finish", agent.All(agent.First("b"), agent.Finish("b")), agent.Limits{}, []string{"b"}},
		{"requires", agent.All(agent.Sequence("a", "b"), agent.Requires("b", "a")), agent.Limits{}, []string{"a", "b", "-"}},
		{"for ever", fixed(agent.Decision{ToolChoice: toolchoice.Any()}), agent.Limits{Steps: 3}, []string{"any", "any", "any"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bot := agent.Agent{
				Model: claude(server), Tools: tools.NewSet(says("a", "x"), says("b", "y")),
				Policy: c.policy, Limits: c.limits,
			}
			plans, err := bot.Plan(hello)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]string, len(plans))
			for i, p := range plans {
				got[i] = forced(t, p)
			}
			same(t, "planned choices", got, c.want)
		})
	}
	t.Cleanup(func() {
		if n := len(server.Requests()); n > 0 {
			t.Errorf("planning sent %d requests", n)
		}
	})
}

// forced reads the choice from the body that would be sent.
func forced(t *testing.T, p *chat.Plan) string {
	t.Helper()
	var body struct {
		Choice struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"tool_choice"`
	}
	if err := json.Unmarshal(bodyOf(t, p), &body); err != nil {
		t.Fatal(err)
	}
	switch body.Choice.Type {
	case "tool":
		return body.Choice.Name
	case "":
		return "-"
	}
	return body.Choice.Type
}

// TestPlanIsWhatIsSent: the first plan is the first request, byte for byte.
func TestPlanIsWhatIsSent(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	bot := agent.Agent{Model: claude(server), Tools: tools.NewSet(weather), Policy: agent.First("get_weather"), System: "Be brief."}
	plans, err := bot.Plan(hello)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bot.Run(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	if sent := server.Requests()[0].Body; !bytes.Equal(sent, bodyOf(t, plans[0])) {
		t.Errorf("planned %s\n   sent %s", bodyOf(t, plans[0]), sent)
	}
}

// TestLookAhead: a provider that calls no tools can be forced once; that it
// can't be left free afterwards is said before anything is sent.
func TestLookAhead(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	bot := agent.Agent{
		Model: engine.NewPerplexity(engine.Config{BaseURL: server.BaseURL("perplexity"), APIKey: "any", Model: "sonar", HTTPClient: client(server)}),
		Tools: tools.NewSet(weather), Policy: agent.First("get_weather"),
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopRefused)
	if !errors.Is(err, chat.ErrUnsupported) || len(server.Requests()) > 0 {
		t.Errorf("%v after %d requests", err, len(server.Requests()))
	}
}

func TestPlanNeedsAPlanner(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{Model: scripted()}
	if _, err := bot.Plan(hello); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("%v", err)
	}
}

// TestThinkingStaysOff: where thinking was switched off to force a call, the
// turn is gone on without it, as the provider demands.
func TestThinkingStaysOff(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	bot := agent.Agent{
		Model: claude(server), Tools: tools.NewSet(weather), Policy: agent.First("get_weather"),
		Request: chat.Request{Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn}, Adapt: chat.Adapt{ThinkingOff: true}},
	}
	if _, err := bot.Run(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	for i, r := range server.Requests() {
		if bytes.Contains(r.Body, []byte(`"enabled"`)) {
			t.Errorf("request %d thinks: %s", i, r.Body)
		}
	}
	plans, err := bot.Plan(hello)
	if err != nil || len(plans) != 2 || bytes.Contains(bodyOf(t, plans[1]), []byte(`"enabled"`)) {
		t.Errorf("%v: %d plans", err, len(plans))
	}
}

// TestRunChangesNothing: neither the agent nor the input, whatever else holds
// their backing arrays.
func TestRunChangesNothing(t *testing.T) {
	t.Parallel()
	before := append(make([]chat.Message, 0, 8), chat.User("one"))
	input := append(make([]chat.Message, 0, 8), chat.Assistant("two"), chat.User("three"))
	bot := agent.Agent{Model: scripted(calls("a"), text("fine")), Tools: tools.NewSet(says("a", "x")), Request: chat.Request{Messages: before}}
	want := fmt.Sprintf("%+v", bot.Request)
	result, err := bot.Run(t.Context(), input...)
	if err != nil || len(result.Messages) != 6 || result.Messages[0].Text() != "one" {
		t.Fatalf("%v: %+v", err, result)
	}
	if got := fmt.Sprintf("%+v", bot.Request); got != want {
		t.Errorf("the agent's request is now %s", got)
	}
	if i := slices.IndexFunc(input[:8][2:], func(m chat.Message) bool { return m.Role != "" }); i >= 0 {
		t.Errorf("the input's backing array was written to: %+v", input[:8])
	}
}
