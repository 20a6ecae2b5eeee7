package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// echo is an agent that answers with its input and its name.
func echo(name string) *agent.Agent {
	return &agent.Agent{Model: replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
		return text(req.Messages[len(req.Messages)-1].Text() + name), nil
	})}
}

// breaks is an agent whose model fails the first time.
func breaks() *agent.Agent {
	return &agent.Agent{Model: scripted(errors.New("down"), text("up again"))}
}

// asks is an agent that pays when it may.
func asks(paid *atomic.Int32) *agent.Agent {
	pay := tools.New("pay", "", func(context.Context, struct{}) (string, error) { paid.Add(1); return "paid", nil })
	return &agent.Agent{Model: scripted(calls("pay"), text("paid")), Tools: tools.NewSet(pay.With(tools.Options{NeedsApproval: true}))}
}

func plus(s string) agent.Func {
	return func(_ context.Context, in []chat.Message) (chat.Message, error) {
		return chat.User(in[len(in)-1].Text() + s), nil
	}
}

// TestFlows: what the flows answer, by Run and by Stream, and that a flow that
// has ended well is not run again.
func TestFlows(t *testing.T) {
	t.Parallel()
	long := func(_ context.Context, _ int, r *agent.Result) bool { return len(r.Text()) >= 4 }
	for _, c := range []struct {
		name string
		flow agent.Runner
		want string
		runs int
		used int
	}{
		{"one after the other", agent.Sequential{echo("a"), echo("b"), echo("c")}, "-abc", 3, 45},
		{"with functions", agent.Sequential{plus("1"), echo("a"), plus("2"), plus("3")}, "-1a23", 4, 15},
		{"side by side", agent.Parallel{Runners: []agent.Runner{echo("a"), plus("b"), echo("c")}}, "-a\n\n-b\n\n-c", 3, 30},
		{"one at a time", agent.Parallel{Runners: []agent.Runner{echo("a"), echo("b")}, Limit: 1}, "-a\n\n-b", 2, 30},
		{"merged", agent.Parallel{
			Runners: []agent.Runner{echo("a"), echo("b")},
			Merge: func(_ context.Context, all []*agent.Result) (chat.Message, error) {
				return chat.User(all[1].Text() + all[0].Text()), nil
			},
		}, "-b-a", 2, 30},
		{"rounds", agent.Loop{Runner: echo("a"), Rounds: 3}, "-aaa", 3, 45},
		{"rounds by default", agent.Loop{Runner: plus("a")}, "-aaaaaaaaaa", 10, 0},
		{"until", agent.Loop{Runner: echo("a"), Until: long}, "-aaa", 3, 45},
		{"nested", agent.Sequential{
			agent.Parallel{Runners: []agent.Runner{echo("a"), agent.Sequential{echo("b"), echo("c")}}},
			agent.Loop{Runner: echo("d"), Rounds: 2},
		}, "-a\n\n-bcdd", 2, 75},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result, err := agent.Run(t.Context(), c.flow, chat.User("-"))
			if err != nil {
				t.Fatal(err)
			}
			_, streamed, err := told(t, agent.Stream(t.Context(), c.flow, chat.User("-")))
			if err != nil {
				t.Fatal(err)
			}
			again, err := agent.Resume(t.Context(), c.flow, stateOf(t, result))
			if err != nil {
				t.Fatal(err)
			}
			events, fourth, err := told(t, agent.ResumeStream(t.Context(), c.flow, stateOf(t, again)))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*agent.Result{result, streamed, again, fourth} {
				if r.Text() != c.want || len(r.Runs) != c.runs || r.Usage.Total() != c.used || r.Reason != agent.StopAnswered || len(r.Messages) < 2 {
					t.Errorf("%q by %d runs, used %d: %s", r.Text(), len(r.Runs), r.Usage.Total(), r.Reason)
				}
				sound(t, r)
			}
			same(t, "events of what has ended", events, []string{"done: " + c.want})
			if string(stateOf(t, result)) != string(stateOf(t, fourth)) {
				t.Errorf("the state changes:\n%s\n%s", stateOf(t, result), stateOf(t, fourth))
			}
		})
	}
}

// TestFlowEvents: events stand inside of those of the flow.
func TestFlowEvents(t *testing.T) {
	t.Parallel()
	flow := agent.Sequential{echo(""), agent.Loop{Runner: echo("b"), Rounds: 2}}
	got, _, err := told(t, agent.Stream(t.Context(), flow, chat.User("a")))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "events", got, []string{
		"0> step 0", "0> text a", "0> step 0 used 15 of 15", "0> done: a",
		"1> 0> step 0", "1> 0> text a", "1> 0> text b", "1> 0> step 0 used 15 of 15", "1> 0> done: ab",
		"1> 1> step 0", "1> 1> text a", "1> 1> text b", "1> 1> text b", "1> 1> step 0 used 15 of 15", "1> 1> done: abb",
		"1> done: abb", "done: abb",
	})
	events := agent.Stream(t.Context(), flow, hello)
	for range events {
		break
	}
	for _, err := range events {
		if !errors.Is(err, chat.ErrStreamUsed) {
			t.Errorf("a second range gives %v", err)
		}
	}
}

// TestFlowStops: the first run that does not end well ends the flow, and the flow
// goes on from there.
func TestFlowStops(t *testing.T) {
	t.Parallel()
	var paid atomic.Int32
	never := func(context.Context, int, *agent.Result) bool { return false }
	crash := agent.Func(func(context.Context, []chat.Message) (chat.Message, error) { panic("no") }) //nolint:forbidigo // what is tested
	fail := agent.Func(func(context.Context, []chat.Message) (chat.Message, error) { return chat.Message{}, errors.New("no") })
	pauses := func() *agent.Agent {
		return &agent.Agent{Model: scripted(calls(`pause {"reason":"tea"}`), text("rested")), Allow: agent.ControlTools{Pause: true}}
	}
	for _, c := range []struct {
		name     string
		flow     agent.Runner
		want     agent.Reason
		step     int
		pending  []string
		verdicts []agent.Verdict
		then     string // empty: it can't be gone on with
	}{
		{"failure", agent.Sequential{plus("a"), breaks(), plus("b")}, agent.StopFailed, 1, nil, nil, "up againb"},
		{"function", agent.Sequential{plus("a"), fail}, agent.StopFailed, 1, nil, nil, ""},
		{"crash", agent.Sequential{crash}, agent.StopFailed, 0, nil, nil, ""},
		{"approval", agent.Sequential{plus("a"), asks(&paid), plus("b")}, agent.StopApproval, 1, []string{"1/c0"}, []agent.Verdict{agent.Approve("1/c0")}, "paidb"},
		{"pause", agent.Sequential{pauses(), plus("b")}, agent.StopPaused, 0, nil, nil, "restedb"},
		{"pause in a loop", agent.Loop{Runner: agent.Sequential{plus("a"), pauses()}, Rounds: 1}, agent.StopPaused, 0, nil, nil, "rested"},
		{"rounds", agent.Loop{Runner: echo("a"), Rounds: 2, Until: never}, agent.StopRounds, 1, nil, nil, ""},
		{
			"side by side",
			agent.Parallel{Runners: []agent.Runner{asks(&paid), plus("b"), agent.Sequential{pauses(), asks(&paid)}}},
			agent.StopApproval, 0,
			[]string{"0/c0"},
			[]agent.Verdict{agent.Deny("0/c0", "")},
			"",
		},
		{"failure side by side", agent.Parallel{Runners: []agent.Runner{plus("a"), breaks()}, Limit: 1}, agent.StopFailed, 1, nil, nil, "-a\n\nup again"},
		{"best effort", agent.Parallel{Runners: []agent.Runner{breaks(), asks(&paid)}, BestEffort: true}, agent.StopApproval, 1, []string{"1/c0"}, []agent.Verdict{agent.Approve("1/c0")}, "up again\n\npaid"},
		{"all fail", agent.Parallel{Runners: []agent.Runner{breaks()}, BestEffort: true}, agent.StopFailed, 0, nil, nil, "up again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result, err := agent.Run(t.Context(), c.flow, chat.User("-"))
			stopped(t, result, err, c.want)
			stop, _ := errors.AsType[*agent.StopError](err)
			ids := make([]string, 0, 1)
			for _, p := range result.Pending {
				ids = append(ids, p.ID)
			}
			if stop.Step != c.step || !slices.Equal(ids, c.pending) {
				t.Errorf("stopped at %d, pending %q", stop.Step, ids)
			}
			events, result, err := told(t, agent.ResumeStream(t.Context(), c.flow, stateOf(t, result), c.verdicts...))
			switch {
			case c.then == "" && err == nil:
				t.Error("the flow has gone on")
			case c.then != "" && err != nil:
				t.Error(err)
			case c.then != "" && result.Text() != c.then:
				t.Errorf("%q, want %q; %q", result.Text(), c.then, events)
			}
		})
	}
}

// TestFlowsDoNothingTwice: what a flow has asked its functions is not asked again
// when it is resumed, in its middle or at its end.
func TestFlowsDoNothingTwice(t *testing.T) {
	t.Parallel()
	made, merged := 0, 0
	var rounds []int
	pauses := &agent.Agent{Model: scripted(calls(`pause {"reason":""}`), text("rested"), text("rested")), Allow: agent.ControlTools{Pause: true}}
	flow := agent.Sequential{
		agent.Func(func(context.Context, []chat.Message) (chat.Message, error) { made++; return chat.User("x"), nil }),
		agent.Parallel{Runners: []agent.Runner{plus("a")}, Merge: func(context.Context, []*agent.Result) (chat.Message, error) {
			merged++
			return chat.User("y"), nil
		}},
		agent.Loop{
			Runner: agent.Sequential{plus("b"), agent.Loop{Rounds: 1, Runner: pauses}},
			Until: func(_ context.Context, round int, _ *agent.Result) bool {
				rounds = append(rounds, round)
				return round == 1
			},
		},
	}
	result, err := agent.Run(t.Context(), flow, hello)
	stopped(t, result, err, agent.StopPaused)
	for range 2 {
		if result, err = agent.Resume(t.Context(), flow, stateOf(t, result)); err != nil {
			t.Fatal(err)
		}
		if made != 1 || merged != 1 || !slices.Equal(rounds, []int{0, 1}) || len(pauses.Model.(*script).Requests) != 3 {
			t.Errorf("made %d, merged %d, asked about %v", made, merged, rounds)
		}
	}
	late := &agent.Agent{Model: scripted(text("z"), calls(`pause {"reason":""}`), text("z")), Allow: agent.ControlTools{Pause: true}}
	loop := agent.Loop{Runner: late, Rounds: 2, Until: func(_ context.Context, round int, _ *agent.Result) bool {
		rounds = append(rounds, round)
		return round == 1
	}}
	rounds = nil
	result, err = agent.Run(t.Context(), loop, hello)
	stopped(t, result, err, agent.StopPaused)
	if _, err = agent.Resume(t.Context(), loop, stateOf(t, result)); err != nil || !slices.Equal(rounds, []int{0, 1}) {
		t.Errorf("%v, asked about %v", err, rounds)
	}
}

// TestBestEffort: what fails is left out, and stays so.
func TestBestEffort(t *testing.T) {
	t.Parallel()
	flow := agent.Parallel{Runners: []agent.Runner{echo("a"), breaks(), echo("c")}, BestEffort: true}
	result, err := agent.Run(t.Context(), flow, chat.User("-"))
	if err != nil || result.Text() != "-a\n\n-c" || result.Runs[1].Reason != agent.StopFailed {
		t.Fatalf("%q, %v", result.Text(), err)
	}
	again, err := agent.Resume(t.Context(), flow, stateOf(t, result))
	if err != nil || again.Text() != result.Text() || string(stateOf(t, again)) != string(stateOf(t, result)) {
		t.Errorf("%q, %v", again.Text(), err)
	}
}

// TestParallelSideBySide: runs are at work at once, up to the limit, and the first
// failure ends the others.
func TestParallelSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		sleeps := agent.Func(func(ctx context.Context, in []chat.Message) (chat.Message, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			select {
			case <-time.After(time.Second):
				return in[0], nil
			case <-ctx.Done():
				return chat.Message{}, ctx.Err()
			}
		})
		begin := time.Now()
		if _, err := agent.Run(t.Context(), agent.Parallel{Runners: []agent.Runner{sleeps, sleeps, sleeps, sleeps, sleeps}, Limit: 2}, hello); err != nil {
			t.Fatal(err)
		}
		if most.Load() != 2 || time.Since(begin) != 3*time.Second {
			t.Errorf("%d at once, in %v", most.Load(), time.Since(begin))
		}
		begin = time.Now()
		fail := agent.Func(func(context.Context, []chat.Message) (chat.Message, error) { return chat.Message{}, errors.New("no") })
		result, err := agent.Run(t.Context(), agent.Parallel{Runners: []agent.Runner{sleeps, fail, sleeps}}, hello)
		stopped(t, result, err, agent.StopFailed)
		if time.Since(begin) != 0 || result.Runs[0].Reason != agent.StopCancelled {
			t.Errorf("after %v: %+v", time.Since(begin), result.Runs[0])
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		for _, flow := range []agent.Runner{
			agent.Parallel{Runners: []agent.Runner{sleeps}},
			agent.Parallel{Runners: []agent.Runner{sleeps}, BestEffort: true},
			agent.Sequential{sleeps},
			agent.Sequential{echo("a")},
			agent.Loop{Runner: plus("a")},
			agent.Parallel{Runners: []agent.Runner{plus("a")}},
		} {
			result, err := agent.Run(ctx, flow, hello)
			stopped(t, result, err, agent.StopDeadline)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%T: %v", flow, err)
			}
			<-ctx.Done()
		}
	})
}

// TestBreakEndsFlows: whoever leaves the stream ends all runs.
func TestBreakEndsFlows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var hung sync.WaitGroup
		hung.Add(2)
		hang := &agent.Agent{Model: replies(func(ctx context.Context, _ *chat.Request) (*chat.Reply, error) {
			hung.Done()
			<-ctx.Done()
			return nil, ctx.Err()
		})}
		speaks := &agent.Agent{Model: replies(func(context.Context, *chat.Request) (*chat.Reply, error) {
			hung.Wait()
			return text("x"), nil
		})}
		side := agent.Parallel{Runners: []agent.Runner{hang, agent.Sequential{hang}, speaks, hang}, Limit: 3, BestEffort: true}
		flow := agent.Sequential{side, echo("never")}
		n := 0
		for ev, err := range agent.Stream(t.Context(), flow, hello) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; strings.Contains(line(ev), "text") {
				break
			}
		}
		if n == 0 {
			t.Error("no event")
		}
	})
}

// TestFlowsThatAreWrong are refused before anything runs.
func TestFlowsThatAreWrong(t *testing.T) {
	t.Parallel()
	seq := agent.Sequential{echo("a"), echo("b")}
	result, err := agent.Run(t.Context(), seq, hello)
	if err != nil {
		t.Fatal(err)
	}
	good := stateOf(t, result)
	for _, flow := range []agent.Runner{
		agent.Sequential{}, agent.Sequential{nil}, agent.Parallel{}, agent.Parallel{Runners: []agent.Runner{nil}}, agent.Loop{},
	} {
		result, err := agent.Run(t.Context(), flow, hello)
		stopped(t, result, err, agent.StopRefused)
		if !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("%T: %v", flow, err)
		}
	}
	for _, c := range []struct {
		state    string
		verdicts []agent.Verdict
	}{
		{"", nil},
		{"{}", nil},
		{`{"version":2,"flow":"sequential"}`, nil},
		{`{"version":1,"flow":"loop"}`, nil},
		{string(good), []agent.Verdict{agent.Approve("c0")}},
		{string(good), []agent.Verdict{agent.Approve("7/c0")}},
		{string(good), []agent.Verdict{agent.Approve("1/c0")}},
	} {
		result, err := agent.Resume(t.Context(), seq, json.RawMessage(c.state), c.verdicts...)
		stopped(t, result, err, agent.StopRefused)
		if !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("%s: %v", c.state, err)
		}
		for _, err := range agent.ResumeStream(t.Context(), seq, json.RawMessage(c.state), c.verdicts...) {
			if err != nil && !errors.Is(err, chat.ErrInvalid) {
				t.Errorf("%s: %v", c.state, err)
			}
		}
	}
}

// TestFlowAsTool: a flow is a tool like an agent, approval inside of it included.
func TestFlowAsTool(t *testing.T) {
	t.Parallel()
	var paid atomic.Int32
	flow := agent.Sequential{plus("!"), agent.Parallel{Runners: []agent.Runner{asks(&paid), echo("b")}}}
	bot := agent.Agent{Model: scripted(calls(`team {"task":"x"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("team", "", flow))}
	got, result, err := told(t, bot.Stream(t.Context(), hello))
	stopped(t, result, err, agent.StopApproval)
	if !slices.Contains(got, "c0 team> 1> 1> text b") {
		t.Errorf("events %q", got)
	}
	if len(result.Pending) != 1 || result.Pending[0].ID != "c0/1/0/c0" {
		t.Fatalf("pending %+v", result.Pending)
	}
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0/1/0/c0"))
	if err != nil || paid.Load() != 1 || said(result.Steps[0].Calls[0]) != "paid\n\nx!b" || result.Steps[0].Calls[0].Usage.Total() != 45 {
		t.Errorf("%v, paid %d, %+v", err, paid.Load(), result.Steps)
	}
}

// TestShared: what the runs of a flow have in common, by its type.
func TestShared(t *testing.T) {
	t.Parallel()
	type notes struct{ Facts []string }
	var shared agent.Shared[notes]
	note := tools.New("note", "", func(ctx context.Context, in city) (string, error) {
		s, ok := agent.SharedIn[notes](ctx)
		s.Do(func(n *notes) { n.Facts = append(n.Facts, in.City) })
		return strconv.FormatBool(ok), nil
	})
	writes := func(city string) *agent.Agent {
		return &agent.Agent{Model: scripted(calls(fmt.Sprintf(`note {"city":%q}`, city)), text("noted")), Tools: tools.NewSet(note)}
	}
	flow := agent.Sequential{
		agent.Parallel{Runners: []agent.Runner{writes("Ghent"), writes("Bruges"), writes("Ypres")}},
		agent.Func(func(ctx context.Context, _ []chat.Message) (chat.Message, error) {
			s, _ := agent.SharedIn[notes](ctx)
			return chat.User(strings.Join(slices.Sorted(slices.Values(s.Value().Facts)), ", ")), nil
		}),
	}
	result, err := agent.Run(shared.In(t.Context()), flow, hello)
	if err != nil || result.Text() != "Bruges, Ghent, Ypres" {
		t.Fatalf("%q, %v", result.Text(), err)
	}
	raw, err := json.Marshal(&shared)
	if err != nil {
		t.Fatal(err)
	}
	var read agent.Shared[notes]
	if err := json.Unmarshal(raw, &read); err != nil || len(read.Value().Facts) != 3 {
		t.Errorf("%s is read as %+v, %v", raw, read.Value(), err)
	}
	if err := json.Unmarshal([]byte("7"), &read); err == nil || len(read.Value().Facts) != 3 {
		t.Errorf("7 is read as %+v, %v", read.Value(), err)
	}
	if s, ok := agent.SharedIn[int](shared.In(t.Context())); ok || s.Value() != 0 {
		t.Errorf("an int is found: %v", s.Value())
	}
	_, ok := agent.SharedIn[notes](t.Context())
	if ok {
		t.Error("notes are found where none are")
	}
}

// TestStrangeRunner: a runner that others wrote may break the promises of the
// interface.
func TestStrangeRunner(t *testing.T) {
	t.Parallel()
	flow := agent.Sequential{strange{}}
	for _, run := range []func() (*agent.Result, error){
		func() (*agent.Result, error) { return agent.Run(t.Context(), flow, hello) },
		func() (*agent.Result, error) {
			_, r, err := told(t, agent.Stream(t.Context(), flow, hello))
			return r, err
		},
	} {
		result, err := run()
		stopped(t, result, err, agent.StopFailed)
		if _, err := result.State(); err == nil {
			t.Error("there is a state without that of the run")
		}
	}
}

type strange struct{}

func (strange) Start(_ context.Context, s agent.Start) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		if s.Unstreamed {
			yield(nil, errors.New("strange"))
		}
	}
}
