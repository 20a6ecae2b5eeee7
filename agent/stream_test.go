package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

func client(server *sim.Server) *http.Client {
	return &http.Client{Transport: server.RoundTripper()}
}

// drawn tells the events of a run in words, deltas joined. Ids that are made
// up differ between runs, so they are left out.
func drawn(t *testing.T, bot agent.Agent) []string {
	t.Helper()
	var out []string
	last := ""
	add := func(kind, line string) {
		if kind == "" || kind != last {
			out = append(out, line)
		} else {
			out[len(out)-1] += strings.TrimPrefix(line, kind)
		}
		last = kind
	}
	for ev, err := range bot.Stream(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case agent.StepStarted:
			add("", fmt.Sprintf("step %d: %s by %s/%s rewritten %v", ev.Step, ev.ToolChoice, ev.Engine, ev.Model, kinds(ev.Rewrites)))
		case agent.Delta:
			kind, line := delta(ev.Event)
			add(kind, line)
		case agent.CallStarted:
			add("", fmt.Sprintf("started %s(%s)", ev.Call.Name, compact(ev.Call.Arguments)))
		case agent.Nested:
			add("", fmt.Sprintf("inside of %s: %T", ev.Name, ev.Event))
		case agent.CallFinished:
			add("", fmt.Sprintf("finished %s: %s", ev.Name, ev.Outcome))
		case agent.StepFinished:
			add("", fmt.Sprintf("step %d: %s, used %d of %d", ev.Index, ev.Reply.Finish, ev.Usage.Total(), ev.Total.Total()))
		case agent.Compacted:
			add("", fmt.Sprintf("compacted before step %d", ev.Step))
		case agent.Done:
			add("", fmt.Sprintf("done: %s, %q", ev.Result.Reason, ev.Result.Text()))
		}
	}
	return out
}

func delta(ev chat.Event) (kind, line string) {
	switch ev := ev.(type) {
	case chat.TextDelta:
		return "text ", "text " + ev.Text
	case chat.ThinkingDelta:
		return "thought ", "thought " + ev.Text
	case chat.ToolCallStart:
		return "", fmt.Sprintf("call %d of %s", ev.Index, ev.Name)
	case chat.ToolCallDelta:
		kind := fmt.Sprintf("arguments %d ", ev.Index)
		return kind, kind + ev.Arguments
	case chat.ToolCallDone:
		return "", fmt.Sprintf("ready %d of %s", ev.Index, ev.Call.Name)
	case chat.Done:
		return "", "the end of a reply, which is no delta"
	}
	return "", fmt.Sprintf("%T", ev)
}

func kinds(steps []chat.PlanStep) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = string(s.Kind)
	}
	return out
}

func compact(raw json.RawMessage) string { return strings.Join(strings.Fields(string(raw)), "") }

func TestEvents(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{
		Model: enginetest.New(enginetest.Thinks("Where is that?", sim.Turn{
			Text:  "Let me look.",
			Calls: []sim.ToolCall{{Name: "nothing"}, {Name: "get_weather", Arguments: json.RawMessage(`{"city":"Ghent"}`)}},
			Usage: sim.Usage{Input: 100, Output: 20},
		}), sim.Turn{Text: "It is cold.", Usage: sim.Usage{Input: 150, Output: 5}}),
		Tools: tools.NewSet(weather),
	}
	same(t, "events", drawn(t, bot), []string{
		"step 0: unset by openai-compatible/fake-model rewritten []",
		"thought Where is that?",
		"text Let me look.",
		"call 0 of nothing",
		"arguments 0 {}",
		"call 1 of get_weather",
		`arguments 1 {"city":"Ghent"}`,
		"ready 1 of get_weather",
		"finished nothing: invalid",
		`started get_weather({"city":"Ghent"})`,
		"finished get_weather: succeeded",
		"step 0: tool_calls, used 120 of 120",
		"step 1: unset by openai-compatible/fake-model rewritten []",
		"text It is cold.",
		"step 1: stop, used 155 of 275",
		`done: answered, "It is cold."`,
	})
}

// TestCatalog: the same agent on every engine, streamed and not, gives the same
// events in the same order.
func TestCatalog(t *testing.T) {
	t.Parallel()
	for _, entry := range engine.Catalog() {
		for name, policy := range map[string]agent.Policy{"forced first": agent.First("get_weather"), "free": nil} {
			t.Run(entry.Profile.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				streamed, whole := drawn(t, onSim(entry, policy, false)), drawn(t, onSim(entry, policy, true))
				same(t, "unstreamed against streamed", whole, streamed)
				if policy == nil && !entry.Profile.Can.Has(profile.ToolUse) {
					return // answers without the tools, as permitted
				}
				all := strings.Join(streamed, "\n")
				if !strings.Contains(all, "finished get_weather: succeeded") || !strings.Contains(streamed[len(streamed)-1], "4 °C") {
					t.Errorf("events:\n%s", all)
				}
			})
		}
	}
}

// onSim is an agent on a simulator of its own. Where a provider calls no tools
// by itself it may answer without them.
func onSim(entry engine.Entry, policy agent.Policy, unstreamed bool) agent.Agent {
	server := sim.New(sim.Options{})
	return agent.Agent{
		Model: entry.New(engine.Config{
			BaseURL: server.BaseURL(entry.Profile.Name), APIKey: "any", Model: entry.Profile.Example, MaxAttempts: 1,
			Region: "eu-central-1", Project: "p", HTTPClient: client(server),
		}),
		Tools: tools.NewSet(says("list_berths", "none"), weather), Policy: policy, Unstreamed: unstreamed,
		Request: chat.Request{Adapt: chat.Adapt{ThinkingOff: true, Drop: []string{"Tools"}}},
	}
}

// TestSameEvents: what no well-behaved provider says is told alike, too.
func TestSameEvents(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]sim.Turn{
		"thoughts, text and calls": enginetest.Thinks("Hm.", sim.Turn{Text: "Look.", Calls: []sim.ToolCall{
			{Name: "get_weather", Arguments: json.RawMessage(`{"city":"Ghent"}`)}, {Name: "list_berths"},
		}}),
		"an invented tool":  enginetest.Calls("invented", city{"Ghent"}),
		"wrong arguments":   enginetest.Calls("get_weather", 3),
		"broken arguments":  {Calls: []sim.ToolCall{{Name: "get_weather", Arguments: json.RawMessage(`{"city":`)}}},
		"no arguments":      {Calls: []sim.ToolCall{{Name: "list_berths"}}},
		"calls interleaved": enginetest.Interleaved(sim.ToolCall{Name: "list_berths"}, sim.ToolCall{Name: "list_berths"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := tools.NewSet(weather, says("list_berths", "none"))
			set.MaxParallel = 1
			var told [2][]string
			for i, unstreamed := range []bool{false, true} {
				fake := enginetest.New(turn, enginetest.Says("fine"))
				told[i] = drawn(t, agent.Agent{Model: fake, Tools: set, Unstreamed: unstreamed})
			}
			if name == "calls interleaved" { // whole calls have no bits to mix
				told[0], told[1] = withoutArguments(told[0]), withoutArguments(told[1])
			}
			same(t, "unstreamed against streamed", told[1], told[0])
		})
	}
}

// withoutArguments leaves a call's beginning out, too: it has no fixed place.
func withoutArguments(events []string) []string {
	return slices.DeleteFunc(events, func(e string) bool {
		return strings.HasPrefix(e, "arguments ") || strings.HasPrefix(e, "call ")
	})
}

// TestBreak: leaving the range at any event ends all that runs.
func TestBreak(t *testing.T) {
	t.Parallel()
	wait := named("wait", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
	turns := func() []sim.Turn {
		return []sim.Turn{enginetest.Interleaved(sim.ToolCall{Name: "quick"}, sim.ToolCall{Name: "wait"}, sim.ToolCall{Name: "nothing"})}
	}
	set := tools.NewSet(wait, says("quick", "x"))
	for leave := range 13 {
		t.Run(fmt.Sprint("after ", leave), func(t *testing.T) {
			t.Parallel()
			fake := enginetest.New(turns()...)
			bot := agent.Agent{Model: fake, Tools: set}
			n := 0
			for _, err := range bot.Stream(t.Context(), hello) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > leave {
					break
				}
			}
			if n != leave+1 {
				t.Errorf("%d events came", n)
			}
		})
	}
}

// TestNoGoroutineIsLeft: after a run that was left in the middle of its tools.
func TestNoGoroutineIsLeft(t *testing.T) { //nolint:paralleltest // counts the goroutines of the process
	before := runtime.NumGoroutine()
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		wait := named("wait", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
		bot := agent.Agent{Model: scripted(calls("wait", "wait")), Tools: tools.NewSet(wait)}
		for ev := range bot.Stream(t.Context(), hello) {
			if _, ok := ev.(agent.CallStarted); ok {
				break
			}
		}
	})
	if after := runtime.NumGoroutine(); after > before+1 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

func TestStreamErrors(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{
		Model: enginetest.New(enginetest.Calls("get_weather", city{"Ghent"}), enginetest.Cut(3, enginetest.Says("It is cold in Ghent today."))),
		Tools: tools.NewSet(weather),
	}
	run := bot.Stream(t.Context(), hello)
	var failure error
	for ev, err := range run {
		if failure != nil {
			t.Errorf("%T after the error", ev)
		}
		if failure = err; err != nil && ev != nil {
			t.Errorf("%T beside the error", ev)
		}
	}
	stop, ok := errors.AsType[*agent.StopError](failure)
	if !ok || !errors.Is(failure, chat.ErrTruncated) || stop.Step != 1 || len(stop.Result.Messages) != 3 {
		t.Fatalf("%v", failure)
	}
	sound(t, stop.Result)
	for _, err := range run {
		if !errors.Is(err, chat.ErrStreamUsed) {
			t.Errorf("the second range: %v", err)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{
		Model: enginetest.New(sim.Turn{Text: "Looking. ", Calls: []sim.ToolCall{{Name: "a"}}}, enginetest.Says("Cold."), enginetest.Fails(500, "")),
		Tools: tools.NewSet(says("a", "x")),
	}
	var all strings.Builder
	for text, err := range agent.Texts(bot.Stream(t.Context(), hello)) {
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(text)
	}
	if all.String() != "Looking. Cold." {
		t.Errorf("got %q", all.String())
	}
	for range agent.Texts(bot.Stream(t.Context(), hello)) {
		break
	}
	bot.Model = enginetest.New(enginetest.Fails(401, ""))
	for text, err := range agent.Texts(bot.Stream(t.Context(), hello)) {
		if text != "" || !errors.Is(err, chat.ErrAuth) {
			t.Errorf("%q, %v", text, err)
		}
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		control := new(agent.Control)
		wait := named("wait", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() })
		late := func(context.Context) (*chat.Reply, error) {
			control.Inject(chat.User("And tomorrow?"))
			return text("cold"), nil
		}
		model := scripted(calls("wait", "quick"), late, text("colder"))
		bot := agent.Agent{Model: model, Tools: tools.NewSet(wait, says("quick", "x")), Control: control}
		time.AfterFunc(time.Second, func() {
			control.Inject(chat.User("Hurry!"))
			if !control.Cancel("c0") || control.Cancel("c1") || control.Cancel("c9") {
				t.Error("only c0 is running")
			}
		})
		result, err := bot.Run(t.Context(), hello)
		if err != nil || result.Text() != "colder" || len(result.Steps) != 3 {
			t.Fatalf("%v: %+v", err, result)
		}
		same(t, "calls", outcomes(result), []string{"0 wait failed", "0 quick succeeded"})
		if c := result.Steps[0].Calls[0]; said(c) != "the call was cancelled" || c.Duration != time.Second {
			t.Errorf("the model is told %q after %v", said(c), c.Duration)
		}
		var said []string
		for _, m := range result.Messages {
			if m.Role == chat.RoleUser {
				said = append(said, m.Text())
			}
		}
		same(t, "user messages", said, []string{hello.Text(), "Hurry!", "And tomorrow?"})
	})
}

// TestInjectedIsTold: a listener sees what was put into the conversation.
func TestInjectedIsTold(t *testing.T) {
	t.Parallel()
	control := new(agent.Control)
	control.Inject(chat.User("one"), chat.User("two"))
	bot := agent.Agent{Model: enginetest.New(enginetest.Says("fine")), Control: control}
	for ev, err := range bot.Stream(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := ev.(agent.StepStarted); ok && len(s.Injected) != 2 {
			t.Errorf("injected: %+v", s.Injected)
		}
	}
}

// TestBreakBeforeACall: a call that the consumer did not want to see begin does
// not begin.
func TestBreakBeforeACall(t *testing.T) {
	t.Parallel()
	for _, runtime := range []agent.Runtime{nil, clock{0, &placeLog{}}} {
		ran := 0
		bot := agent.Agent{Model: scripted(calls("send", "send")), Tools: tools.NewSet(counted("send", &ran, tools.Options{SideEffects: true})), Runtime: runtime}
		for ev := range bot.Stream(t.Context(), hello) {
			if _, ok := ev.(agent.CallStarted); ok {
				break
			}
		}
		if ran > 0 {
			t.Errorf("ran %d times", ran)
		}
	}
}
