package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

// choices lists the tool choices that were asked for.
func choices(fake *enginetest.Fake) []string {
	all := make([]string, 0, 4)
	for _, r := range fake.Requests() {
		all = append(all, r.ToolChoice.String())
	}
	return all
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	a, b, done := enginetest.Calls("a", nil), enginetest.Calls("b", nil), enginetest.Says("fine")
	both := sim.Turn{Calls: []sim.ToolCall{{Name: "a"}, {Name: "b"}}}
	for _, c := range []struct {
		name    string
		policy  agent.Policy
		request chat.Request
		turns   []sim.Turn
		choices []string
		calls   []string
	}{
		{
			"first", agent.First("a"),
			chat.Request{},
			[]sim.Turn{a, done},
			[]string{"tool(a)", "unset"},
			[]string{"0 a succeeded"},
		},
		{
			"a forced choice given to a run", nil,
			chat.Request{ToolChoice: toolchoice.Any()},
			[]sim.Turn{b, done},
			[]string{"any", "unset"},
			[]string{"0 b succeeded"},
		},
		{
			"auto given to a run", nil,
			chat.Request{ToolChoice: toolchoice.Auto()},
			[]sim.Turn{b, done},
			[]string{"auto", "auto"},
			[]string{"0 b succeeded"},
		},
		{
			"sequence", agent.Sequence("b", "a"),
			chat.Request{},
			[]sim.Turn{b, a, b, done},
			[]string{"tool(b)", "tool(a)", "unset", "unset"},
			[]string{"0 b succeeded", "1 a succeeded", "2 b succeeded"},
		},
		{
			"until", agent.Until("b"),
			chat.Request{},
			[]sim.Turn{a, b, done},
			[]string{"any", "any", "unset"},
			[]string{"0 a succeeded", "1 b succeeded"},
		},
		{
			"requires", agent.Requires("b", "a"),
			chat.Request{},
			[]sim.Turn{b, both, b, done},
			[]string{"unset", "unset", "unset", "unset"},
			[]string{"0 b refused", "1 a succeeded", "1 b refused", "2 b succeeded"},
		},
		{
			"requires a success", agent.Requires("b", "fails"),
			chat.Request{},
			[]sim.Turn{enginetest.Calls("fails", nil), b, done},
			[]string{"unset", "unset", "unset"},
			[]string{"0 fails failed", "1 b refused"},
		},
		{
			"max calls", agent.MaxCalls("a", 2),
			chat.Request{},
			[]sim.Turn{a, {Calls: []sim.ToolCall{{Name: "a"}, {Name: "a"}}}, a, done},
			[]string{"unset", "unset", "unset", "unset"},
			[]string{"0 a succeeded", "1 a succeeded", "1 a refused", "2 a refused"},
		},
		{
			"finish", agent.Finish("b"),
			chat.Request{},
			[]sim.Turn{a, done, b, done},
			[]string{"unset", "unset", "tool(b)"},
			[]string{"0 a succeeded", "2 b succeeded"},
		},
		{
			"finish, mended", agent.Finish("fails"),
			chat.Request{},
			[]sim.Turn{done, enginetest.Calls("fails", nil), a, done, enginetest.Calls("fails", nil)},
			[]string{"unset", "tool(fails)", "unset", "unset", "tool(fails)"},
			[]string{"1 fails failed", "2 a succeeded", "4 fails succeeded"},
		},
		{
			"all", agent.All(agent.First("a"), nil, agent.Until("b"), agent.Finish("b")),
			chat.Request{},
			[]sim.Turn{a, b},
			[]string{"tool(a)", "any"},
			[]string{"0 a succeeded", "1 b succeeded"},
		},
		{
			"none for a step", func(s agent.Step) agent.Decision {
				if s.Index == 0 {
					return agent.Decision{AllowedTools: []string{}}
				}
				return agent.Decision{Finish: "b", ToolChoice: toolchoice.Tool("b")}
			},
			chat.Request{},
			[]sim.Turn{done},
			[]string{"none"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake := enginetest.New(c.turns...)
			tried := false
			fails := named("fails", func(context.Context) (string, error) {
				if tried {
					return "z", nil
				}
				tried = true
				return "", errors.New("no")
			})
			bot := agent.Agent{
				Model: fake, Tools: tools.NewSet(says("a", "x"), says("b", "y"), fails), Policy: c.policy, Request: c.request,
			}
			result, err := bot.Run(t.Context(), hello)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "choices", choices(fake), c.choices)
			same(t, "calls", outcomes(result), c.calls)
			sound(t, result)
		})
	}
}

// TestRefusalsSayWhatIsMissing: the model can act on them.
func TestRefusalsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("enrich", nil), enginetest.Says("fine"))
	ran := false
	enrich := named("enrich", func(context.Context) (string, error) { ran = true; return "", nil })
	bot := agent.Agent{
		Model: fake, Tools: tools.NewSet(says("extract", "x"), says("check", "y"), enrich),
		Policy: agent.All(agent.Requires("enrich", "extract"), agent.Requires("enrich", "check", "extract")),
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || ran {
		t.Fatalf("ran: %v; %v", ran, err)
	}
	const want = "enrich was not run: first extract, check must have succeeded. Call extract, check, wait for the result, then call enrich again."
	if c := result.Steps[0].Calls[0]; said(c) != want || !c.Result.IsError {
		t.Errorf("the model is told %q, want %q", said(c), want)
	}
}

// TestJoin: each member of a decision joins as All promises.
func TestJoin(t *testing.T) {
	t.Parallel()
	think, other := &chat.ThinkingConfig{Mode: chat.ThinkingOff}, &chat.ThinkingConfig{Mode: chat.ThinkingOn}
	one, two := scripted(), scripted()
	got := agent.All(
		fixed(agent.Decision{
			ToolChoice: toolchoice.Any(), AllowedTools: []string{"a", "b"}, Thinking: think, Model: one, ModelName: "m", Finish: "a",
			Requires: map[string][]string{"a": {"b"}}, MaxCalls: map[string]int{"a": 2, "b": 1}, Refuse: map[string]string{"a": "first"},
		}),
		fixed(agent.Decision{
			ToolChoice: toolchoice.None(), AllowedTools: []string{"b", "c"}, Thinking: other, Model: two, ModelName: "n", Finish: "b",
			Requires: map[string][]string{"a": {"c"}, "d": {"e"}}, MaxCalls: map[string]int{"a": 1, "b": 2}, Refuse: map[string]string{"a": "second"},
		}),
	)(agent.Step{})
	want := "any [b] off m a map[a:[b c] d:[e]] map[a:1 b:1] map[a:first] true"
	if s := fmt.Sprint(got.ToolChoice, got.AllowedTools, " ", got.Thinking.Mode, " ", got.ModelName, " ", got.Finish, " ",
		got.Requires, got.MaxCalls, got.Refuse, " ", got.Model == agent.Model(one)); strings.Join(strings.Fields(s), " ") != want {
		t.Errorf("joined: %s\n  want: %s", s, want)
	}
}

func fixed(d agent.Decision) agent.Policy { return func(agent.Step) agent.Decision { return d } }

// TestSwitch: a policy may ask another model, and restrict the tools, from
// step to step.
func TestSwitch(t *testing.T) {
	t.Parallel()
	small, large := enginetest.New(enginetest.Calls("a", nil)), enginetest.New(enginetest.Says("fine"))
	bot := agent.Agent{
		Model: small, Tools: tools.NewSet(says("a", "x"), says("b", "y")),
		Policy: func(s agent.Step) agent.Decision {
			if s.Index == 0 {
				return agent.Decision{AllowedTools: []string{"a"}, ModelName: "small-1"}
			}
			return agent.Decision{Model: large, AllowedTools: []string{"b"}, Thinking: &chat.ThinkingConfig{Mode: chat.ThinkingOff}}
		},
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Text() != "fine" {
		t.Fatalf("%v: %+v", err, result)
	}
	first, second := small.Requests()[0], large.Requests()[0]
	if first.Model != "small-1" || first.AllowedTools[0] != "a" || second.AllowedTools[0] != "b" ||
		second.Thinking.Mode != chat.ThinkingOff || len(second.Messages) != 3 || len(second.Tools) != 2 {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
}

// TestBrokenChoices: what other loops run is a typed error here, by engines and
// by models that check nothing, and no tool runs.
func TestBrokenChoices(t *testing.T) {
	t.Parallel()
	none, must := agent.Decision{ToolChoice: toolchoice.None()}, agent.Decision{ToolChoice: toolchoice.Any()}
	only, force := agent.Decision{AllowedTools: []string{"b"}}, agent.Decision{ToolChoice: toolchoice.Tool("b")}
	for _, c := range []struct {
		name     string
		decision agent.Decision
		turn     sim.Turn
		reply    *chat.Reply
	}{
		{"a call under none", none, enginetest.Calls("a", nil), calls("a")},
		{"a call of an inactive tool", only, enginetest.Calls("a", nil), calls("a")},
		{"another tool than the forced one", force, enginetest.Calls("a", nil), calls("b", "a")},
		{"text in place of a forced call", force, enginetest.Says("no"), text("no")},
		{"text in place of any call", must, enginetest.Says("no"), text("no")},
		{"an invented tool in place of any", must, enginetest.Calls("x", nil), calls("x")},
	} {
		for _, model := range []agent.Model{enginetest.New(c.turn), scripted(c.reply)} {
			t.Run(fmt.Sprintf("%s %T", c.name, model), func(t *testing.T) {
				t.Parallel()
				run := named("a", func(context.Context) (string, error) { t.Error("it ran"); return "", nil })
				bot := agent.Agent{Model: model, Tools: tools.NewSet(run, says("b", "x")), Policy: fixed(c.decision)}
				result, err := bot.Run(t.Context(), hello)
				stopped(t, result, err, agent.StopUnmet)
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(err, chat.ErrToolChoiceUnmet) || e.Reply == nil || result.Reply != e.Reply {
					t.Errorf("error %v, reply %+v", err, result.Reply)
				}
			})
		}
	}
}

// TestOutputLeavesRoomForCalls: a document and a forced call exclude each
// other, so the form is asked for once the model may answer.
func TestOutputLeavesRoomForCalls(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("a", nil), enginetest.Says(`{"ok":true}`))
	bot := agent.Agent{
		Model: fake, Tools: tools.NewSet(says("a", "x")), Policy: agent.First("a"),
		Request: chat.Request{Output: &chat.Output{}},
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || string(result.Reply.Output) != `{"ok":true}` {
		t.Fatalf("%v: %+v", err, result.Reply)
	}
	if r := fake.Requests(); r[0].Output != nil || r[1].Output == nil {
		t.Errorf("asked for %v, then %v", r[0].Output, r[1].Output)
	}
}

// claude is Anthropic's engine on a simulator.
func claude(server *sim.Server) engine.Engine {
	return engine.NewAnthropic(engine.Config{BaseURL: server.BaseURL("anthropic"), APIKey: "any", Model: "claude-sonnet-4-5", MaxAttempts: 1, HTTPClient: client(server)})
}

// TestThinkingIsPlanned: what can't be forced beside thinking is refused before
// anything is sent, in whichever step it would come; what the caller permits
// instead is done, and kept up for the whole run.
func TestThinkingIsPlanned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		policy agent.Policy
		adapt  chat.Adapt
		sent   int // 0: refused
	}{
		{"first", agent.First("get_weather"), chat.Adapt{}, 0},
		{"second", func(s agent.Step) agent.Decision {
			if s.Index == 0 {
				return agent.Decision{ToolChoice: toolchoice.Tool("get_weather"), Thinking: &chat.ThinkingConfig{Mode: chat.ThinkingOff}}
			}
			return agent.Sequence("", "get_weather")(s)
		}, chat.Adapt{}, 0},
		{"finish", agent.Finish("get_weather"), chat.Adapt{}, 0},
		{"thinking off", agent.First("get_weather"), chat.Adapt{ThinkingOff: true}, 2},
		{"choice to auto", agent.First("get_weather"), chat.Adapt{ChoiceToAuto: true}, 2},
		{"free", nil, chat.Adapt{}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := sim.New(sim.Options{})
			bot := agent.Agent{
				Model: claude(server), Tools: tools.NewSet(weather), Policy: c.policy,
				Request: chat.Request{Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn}, Adapt: c.adapt},
			}
			result, err := bot.Run(t.Context(), hello)
			if c.sent == 0 {
				stopped(t, result, err, agent.StopRefused)
				if !errors.Is(err, chat.ErrUnsupported) {
					t.Errorf("%v", err)
				}
			} else if err != nil || !strings.Contains(result.Text(), "4 °C") {
				t.Errorf("%v: %q", err, result.Text())
			}
			if n := len(server.Requests()); n != c.sent {
				t.Errorf("%d requests, want %d", n, c.sent)
			}
		})
	}
}

// TestPermittedWeakening: where the caller permits auto in place of a forced
// choice, an answer in text is one.
func TestPermittedWeakening(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{Turns: []sim.Turn{sim.Says("No need to look.")}})
	bot := agent.Agent{
		Model: claude(server), Tools: tools.NewSet(weather), Policy: agent.First("get_weather"),
		Request: chat.Request{Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn}, Adapt: chat.Adapt{ChoiceToAuto: true}},
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Text() != "No need to look." || len(result.Reply.Warnings) == 0 {
		t.Errorf("%v: %+v", err, result.Reply)
	}
}
