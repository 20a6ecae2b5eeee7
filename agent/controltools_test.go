package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

func offered(req *chat.Request) []string {
	names := make([]string, 0, len(req.Tools))
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return names
}

// TestControlToolsAreOff: none is offered that is not allowed, and one that is
// allowed comes alone.
func TestControlToolsAreOff(t *testing.T) {
	t.Parallel()
	server := func(context.Context) (*tools.Set, error) { return tools.NewSet(), nil }
	for _, c := range []struct {
		allow agent.ControlTools
		want  []string
	}{
		{agent.ControlTools{}, []string{"look"}},
		{agent.ControlTools{AskUser: true}, []string{"look", "ask_user"}},
		{agent.ControlTools{Pause: true}, []string{"look", "pause"}},
		{agent.ControlTools{Abort: true}, []string{"look", "abort"}},
		{agent.ControlTools{Wait: time.Second}, []string{"look", "wait"}},
		{agent.ControlTools{Archive: true}, []string{"look", "read_archive"}},
		{agent.ControlTools{Engines: map[string]agent.Model{"big": scripted()}}, []string{"look", "switch_engine"}},
		{agent.ControlTools{Servers: map[string]func(context.Context) (*tools.Set, error){"files": server}}, []string{"look", "enable_server"}},
	} {
		model := scripted(text("hi"))
		bot := agent.Agent{Model: model, Tools: tools.NewSet(says("look", "x")), Allow: c.allow}
		if _, err := bot.Run(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
		same(t, "tools", offered(model.Requests[0]), c.want)
	}
	bot := agent.Agent{Model: scripted(text("hi")), Allow: agent.ControlTools{Abort: true}}
	if _, err := bot.Run(t.Context(), hello); err != nil {
		t.Errorf("an agent without tools of its own: %v", err)
	}
	for name, allow := range map[string]agent.ControlTools{
		"look":    {Pause: true, Engines: map[string]agent.Model{"big": nil}},
		"look2":   {Servers: map[string]func(context.Context) (*tools.Set, error){"files": nil}},
		"pause":   {Pause: true},
		"explain": {Abort: true, Engines: map[string]agent.Model{"": nil}},
	} {
		model := scripted(text("hi"))
		bot := agent.Agent{Model: model, Tools: tools.NewSet(says(name, "x")), Allow: allow}
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopRefused)
		if !errors.Is(err, chat.ErrInvalid) || len(model.Requests) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnToolsOfTheseNames: a tool that only has the name of a control tool steers
// nothing.
func TestOwnToolsOfTheseNames(t *testing.T) {
	t.Parallel()
	names := []string{"pause", "abort", "switch_engine", "enable_server"}
	own := make([]tools.Tool, 0, len(names))
	for _, name := range names {
		own = append(own, tools.New(name, "", func(context.Context, struct {
			Name   string `json:"name,omitempty"`
			Reason string `json:"reason,omitempty"`
		},
		) (string, error) {
			return "x", nil
		}))
	}
	bot := agent.Agent{Model: scripted(calls(names...), text("fine")), Tools: tools.NewSet(own...)}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || result.Text() != "fine" {
		t.Errorf("%q, %v", result.Text(), err)
	}
}

// TestAskUser: on the simulator, by the model's own call.
func TestAskUser(t *testing.T) {
	t.Parallel()
	bot := agent.Agent{Model: enginetest.New(), Allow: agent.ControlTools{AskUser: true}, Policy: agent.First("ask_user")}
	result, err := bot.Run(t.Context(), chat.User("Which castle do I mean?"))
	stopped(t, result, err, agent.StopQuestion)
	if len(result.Pending) != 1 || !result.Pending[0].External {
		t.Fatalf("pending %+v", result.Pending)
	}
	var in struct {
		Question string `json:"question"`
	}
	if err := json.Unmarshal(result.Pending[0].Arguments, &in); err != nil || in.Question == "" {
		t.Errorf("asks %s, %v", result.Pending[0].Arguments, err)
	}
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Answer(result.Pending[0].ID, "the Gravensteen"))
	if err != nil || !strings.Contains(result.Text(), "Gravensteen") {
		t.Errorf("%q, %v", result.Text(), err)
	}
}

// TestPause: the step is finished, and the run goes on when it is resumed.
func TestPause(t *testing.T) {
	t.Parallel()
	looked := 0
	store := &agent.MemoryStore{}
	bot := agent.Agent{
		Model: scripted(calls(`pause {"reason":"it is late"}`, "look"), text("fine")), Store: store, RunID: "run",
		Tools: tools.NewSet(counted("look", &looked, tools.Options{})), Allow: agent.ControlTools{Pause: true},
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopPaused)
	if !strings.Contains(err.Error(), "it is late") || looked != 1 {
		t.Errorf("%v, looked %d times", err, looked)
	}
	stored, err := agent.Load(t.Context(), store, "run")
	if err != nil {
		t.Fatal(err)
	}
	result, err = bot.Resume(t.Context(), stored)
	if err != nil || result.Text() != "fine" || looked != 1 {
		t.Errorf("%q, %v, looked %d times", result.Text(), err, looked)
	}
}

// TestAbort: the run ends with the model's reason, for good.
func TestAbort(t *testing.T) {
	t.Parallel()
	model := scripted(calls("look", `abort {"reason":"no data"}`), text("never"))
	end := named("look", func(ctx context.Context) (string, error) { agent.EndRun(ctx); return "x", nil })
	bot := agent.Agent{Model: model, Tools: tools.NewSet(end), Allow: agent.ControlTools{Abort: true, Pause: true}}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopAborted)
	for range 2 {
		if !strings.HasSuffix(err.Error(), "aborted: no data") || len(model.Requests) != 1 {
			t.Errorf("%v after %d requests", err, len(model.Requests))
		}
		result, err = bot.Resume(t.Context(), stateOf(t, result))
		stopped(t, result, err, agent.StopAborted)
	}
	bot.Allow.Abort = false
	result, err = bot.Resume(t.Context(), stateOf(t, result))
	stopped(t, result, err, agent.StopAborted)
	flow := agent.Sequential{&agent.Agent{Model: scripted(calls(`abort {"reason":"no"}`)), Allow: agent.ControlTools{Abort: true}}, echo("never")}
	result, err = agent.Run(t.Context(), flow, hello)
	stopped(t, result, err, agent.StopAborted)
}

// TestWait: it takes the time, no more than allowed, and ends with the run.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bot := agent.Agent{
			Model: scripted(calls(`wait {"seconds":90.5}`, `wait {"seconds":121}`, `wait {"seconds":1e300}`, `wait {"seconds":0}`), text("fine")),
			Allow: agent.ControlTools{Wait: 2 * time.Minute},
		}
		begin := time.Now()
		result, err := bot.Run(t.Context(), hello)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "calls", outcomes(result), []string{"0 wait succeeded", "0 wait failed", "0 wait failed", "0 wait failed"})
		if d := time.Since(begin); d != 90*time.Second+500*time.Millisecond {
			t.Errorf("waited %v", d)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		bot.Model = scripted(calls(`wait {"seconds":100}`))
		result, err = bot.Run(ctx, hello)
		stopped(t, result, err, agent.StopDeadline)
	})
}

// TestReadArchive: everything can be found and read, in bounded pieces.
func TestReadArchive(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Ünderneath the bridge. ", 1000) + "The key is 4711."
	history := []chat.Message{chat.User(long), chat.Assistant("Noted."), chat.User("Now what?")}
	var queries []string
	var read strings.Builder
	model := replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
		last := req.Messages[len(req.Messages)-1]
		res, ok := last.Parts[0].(chat.ToolResult)
		if !ok {
			return calls(`read_archive {}`), nil
		}
		answer := chat.Message{Parts: res.Parts}.Text()
		if len(answer) > 6200 {
			t.Errorf("an answer of %d bytes", len(answer))
		}
		body, next, _ := strings.Cut(answer, "\nGo on with from ")
		read.WriteString(strings.TrimPrefix(body, "[0 user] "))
		var from, offset int
		if n, _ := fmt.Sscanf(next, "%d, offset %d.", &from, &offset); n != 2 || from != 0 {
			return text(body), nil
		}
		queries = append(queries, next)
		return calls(fmt.Sprintf(`read_archive {"from":0,"offset":%d}`, offset)), nil
	})
	bot := agent.Agent{Model: model, Allow: agent.ControlTools{Archive: true}}
	if _, err := bot.Run(t.Context(), history...); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(read.String(), long) || len(queries) < 3 || !strings.Contains(read.String(), "[2 user] Now what?") {
		t.Errorf("read %d bytes of %d in %d pieces", read.Len(), len(long), len(queries))
	}
	for _, c := range []struct{ query, want string }{
		{`{"query":"KEY is"}`, "4711"},
		{`{"query":"castle"}`, "Nothing was found."},
		{`{"query":"key","from":1}`, "Nothing was found."},
		{`{"from":7}`, "from: the messages are 0 to 2, and an offset is not below 0"},
		{`{"from":-1}`, "from: the messages are 0 to 2, and an offset is not below 0"},
		{`{"from":2}`, "[2 user] Now what?\nThat was the last message."},
		{`{"from":1,"offset":4000}`, "[1 assistant] \n[2 user] Now what?\nThat was the last message."},
	} {
		bot := agent.Agent{Model: scripted(calls("read_archive "+c.query), text("fine")), Allow: agent.ControlTools{Archive: true}}
		result, err := bot.Run(t.Context(), history...)
		if err != nil {
			t.Fatal(err)
		}
		if got := said(result.Steps[0].Calls[0]); !strings.Contains(got, c.want) || len(got) > 1000 {
			t.Errorf("%s gives %q", c.query, got)
		}
	}
}

// TestArchiveHoldsAllParts: calls and results can be found, thoughts can't.
func TestArchiveHoldsAllParts(t *testing.T) {
	t.Parallel()
	history := []chat.Message{
		{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "See"}, chat.Image{}, chat.File{Name: "a.pdf"}, chat.Audio{}}},
		{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Thinking{Text: "secret"}, chat.ToolCall{ID: "x", Name: "look", Arguments: json.RawMessage(`{"at":1}`)}}},
		chat.Results(chat.ToolResult{CallID: "x", Name: "look", Parts: []chat.Part{chat.Text{Text: "a tree"}}}),
	}
	bot := agent.Agent{Model: scripted(calls("read_archive {}"), text("fine")), Allow: agent.ControlTools{Archive: true}}
	result, err := bot.Run(t.Context(), append(history, hello)...)
	if err != nil {
		t.Fatal(err)
	}
	want := "[0 user] See\n(an image)\n(a file: a.pdf)\n(audio)\n[1 assistant] calls look({\"at\":1})\n[2 tool] result of look: a tree\n[3 user] What is the weather in Ghent?\nThat was the last message."
	if got := said(result.Steps[0].Calls[0]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSwitchEngine: the other model goes on, after a resume too, and the name of
// the first one's model is not asked of it.
func TestSwitchEngine(t *testing.T) {
	t.Parallel()
	first, big := scripted(calls(`switch_engine {"name":"big"}`, `switch_engine {"name":"huge"}`)), scripted(calls("look"), calls(`pause {"reason":""}`), text("fine"))
	bot := agent.Agent{
		Model: first, Tools: tools.NewSet(says("look", "x")), Request: chat.Request{Model: "small-1"},
		Allow: agent.ControlTools{Pause: true, Engines: map[string]agent.Model{"big": big, "other": scripted()}},
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopPaused)
	same(t, "calls", outcomes(result), []string{"0 switch_engine succeeded", "0 switch_engine invalid", "1 look succeeded", "2 pause succeeded"})
	state := stateOf(t, result)
	result, err = bot.Resume(t.Context(), state)
	if err != nil || result.Text() != "fine" || len(first.Requests) != 1 || len(big.Requests) != 3 {
		t.Errorf("%q, %v; %d and %d requests", result.Text(), err, len(first.Requests), len(big.Requests))
	}
	if first.Requests[0].Model != "small-1" || big.Requests[0].Model != "" {
		t.Errorf("models %q, %q", first.Requests[0].Model, big.Requests[0].Model)
	}
	bot.Allow.Engines = map[string]agent.Model{"other": scripted(text("never"))}
	result, err = bot.Resume(t.Context(), state)
	stopped(t, result, err, agent.StopRefused)
	own := scripted(text("by policy"))
	bot.Allow.Engines = map[string]agent.Model{"big": big}
	bot.Policy = func(agent.Step) agent.Decision { return agent.Decision{Model: own, ModelName: "own-1"} }
	if result, err = bot.Resume(t.Context(), state); err != nil || result.Text() != "by policy" || own.Requests[0].Model != "own-1" {
		t.Errorf("%q, %v", result.Text(), err)
	}
}

// TestSwitchEngineOnProviders: a conversation goes on at another provider.
func TestSwitchEngineOnProviders(t *testing.T) {
	t.Parallel()
	server, err := sim.Start(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	small := engine.NewOpenAI(engine.Config{APIKey: "any", BaseURL: server.BaseURL("openai"), Model: "gpt-4o-mini"})
	big := engine.NewAnthropic(engine.Config{APIKey: "any", BaseURL: server.BaseURL("anthropic"), Model: "claude-sonnet-4-5"})
	bot := agent.Agent{
		Model: small, Policy: agent.Sequence("switch_engine", "get_weather"), Tools: tools.NewSet(weather),
		Allow: agent.ControlTools{Engines: map[string]agent.Model{"big": big}},
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	engines := make([]string, 0, len(result.Steps))
	for _, s := range result.Steps {
		engines = append(engines, s.Reply.Engine)
	}
	same(t, "engines", engines, []string{"openai", "anthropic", "anthropic"})
	same(t, "calls", outcomes(result), []string{"0 switch_engine succeeded", "1 get_weather succeeded"})
}

// TestEnableServer: the server's tools come with the next step, once each, and
// again when the run is resumed.
func TestEnableServer(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	fails := false
	sent := 0
	allow := agent.ControlTools{Servers: map[string]func(context.Context) (*tools.Set, error){
		"mail": func(context.Context) (*tools.Set, error) {
			if fails {
				return nil, errors.New("unreachable")
			}
			opened.Add(1)
			return tools.NewSet(counted("send", &sent, tools.Options{NeedsApproval: true})), nil
		},
		"twin":   func(context.Context) (*tools.Set, error) { return tools.NewSet(says("look", "x")), nil },
		"down":   func(context.Context) (*tools.Set, error) { return nil, errors.New("no route") },
		"empty":  func(context.Context) (*tools.Set, error) { return nil, nil },
		"faulty": func(context.Context) (*tools.Set, error) { return tools.NewSet(says("x y", "")), nil },
	}}
	model := scripted(
		calls(`enable_server {"name":"mail"}`, "send"),
		calls(`enable_server {"name":"mail"}`, `enable_server {"name":"twin"}`, `enable_server {"name":"down"}`, `enable_server {"name":"empty"}`, `enable_server {"name":"faulty"}`, `enable_server {"name":"x"}`),
		calls(`send {"to":"me"}`), text("fine"))
	set := tools.NewSet(says("look", "x"))
	set.MaxParallel = 1
	bot := agent.Agent{Model: model, Tools: set, Allow: allow}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	same(t, "calls", outcomes(result), []string{
		"0 enable_server succeeded", "0 send invalid",
		"1 enable_server succeeded", "1 enable_server failed", "1 enable_server failed", "1 enable_server failed", "1 enable_server failed", "1 enable_server invalid",
	})
	same(t, "tools", offered(model.Requests[0]), []string{"look", "enable_server"})
	same(t, "tools", offered(model.Requests[1]), []string{"look", "enable_server", "send"})
	same(t, "tools", offered(model.Requests[2]), []string{"look", "enable_server", "send"})
	if opened.Load() != 1 || said(result.Steps[0].Calls[0]) != `From the next step on there are these tools, too: ["send"]` {
		t.Errorf("opened %d times: %q", opened.Load(), said(result.Steps[0].Calls[0]))
	}
	state := stateOf(t, result)
	if waits, err := bot.Pending(state); err != nil || len(waits) != 1 || waits[0].ID != "c0" || opened.Load() != 1 {
		t.Errorf("waits for %+v, %v; opened %d times", waits, err, opened.Load())
	}
	fails = true
	result, err = bot.Resume(t.Context(), state, agent.Approve("c0"))
	stopped(t, result, err, agent.StopFailed)
	fails = false
	if waits, err := bot.Pending(stateOf(t, result)); err != nil || len(waits) != 0 {
		t.Errorf("waits for %+v, %v", waits, err)
	}
	result, err = bot.Resume(t.Context(), state, agent.Verdict{CallID: "c0", Approved: true, Arguments: json.RawMessage(`{"to":"you"}`)})
	if err != nil || sent != 1 || opened.Load() != 2 || !slices.Contains(offered(model.Requests[3]), "send") {
		t.Errorf("%v, sent %d times, opened %d times", err, sent, opened.Load())
	}
	if _, err = bot.Resume(t.Context(), stateOf(t, result)); err != nil || opened.Load() != 2 {
		t.Errorf("a run that has ended opened a server: %d, %v", opened.Load(), err)
	}
	bot.Allow.Servers = map[string]func(context.Context) (*tools.Set, error){"other": allow.Servers["twin"]}
	result, err = bot.Resume(t.Context(), state)
	stopped(t, result, err, agent.StopFailed)
	if !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("%v", err)
	}
}
