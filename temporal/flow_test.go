package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

type city struct {
	City string `json:"city"`
}

var weather = tools.New("get_weather", "Current weather in a city.",
	func(_ context.Context, in city) (string, error) { return "4 °C in " + in.City, nil })

// TestSameAsAnywhere: the agents that run in a process run as workflows, and
// the model is asked and told the same.
func TestSameAsAnywhere(t *testing.T) {
	t.Parallel()
	broken := named("broken", func(context.Context) (string, error) { return "", errors.New("no paper") })
	crashing := named("crashing", func(context.Context) (string, error) { panic("out of ink") }) //nolint:forbidigo // on purpose
	slow := named("slow", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
	picture := tools.New("picture", "", func(context.Context, struct{}) ([]chat.Part, error) {
		return []chat.Part{chat.Text{Text: "see"}, chat.Image{MediaType: "image/png", Data: []byte{0x89, 'P'}}}, nil
	})
	finish := named("finish", func(ctx context.Context) (string, error) {
		if !agent.EndRun(ctx) {
			return "", errors.New("belongs to no run")
		}
		return "the end", nil
	})
	id := tools.Raw("id", "", json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		func(_ context.Context, args json.RawMessage) (string, error) { return string(args), nil })
	all := tools.NewSet(weather, broken, crashing, picture, finish, id, says("a", "x"), says("b", "y").With(tools.Options{MaxCalls: 1}),
		slow.With(tools.Options{Timeout: time.Millisecond}))
	stopping := tools.NewSet(broken.With(tools.Options{OnError: tools.Stop}), says("a", "x"))
	for _, c := range []struct {
		name    string
		bot     agent.Agent
		replies []any
	}{
		{"answer", agent.Agent{System: "Be brief."}, []any{text("fine")}},
		{"calls", agent.Agent{Tools: all}, []any{calls(`get_weather {"city":"Ghent"}`, "a", "b"), text("fine")}},
		{"failures", agent.Agent{Tools: all}, []any{calls("broken", "crashing", "slow", "nothing", `get_weather {"town":7}`), text("hm")}},
		{"parts", agent.Agent{Tools: all}, []any{calls("picture"), text("nice")}},
		{"digits", agent.Agent{Tools: all}, []any{calls(`id {"n":9007199254740993}`), text("long")}},
		{"end by a tool", agent.Agent{Tools: all}, []any{calls("a", "finish")}},
		{"stop by a tool", agent.Agent{Tools: stopping}, []any{calls("broken", "a")}},
		{"limit of calls", agent.Agent{Tools: all}, []any{calls("b", "b"), calls("b"), text("fine")}},
		{"first", agent.Agent{Tools: all, Policy: agent.First("a")}, []any{calls("a"), text("fine")}},
		{"requires", agent.Agent{Tools: all, Policy: agent.Requires("b", "a")}, []any{calls("b"), calls("a"), calls("b"), text("fine")}},
		{"finish", agent.Agent{Tools: all, Policy: agent.Finish("b")}, []any{text("done?"), calls("b")}},
		{"condition", agent.Agent{Tools: all, StopWhen: agent.Called("a")}, []any{calls("a")}},
		{"steps", agent.Agent{Tools: all, Limits: agent.Limits{Steps: 2}}, []any{calls("a"), calls("b")}},
		{"cost", agent.Agent{Tools: all, Limits: agent.Limits{Cost: 3}, Price: price}, []any{calls("a"), calls("b"), text("never")}},
		{"cut", agent.Agent{Tools: all}, []any{&chat.Reply{Parts: calls("a").Parts, Finish: chat.FinishLength}}},
		{"paused", agent.Agent{Tools: all}, []any{&chat.Reply{Parts: text("so").Parts, Finish: chat.FinishPaused}, text("far")}},
		{"unmet", agent.Agent{Tools: all, Policy: agent.First("a")}, []any{text("no")}},
		{"refused", agent.Agent{Tools: all}, []any{&chat.UnsupportedError{Engine: "e", Model: "m", Feature: "f", Reason: "r"}}},
		{"filtered", agent.Agent{}, []any{&chat.Error{Kind: chat.ErrFiltered, Engine: "e", Reply: text("half")}}},
		{"output", agent.Agent{Request: chat.Request{Output: &chat.Output{}, Temperature: new(0.2)}}, []any{text("{}")}},
		{"none allowed", agent.Agent{Tools: all, Request: chat.Request{AllowedTools: []string{}}}, []any{text("fine")}},
		{"no messages", agent.Agent{Request: chat.Request{Tools: []chat.ToolDef{{Name: "x"}}}}, nil},
		{"broken tool", agent.Agent{Tools: tools.NewSet(tools.New[int, string]("n", "", nil))}, nil},
		{"external", agent.Agent{Tools: tools.NewSet(tools.External("ask", "", nil))}, []any{calls("ask {7"), text("fine")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			here, there := scripted(c.replies...), scripted(c.replies...)
			bot := c.bot
			bot.Model = here
			result, err := bot.Run(t.Context(), hello)
			bot.Model = there
			f := execute(t, clerk(bot), temporal.Input{Messages: []chat.Message{hello}}, nil)
			switch stop, ok := temporal.Stopped(f.err); {
			case ok != (err != nil):
				t.Fatalf("ended with %v, and anywhere else with %v", f.err, err)
			case ok:
				if stop.Error() != err.Error() || stop.Reason != result.Reason || stop.Result.Usage != result.Usage {
					t.Errorf("stopped with %v, %+v;\nand anywhere else with %v, %+v", stop, stop.Result, err, result)
				}
			case f.err != nil:
				t.Fatal(f.err)
			default:
				if f.out.Reason != result.Reason || f.out.Text != result.Text() || f.out.Usage != result.Usage || f.out.Cost != result.Cost {
					t.Errorf("%+v, and anywhere else %+v", f.out, result)
				}
				if got, want := asJSON(t, f.out.Messages), asJSON(t, result.Messages); got != want {
					t.Errorf("the conversation is\n%s\nand anywhere else\n%s", got, want)
				}
			}
			if got, want := asJSON(t, there.asked()), asJSON(t, here.asked()); got != want {
				t.Errorf("the model was asked\n%s\nand anywhere else\n%s", got, want)
			}
			for _, req := range there.asked() {
				if req.Output != nil && len(req.Output.Schema) > 0 { // JSON can't say that there is none
					t.Errorf("the model was asked for %s", req.Output.Schema)
				}
			}
		})
	}
}

func price(r *chat.Reply) float64 { return float64(r.Usage.Total()) / 10 }

// TestCompact: a long history is shortened as it would be anywhere else, and the
// model that sums it up is called by an activity, too.
func TestCompact(t *testing.T) {
	t.Parallel()
	page := named("page", func(context.Context) (string, error) { return strings.Repeat("lorem ipsum ", 100), nil })
	build := func() (agent.Agent, *script) {
		writer := scripted(text("First notes."), text("Second notes."), text("Third notes."), text("Fourth notes."))
		model := scripted(calls("page"), calls("page"), calls("page"), calls("page"), calls("page"), calls("page"), text("done"))
		for _, r := range model.replies {
			r.(*chat.Reply).Usage = chat.Usage{} // sizes are estimated
		}
		return agent.Agent{
			Model: model, Tools: tools.NewSet(page), Price: price,
			Compact: compact.Compactor{Window: 1200, To: 0.2, Keep: 1, Model: writer},
		}, writer
	}
	bot, here := build()
	result, err := bot.Run(t.Context(), hello)
	if err != nil || len(here.asked()) == 0 {
		t.Fatalf("%v after %d summaries", err, len(here.asked()))
	}
	bot, there := build()
	out := run(t, clerk(bot), nil)
	if got, want := asJSON(t, out.Messages), asJSON(t, result.Messages); got != want || out.Usage != result.Usage || out.Cost != result.Cost {
		t.Errorf("%s, %+v\nand anywhere else\n%s, %+v", got, out.Usage, want, result.Usage)
	}
	if got, want := asJSON(t, there.asked()), asJSON(t, here.asked()); got != want {
		t.Errorf("the writer was asked\n%s\nand anywhere else\n%s", got, want)
	}
}

// TestOnAnEngine: the real stack, with a plan before the first call.
func TestOnAnEngine(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Says("Cold."))
	started := &count{}
	out := run(t, clerk(agent.Agent{Model: fake, Tools: tools.NewSet(weather), Policy: agent.First("get_weather")}),
		func(env *testsuite.TestWorkflowEnvironment) {
			env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
				if info.ActivityType.Name == "clerk.plan" {
					started.add()
				}
			})
		})
	same(t, "results", told(out.Messages), []string{"4 °C in Ghent"})
	if out.Text != "Cold." || started.value() != 1 {
		t.Errorf("%+v after %d plans", out, started.value())
	}
	reqs := fake.Requests()
	if len(reqs) != 2 || reqs[0].ToolChoice != toolchoice.Tool("get_weather") || len(reqs[1].Tools) != 1 {
		t.Errorf("requests: %+v", reqs)
	}
}

// TestLookAhead: what can't be had later on is refused before anything is sent,
// as it would be anywhere else.
func TestLookAhead(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	eng := engine.NewPerplexity(engine.Config{
		BaseURL: server.BaseURL("perplexity"), APIKey: "any", Model: "sonar",
		HTTPClient: &http.Client{Transport: server.RoundTripper()},
	})
	stop := stops(t, clerk(agent.Agent{Model: eng, Tools: tools.NewSet(weather), Policy: agent.First("get_weather")}), agent.StopRefused, nil)
	e, ok := errors.AsType[*chat.UnsupportedError](stop)
	if !ok || e.Engine != "perplexity" || e.Reason == "" || len(server.Requests()) > 0 {
		t.Errorf("%v after %d requests", stop, len(server.Requests()))
	}
}

// TestSideBySide: the calls of a step run at once, those of serial tools one at
// a time.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	left, right := make(chan bool, 1), make(chan bool, 1)
	meet := func(mine, yours chan bool) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			mine <- true
			select {
			case <-yours:
				return "met", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
	}
	var order []string
	alone := func(name string) tools.Tool {
		return named(name, func(context.Context) (string, error) {
			order = append(order, name, name) // the race detector sees whether they are alone
			return name, nil
		}).With(tools.Options{Serial: true})
	}
	set := tools.NewSet(named("left", meet(left, right)), named("right", meet(right, left)), alone("one"), alone("two"))
	out := run(t, clerk(agent.Agent{Model: scripted(calls("one", "left", "two", "right"), text("fine")), Tools: set}), nil)
	same(t, "results", told(out.Messages), []string{"one", "met", "two", "met"})
	slices.Sort(order)
	same(t, "order", order, []string{"one", "one", "two", "two"})
}

// TestModelsOfThePolicy: a policy may choose among the models that have a name.
func TestModelsOfThePolicy(t *testing.T) {
	t.Parallel()
	cheap, other := scripted(text("cheap")), scripted()
	for _, c := range []struct {
		choose agent.Model
		want   string
	}{{cheap, "cheap"}, {nil, "own"}} {
		own := scripted(text("own"))
		policy := func(agent.Step) agent.Decision { return agent.Decision{Model: c.choose} }
		flow := temporal.New(temporal.Config{
			Name: "clerk", Agent: agent.Agent{Model: own, Policy: policy},
			Models: map[string]agent.Model{"other": other, "cheap": cheap},
		})
		if out := run(t, flow, nil); out.Text != c.want {
			t.Errorf("%q answered, want %q", out.Text, c.want)
		}
	}
	for name, m := range map[string]agent.Model{"unnamed": scripted(text("never")), "not comparable": opaque{1}} {
		policy := func(agent.Step) agent.Decision { return agent.Decision{Model: m} }
		stop := stops(t, clerk(agent.Agent{Model: scripted(), Policy: policy}), agent.StopRefused, nil)
		if e, ok := errors.AsType[*chat.Error](stop); !ok || e.Param != "Policy.Model" {
			t.Errorf("%s: %v", name, stop)
		}
	}
	same := scripted(text("myself"))
	policy := func(agent.Step) agent.Decision { return agent.Decision{Model: same} }
	if out := run(t, clerk(agent.Agent{Model: same, Policy: policy}), nil); out.Text != "myself" {
		t.Errorf("%+v", out)
	}
}

// TestControlTools: the model waits by a timer of the workflow, and switches to
// an engine whose name can be recorded.
func TestControlTools(t *testing.T) {
	t.Parallel()
	second := scripted(text("Good evening."))
	build := func(models map[string]agent.Model) *temporal.Flow {
		return temporal.New(temporal.Config{Name: "clerk", Models: models, Agent: agent.Agent{
			Model: scripted(calls(`wait {"seconds":3600}`, "a"), calls(`switch_engine {"name":"second"}`)),
			Tools: tools.NewSet(says("a", "x")),
			Allow: agent.ControlTools{Wait: 2 * time.Hour, Engines: map[string]agent.Model{"second": second}},
		}})
	}
	var began, ended time.Time
	out := run(t, build(map[string]agent.Model{"cheap": second}), func(env *testsuite.TestWorkflowEnvironment) {
		began = env.Now()
		env.SetOnTimerFiredListener(func(string) { ended = env.Now() })
	})
	if out.Text != "Good evening." || ended.Sub(began) != time.Hour {
		t.Errorf("%q after %v", out.Text, ended.Sub(began))
	}
	stops(t, build(nil), agent.StopRefused, nil)
}

// TestWaitIsCancelled: a workflow that is cancelled while the model waits ends
// at once.
func TestWaitIsCancelled(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{Model: scripted(calls(`wait {"seconds":3600}`), text("never")), Allow: agent.ControlTools{Wait: 2 * time.Hour}}
	stops(t, clerk(bot), agent.StopCancelled, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	})
}

// opaque is a model that can't be compared.
type opaque []int

func (opaque) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return text("never"), nil }

func (opaque) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return scripted().Stream(ctx, req)
}

func TestConfigurationsThatCannotWork(t *testing.T) {
	t.Parallel()
	for param, cfg := range map[string]temporal.Config{
		"Config.Agent.Store":       {Name: "clerk", Agent: agent.Agent{Store: &agent.MemoryStore{}, RunID: "1"}},
		"Config.Agent.Control":     {Name: "clerk", Agent: agent.Agent{Control: &agent.Control{}}},
		"Config.Agent.Runtime":     {Name: "clerk", Agent: agent.Agent{Runtime: wall{}}},
		"Config.Agent.Allow.Pause": {Name: "clerk", Agent: agent.Agent{Allow: agent.ControlTools{Pause: true}}},
		"Config.Agent.Allow.Servers": {Name: "clerk", Agent: agent.Agent{Allow: agent.ControlTools{
			Servers: map[string]func(context.Context) (*tools.Set, error){"files": nil},
		}}},
		"Agent.Model": {Name: "clerk"},
	} {
		if cfg.Agent.Model == nil && param != "Agent.Model" {
			cfg.Agent.Model = scripted(text("never"))
		}
		stop := stops(t, temporal.New(cfg), agent.StopRefused, nil)
		if e, ok := errors.AsType[*chat.Error](stop); !ok || e.Param != param || !errors.Is(stop, chat.ErrInvalid) {
			t.Errorf("%s: %v", param, stop)
		}
	}
}

// wall is a Runtime that a workflow may not have.
type wall struct{ agent.Runtime }
