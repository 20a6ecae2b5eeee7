package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

func TestRun(t *testing.T) {
	t.Parallel()
	crash := named("crash", func(context.Context) (string, error) { panic("boom") }) //nolint:forbidigo // a panic is what is tested
	fail := named("fail", func(context.Context) (string, error) { return "", errors.New("no such berth") })
	slow := named("slow", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }).
		With(tools.Options{Timeout: time.Millisecond})
	once := says("once", "done").With(tools.Options{MaxCalls: 1})
	for _, c := range []struct {
		name    string
		replies []any
		want    []string
		says    string // in the last call's result
	}{
		{"no call", []any{text("fine")}, nil, ""},
		{"a call", []any{calls(`get_weather {"city":"Ghent"}`), text("fine")}, []string{"0 get_weather succeeded"}, "4 °C in Ghent"},
		{
			"text before a call does not end the run",
			[]any{
				&chat.Reply{Finish: chat.FinishStop, Parts: []chat.Part{
					chat.Text{Text: "Let me look."},
					chat.ToolCall{ID: "x", Name: "get_weather", Arguments: json.RawMessage(`{"city":"Ghent"}`)},
				}}, text("fine"),
			},
			[]string{"0 get_weather succeeded"},
			"4 °C",
		},
		{"a panic", []any{calls("crash"), text("fine")}, []string{"0 crash failed"}, "boom"},
		{"an error", []any{calls("fail"), text("fine")}, []string{"0 fail failed"}, "no such berth"},
		{"out of time", []any{calls("slow"), text("fine")}, []string{"0 slow failed"}, "timed out"},
		{"an unknown tool", []any{calls("get_wether"), text("fine")}, []string{"0 get_wether invalid"}, `no tool "get_wether"`},
		{
			"wrong arguments, mended",
			[]any{calls(`get_weather {"town":"Ghent"}`), calls(`get_weather {"city":"Ghent"}`), text("fine")},
			[]string{"0 get_weather invalid", "1 get_weather succeeded"},
			"4 °C",
		},
		{"broken arguments", []any{calls(`get_weather {"city":"Gh`), text("fine")}, []string{"0 get_weather invalid"}, "arguments"},
		{
			"null for nothing",
			[]any{calls(`once {"x":null}`), calls("once null"), text("fine")},
			[]string{"0 once invalid", "1 once succeeded"},
			"done",
		},
		{"max calls of a tool", []any{calls("once", "once"), text("fine")}, []string{"0 once succeeded", "0 once refused"}, "as often as it may"},
		{
			"side by side, in order",
			[]any{calls("fail", `get_weather {"city":"Ghent"}`, "nothing"), text("fine")},
			[]string{"0 fail failed", "0 get_weather succeeded", "0 nothing invalid"},
			"no tool",
		},
	} {
		for _, unstreamed := range []bool{false, true} {
			t.Run(c.name+way(unstreamed), func(t *testing.T) {
				t.Parallel()
				model := scripted(c.replies...)
				bot := agent.Agent{Model: model, Tools: tools.NewSet(weather, crash, fail, slow, once), Unstreamed: unstreamed}
				result := finished(t, bot)
				sound(t, result)
				same(t, "calls", outcomes(result), c.want)
				if result.Reason != agent.StopAnswered || result.Text() != "fine" {
					t.Errorf("%s: %q", result.Reason, result.Text())
				}
				if len(c.want) > 0 {
					last := result.Steps[len(result.Steps)-2].Calls
					if got := said(last[len(last)-1]); !strings.Contains(got, c.says) {
						t.Errorf("the model is told %q, want %q in it", got, c.says)
					}
				}
			})
		}
	}
}

func way(unstreamed bool) string {
	if unstreamed {
		return " unstreamed"
	}
	return " streamed"
}

// finished runs the agent by its stream and gives the result.
func finished(t *testing.T, bot agent.Agent) *agent.Result {
	t.Helper()
	var result *agent.Result
	for ev, err := range bot.Stream(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		if done, ok := ev.(agent.Done); ok {
			result = done.Result
		}
	}
	if result == nil {
		t.Fatal("no Done")
	}
	return result
}

func TestConversation(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Says("Cold."), enginetest.Says("Bye."))
	bot := agent.Agent{
		Model: fake, Tools: tools.NewSet(weather), System: "Be brief.",
		Request: chat.Request{System: "Speak Dutch.", MaxTokens: 99},
	}
	first, err := bot.Run(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(first.Messages)
	if err != nil {
		t.Fatal(err)
	}
	var restored []chat.Message
	if err := json.Unmarshal(stored, &restored); err != nil {
		t.Fatal(err)
	}
	second, err := bot.Run(t.Context(), append(restored, chat.User("Thanks."))...)
	if err != nil || second.Text() != "Bye." || len(second.Messages) != 6 || len(second.Steps) != 1 {
		t.Errorf("%v: %+v", err, second)
	}
	for i, r := range fake.Requests() {
		if r.System != "Be brief.\n\nSpeak Dutch." || r.MaxTokens != 99 || len(r.Tools) != 1 {
			t.Errorf("request %d: %+v", i, r)
		}
	}
}

func TestUsageAndCost(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{
		Model: scripted(calls("a"), text("fine")), Tools: tools.NewSet(says("a", "b")),
		Price: func(r *chat.Reply) float64 { return float64(r.Usage.Total()) / 10 },
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Usage.Total() != 30 || result.Cost != 3 || result.Steps[1].Cost != 1.5 {
		t.Errorf("%v: %+v", err, result)
	}
}

func TestThoughts(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{
		Model: enginetest.New(enginetest.Thinks("Where?", enginetest.Calls("a", nil)), enginetest.Calls("a", nil), enginetest.Thinks("Ah.", enginetest.Says("Ghent."))),
		Tools: tools.NewSet(says("a", "x")),
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Thoughts() != "Where?\nAh." || result.Text() != "Ghent." {
		t.Errorf("%v: thoughts %q, text %q", err, result.Thoughts(), result.Text())
	}
}

func TestToolEndsTheRun(t *testing.T) {
	t.Parallel()
	submit := named("submit", func(ctx context.Context) (string, error) {
		if !agent.EndRun(ctx) {
			return "", errors.New("no run")
		}
		return "handed in", nil
	})
	failing := named("failing", func(ctx context.Context) (string, error) { agent.EndRun(ctx); return "", errors.New("not yet") })
	model := scripted(calls("failing"), calls("beside", "submit"), text("never"))
	bot := agent.Agent{Model: model, Tools: tools.NewSet(submit, failing, says("beside", "x"))}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Reason != agent.StopTool || result.Text() != "handed in" || len(model.Requests) != 2 {
		t.Errorf("%v: %q after %d requests: %q", err, result.Reason, len(model.Requests), result.Text())
	}
	sound(t, result)
	if agent.EndRun(t.Context()) {
		t.Error("there is no run to end")
	}
}

func TestImagesOfTools(t *testing.T) {
	t.Parallel()
	look := tools.New("look", "Looks.", func(context.Context, struct{}) ([]chat.Part, error) {
		return []chat.Part{chat.Text{Text: "a castle"}, chat.Image{MediaType: "image/png", Data: []byte("png")}}, nil
	})
	model := scripted(calls("look"), text("fine"))
	bot := agent.Agent{Model: model, Tools: tools.NewSet(look)}
	if _, err := bot.Run(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	res, _ := model.Requests[1].Messages[2].Parts[0].(chat.ToolResult)
	if img, ok := res.Parts[len(res.Parts)-1].(chat.Image); !ok || string(img.Data) != "png" || res.Name != "look" {
		t.Errorf("the model is shown %+v", res)
	}
}

// TestPauses: a paused reply is said back in the same step, with the same
// choice.
func TestPauses(t *testing.T) {
	t.Parallel()
	paused := func() *chat.Reply { return ended(text("Searching "), chat.FinishPaused) }
	model := scripted(paused(), paused(), calls("a"), paused(), text("done."))
	bot := agent.Agent{Model: model, Tools: tools.NewSet(says("a", "b")), Policy: agent.First("a")}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || len(result.Steps) != 2 || result.Text() != "Searching done." || result.Usage.Total() != 75 {
		t.Fatalf("%v: %+v", err, result)
	}
	for i, want := range []toolchoice.Choice{toolchoice.Tool("a"), toolchoice.Tool("a"), toolchoice.Tool("a"), {}, {}} {
		if got := model.Requests[i].ToolChoice; got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	if n := len(model.Requests[2].Messages); n != 3 {
		t.Errorf("%d messages are said back, want 3", n)
	}

	bot = agent.Agent{Model: scripted(paused(), paused(), paused(), paused()), Limits: agent.Limits{Hops: 2}}
	result, err = bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopHops)
	if len(result.Steps) != 1 || len(result.Steps[0].Paused) != 3 {
		t.Errorf("%+v", result.Steps)
	}
}

// TestParallel: calls run side by side up to the limit, serial tools one at a
// time, and results stand in call order.
func TestParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most, serial atomic.Int32
		wait := func(name string, d time.Duration, serially bool) tools.Tool {
			return named(name, func(context.Context) (string, error) {
				for n := running.Add(1); n > most.Load(); {
					most.Store(n)
				}
				if serially && serial.Add(1) > 1 {
					t.Error("two serial tools at once")
				}
				time.Sleep(d)
				if serially {
					serial.Add(-1)
				}
				running.Add(-1)
				return name, nil
			}).With(tools.Options{Serial: serially})
		}
		set := tools.NewSet(wait("one", 1*time.Second, false), wait("two", 2*time.Second, false),
			wait("s", time.Second, true), wait("t", time.Second, true))
		set.MaxParallel = 3
		bot := agent.Agent{Model: scripted(calls("two", "s", "t", "one", "two", "one"), text("fine")), Tools: set}
		began := time.Now()
		result, err := bot.Run(t.Context(), hello)
		if err != nil {
			t.Fatal(err)
		}
		// two, s and one begin; at 1 s t and two follow, at 2 s one: 3 s in all.
		if took := time.Since(began); took != 3*time.Second || most.Load() != 3 {
			t.Errorf("took %v with at most %d at once", took, most.Load())
		}
		got := make([]string, 0, 6)
		for _, c := range result.Steps[0].Calls {
			got = append(got, said(c)+" "+c.Duration.String())
		}
		same(t, "results", got, []string{"two 2s", "s 1s", "t 1s", "one 1s", "two 2s", "one 1s"})
		sound(t, result)
	})
}

// folder contains itself.
type folder struct {
	Name    string   `json:"name"`
	Folders []folder `json:"folders,omitempty"`
}

// TestRecursiveArguments: an argument type that refers to itself is a schema
// with $defs, checked at every depth.
func TestRecursiveArguments(t *testing.T) {
	t.Parallel()
	depth := 0
	file := tools.New("file", "Files.", func(_ context.Context, in folder) (string, error) {
		for ; len(in.Folders) > 0; in = in.Folders[0] {
			depth++
		}
		return "filed", nil
	})
	if schema := string(file.Def.Schema); !strings.Contains(schema, `"$defs"`) || !strings.Contains(schema, `"$ref"`) {
		t.Errorf("schema %s", schema)
	}
	model := scripted(calls(`file {"name":"a","folders":[{"name":"b","folders":[{"name":3}]}]}`),
		calls(`file {"name":"a","folders":[{"name":"b","folders":[{"name":"c"}]}]}`), text("fine"))
	bot := agent.Agent{Model: model, Tools: tools.NewSet(file)}
	result, err := bot.Run(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "calls", outcomes(result), []string{"0 file invalid", "1 file succeeded"})
	if depth != 2 {
		t.Errorf("the tool saw depth %d", depth)
	}
}

// TestManyAtOnce: one Agent serves many runs, each with counters of its own.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	once := weather.With(tools.Options{MaxCalls: 1, Serial: true})
	bot := agent.Agent{Model: claude(server), Tools: tools.NewSet(once), Policy: agent.First("get_weather")}
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			result, err := bot.Run(t.Context(), hello)
			if err != nil || !strings.Contains(result.Text(), "4 °C") {
				t.Errorf("%v: %q", err, result.Text())
			}
		})
	}
	wg.Wait()
}

// louder is a middleware that notes who asked.
func louder(name string, heard *[]string) func(agent.Model) agent.Model {
	return func(m agent.Model) agent.Model { return loud{m, name, heard} }
}

type loud struct {
	agent.Model

	name  string
	heard *[]string
}

func (l loud) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	*l.heard = append(*l.heard, l.name)
	return l.Model.Chat(ctx, req)
}

// TestMiddleware: it is around every model that a step asks, and hides no plan.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	var heard []string
	second := scripted(text("fine"))
	bot := agent.Agent{
		Model: enginetest.New(enginetest.Calls("a", nil)), Tools: tools.NewSet(says("a", "x")),
		Middleware: []func(agent.Model) agent.Model{louder("outer", &heard), louder("inner", &heard)},
		Policy: func(s agent.Step) agent.Decision {
			if s.Index == 0 {
				return agent.Decision{ToolChoice: toolchoice.Tool("a")}
			}
			return agent.Decision{Model: second}
		},
	}
	if plans, err := bot.Plan(hello); err != nil || len(plans) == 0 {
		t.Errorf("%d plans, %v", len(plans), err)
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Text() != "fine" {
		t.Fatal(result.Text(), err)
	}
	same(t, "heard", heard, []string{"outer", "inner", "outer", "inner"})
	bot.Policy = func(agent.Step) agent.Decision { return agent.Decision{Model: scripted(text("fine"))} }
	if result, err := bot.Run(t.Context(), hello); err != nil || result.Text() != "fine" {
		t.Errorf("a policy whose first model can't plan: %v", err)
	}
}
