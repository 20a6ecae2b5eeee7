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

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools"
)

// fromJSON is a verdict that came from elsewhere.
func fromJSON(raw string) []agent.Verdict {
	var out agent.Verdict
	if json.Unmarshal([]byte(raw), &out) != nil {
		return nil
	}
	return []agent.Verdict{out}
}

// TestApproval: nothing of the reply runs until all that waits is decided, and
// then each call once.
func TestApproval(t *testing.T) {
	t.Parallel()
	guarded := tools.Options{NeedsApproval: true, SideEffects: true}
	bySum := tools.Options{ApprovalFor: func(args json.RawMessage) bool { return strings.Contains(string(args), "bank") }}
	for _, c := range []struct {
		name     string
		options  tools.Options
		policy   agent.Policy
		verdicts []agent.Verdict
		want     []string // outcomes
		result   string   // of the call that waited
		paid     int
	}{
		{"approved", guarded, nil, []agent.Verdict{agent.Approve("c1")}, []string{"0 look succeeded", "0 pay succeeded"}, "pay done bank", 1},
		{"denied", guarded, nil, []agent.Verdict{agent.Deny("c1", "Too much.")}, []string{"0 look succeeded", "0 pay refused"}, "pay was not run: it was not approved. Too much.", 0},
		{"denied without a word", guarded, nil, []agent.Verdict{agent.Deny("c1", "")}, []string{"0 look succeeded", "0 pay refused"}, "pay was not run: it was not approved.", 0},
		{"answered", guarded, nil, []agent.Verdict{agent.Answer("c1", "paid by hand")}, []string{"0 look succeeded", "0 pay succeeded"}, "paid by hand", 0},
		{"approved in JSON", guarded, nil, fromJSON(`{"call_id":"c1","approved":true,"arguments":null}`), []string{"0 look succeeded", "0 pay succeeded"}, "pay done bank", 1},
		{"answered in JSON", guarded, nil, fromJSON(`{"call_id":"c1","result":{"type":"tool_result","parts":[{"type":"text","text":"paid by hand"}]}}`), []string{"0 look succeeded", "0 pay succeeded"}, "paid by hand", 0},
		{
			"edited", guarded, nil,
			[]agent.Verdict{{CallID: "c1", Approved: true, Arguments: json.RawMessage(`{"to":"friend"}`)}},
			[]string{"0 look succeeded", "0 pay succeeded"},
			`(pay was run with arguments that the user changed: {"to":"friend"})pay done friend`, 1,
		},
		{"by predicate", bySum, nil, []agent.Verdict{agent.Approve("c1")}, []string{"0 look succeeded", "0 pay succeeded"}, "pay done bank", 1},
		{"by policy", tools.Options{}, agent.NeedsApproval("pay"), []agent.Verdict{agent.Approve("c1")}, []string{"0 look succeeded", "0 pay succeeded"}, "pay done bank", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			looked, paid := 0, 0
			model := scripted(calls("look", `pay {"to":"bank"}`), text("all done"))
			bot := agent.Agent{Model: model, Policy: c.policy, Tools: tools.NewSet(counted("look", &looked, tools.Options{}), counted("pay", &paid, c.options))}
			result, err := bot.Run(t.Context(), hello)
			stopped(t, result, err, agent.StopApproval)
			if !errors.Is(err, tools.ErrNeedsApproval) || looked+paid > 0 || len(result.Pending) != 1 || result.Pending[0].ID != "c1" || result.Usage.Total() != 15 {
				t.Fatalf("%v, ran %d, %d; pending %+v, usage %+v", err, looked, paid, result.Pending, result.Usage)
			}
			state := stateOf(t, result)
			waits, err := bot.Pending(state)
			if err != nil || len(waits) != 1 || waits[0].ID != "c1" || waits[0].Outcome != agent.NotRun {
				t.Errorf("waits for %+v, %v", waits, err)
			}
			again, err := bot.Resume(t.Context(), state)
			stopped(t, again, err, agent.StopApproval)
			if string(stateOf(t, again)) != string(state) {
				t.Errorf("a resume without a verdict changed the state:\n%s\n%s", state, stateOf(t, again))
			}
			result, err = bot.Resume(t.Context(), state, c.verdicts...)
			if err != nil {
				t.Fatal(err)
			}
			sound(t, result)
			same(t, "calls", outcomes(result), c.want)
			if got := said(result.Steps[0].Calls[1]); got != c.result {
				t.Errorf("the model is told %q, want %q", got, c.result)
			}
			if result.Text() != "all done" || result.Usage.Total() != 30 || looked != 1 || len(model.Requests) != 2 {
				t.Errorf("%q, %+v, looked %d times, %d requests", result.Text(), result.Usage, looked, len(model.Requests))
			}
			if paid != c.paid {
				t.Errorf("paid %d times, want %d", paid, c.paid)
			}
			ended, err := bot.Resume(t.Context(), stateOf(t, result))
			if err != nil || ended.Text() != result.Text() || len(model.Requests) != 2 || ended.Reason != agent.StopAnswered {
				t.Errorf("a run that has ended gives %q, %v after %d requests", ended.Text(), err, len(model.Requests))
			}
		})
	}
}

// TestVerdictsInTurn: what is decided stays decided, and a verdict about
// anything else is refused before anything runs.
func TestVerdictsInTurn(t *testing.T) {
	t.Parallel()
	paid, asked := 0, 0
	set := tools.NewSet(counted("pay", &paid, tools.Options{NeedsApproval: true}),
		tools.External("ask_user", "", json.RawMessage(`{"type":"object"}`)), counted("look", &asked, tools.Options{}))
	bot := agent.Agent{Model: scripted(calls("pay", "ask_user", "pay", "look"), text("fine")), Tools: set}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	first := stateOf(t, result)
	for _, v := range []agent.Verdict{
		agent.Approve("c7"), agent.Approve("c1"),
		{CallID: "c0", Approved: true, Arguments: json.RawMessage(`{"to":7}`)},
	} {
		result, err := bot.Resume(t.Context(), first, agent.Deny("c0", ""), v)
		if v.Arguments != nil {
			result, err = bot.Resume(t.Context(), first, v)
		}
		stopped(t, result, err, agent.StopRefused)
		if kept, err := result.State(); err != nil || string(kept) != string(first) {
			t.Errorf("%+v: the state became %s, %v", v, kept, err)
		}
		if !errors.Is(err, chat.ErrInvalid) || paid > 0 {
			t.Errorf("%+v: %v, paid %d times", v, err, paid)
		}
	}
	result, err = bot.Resume(t.Context(), first, agent.Approve("c0"))
	stopped(t, result, err, agent.StopApproval)
	if len(result.Pending) != 2 || paid > 0 {
		t.Fatalf("pending %+v, paid %d times", result.Pending, paid)
	}
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Deny("c2", ""))
	stopped(t, result, err, agent.StopQuestion)
	if len(result.Pending) != 1 || !result.Pending[0].External {
		t.Fatalf("pending %+v", result.Pending)
	}
	var kinds []string
	for ev, err := range bot.ResumeStream(t.Context(), stateOf(t, result), agent.Answer("c1", "blue")) {
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case agent.StepStarted:
			if kinds = append(kinds, "step"); ev.Resumed != (ev.Step == 0) {
				t.Errorf("%+v", ev)
			}
		case agent.CallStarted:
			kinds = append(kinds, "start "+ev.Call.ID)
		case agent.CallFinished:
			kinds = append(kinds, "end "+ev.ID)
		case agent.Done:
			same(t, "calls", outcomes(ev.Result), []string{"0 pay succeeded", "0 ask_user succeeded", "0 pay refused", "0 look succeeded"})
			sound(t, ev.Result)
		case agent.Compacted, agent.Delta, agent.Nested, agent.StepFinished:
		}
	}
	slices.Sort(kinds)
	same(t, "events", kinds, []string{"end c0", "end c1", "end c2", "end c3", "start c0", "start c3", "step", "step"})
	if paid != 1 || asked != 1 {
		t.Errorf("paid %d times, looked %d times", paid, asked)
	}
}

// TestCallsThatCannotRunNeedNoApproval: nobody is asked about a call that would
// be refused anyway.
func TestCallsThatCannotRunNeedNoApproval(t *testing.T) {
	t.Parallel()
	paid := 0
	pay := counted("pay", &paid, tools.Options{NeedsApproval: true})
	bot := agent.Agent{
		Model: scripted(calls(`pay {"to":7}`), calls("pay"), text("no")), Tools: tools.NewSet(pay),
		Policy: agent.MaxCalls("pay", 0),
	}
	result, err := bot.Run(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "calls", outcomes(result), []string{"0 pay invalid", "1 pay refused"})
}

// TestResumeAfterCancel: the calls that had ended are not run again, those that
// had not are, and no call is lost.
func TestResumeAfterCancel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool string
		want string
	}{{"slow", "0 slow succeeded"}, {"send", "0 send failed"}} {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done, cut := 0, 0
			wait := func(ctx context.Context) (string, error) {
				if cut++; cut > 1 {
					return "ok", nil
				}
				cancel()
				<-ctx.Done()
				return "", ctx.Err()
			}
			set := tools.NewSet(counted("done", &done, tools.Options{}), named("slow", wait),
				named("send", wait).With(tools.Options{SideEffects: true}), says("later", "x"))
			set.MaxParallel = 1
			store := &agent.MemoryStore{}
			bot := agent.Agent{Model: scripted(calls("done", c.tool, "later"), text("fine")), Tools: set, Store: store, RunID: c.tool}
			result, err := bot.Run(ctx, hello)
			stopped(t, result, err, agent.StopCancelled)
			stored, err := agent.Load(t.Context(), store, c.tool)
			if err != nil {
				t.Fatal(err)
			}
			result, err = bot.Resume(t.Context(), stored)
			if err != nil {
				t.Fatal(err)
			}
			sound(t, result)
			same(t, "calls", outcomes(result), []string{"0 done succeeded", c.want, "0 later succeeded"})
			if done != 1 {
				t.Errorf("ran %d times what had ended", done)
			}
		})
	}
}

// TestResumeAfterCut: calls that were cut off because the run ended over something
// else are run again, and one that was not begun is not lost.
func TestResumeAfterCut(t *testing.T) {
	t.Parallel()
	bad := named("bad", func(context.Context) (string, error) { return "", errors.New("no") }).With(tools.Options{OnError: tools.Stop})
	for _, c := range []struct {
		name  string
		calls []string
		until int // CallStarted events; the loop over them is left then
		want  []string
		sent  int // before the run is resumed
	}{
		{"not begun", []string{"send"}, 1, []string{"0 send succeeded"}, 0},
		{"left", []string{"slow", "send"}, 2, []string{"0 slow succeeded", "0 send succeeded"}, 0},
		{"tool error", []string{"slow", "bad"}, 0, []string{"0 slow succeeded", "0 bad failed"}, 0},
		{"side effects", []string{"send", "slow", "look"}, 3, []string{"0 send failed", "0 slow succeeded", "0 look succeeded"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var resumed atomic.Bool
			var sent atomic.Int64
			entered := make(chan struct{}, 2)
			wait := func(ctx context.Context) (string, error) {
				if resumed.Load() {
					return "ok", nil
				}
				<-ctx.Done()
				return "", ctx.Err()
			}
			send := named("send", func(ctx context.Context) (string, error) {
				sent.Add(1)
				entered <- struct{}{}
				return wait(ctx)
			}).With(tools.Options{SideEffects: true})
			store := &agent.MemoryStore{}
			bot := agent.Agent{
				Model: scripted(calls(c.calls...), text("fine")), Store: store, RunID: "r",
				Tools: tools.NewSet(named("slow", wait), send, bad, says("look", "x")),
			}
			started := 0
			for ev := range bot.Stream(t.Context(), hello) {
				if _, ok := ev.(agent.CallStarted); ok {
					if started++; started == c.until {
						for range c.sent {
							<-entered
						}
						break
					}
				}
			}
			if n := int(sent.Load()); n != c.sent {
				t.Errorf("sent %d times, want %d", n, c.sent)
			}
			state, err := agent.Load(t.Context(), store, "r")
			if err != nil {
				t.Fatal(err)
			}
			resumed.Store(true)
			result, err := bot.Resume(t.Context(), state)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "calls", outcomes(result), c.want)
		})
	}
}

// TestResumeGoesOn: a run that stopped at a limit, paused or failed goes on, and
// its counters with it.
func TestResumeGoesOn(t *testing.T) {
	t.Parallel()
	control := &agent.Control{}
	for _, c := range []struct {
		name    string
		first   agent.Agent
		replies []any
		want    agent.Reason
	}{
		{"limit", agent.Agent{Limits: agent.Limits{Steps: 2}}, []any{calls("a"), calls("b"), text("fine")}, agent.StopSteps},
		{"failure", agent.Agent{}, []any{calls("a"), calls("b"), &chat.Error{Kind: chat.ErrOverloaded}, text("fine")}, agent.StopFailed},
		{"pause", agent.Agent{Control: control, StopWhen: func(s agent.Step) bool {
			if s.Ran("b") > 0 {
				control.Pause()
			}
			return false
		}}, []any{calls("a"), calls("b"), text("fine")}, agent.StopPaused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bot := c.first
			bot.Model, bot.Tools, bot.Policy = scripted(c.replies...), tools.NewSet(says("a", "x"), says("b", "x")), agent.Sequence("a", "b")
			result, err := bot.Run(t.Context(), hello)
			stopped(t, result, err, c.want)
			state := stateOf(t, result)
			bot.Limits, bot.Control = agent.Limits{}, nil
			result, err = bot.Resume(t.Context(), state)
			if err != nil || result.Text() != "fine" || len(result.Steps) != 3 || result.Usage.Total() != 45 {
				t.Errorf("%+v, %v", result, err)
			}
			sound(t, result)
		})
	}
}

// TestPolicyOfAnOpenStep: a policy that is asked again about a step that is gone
// on with sees what it saw before, so that it decides the same.
func TestPolicyOfAnOpenStep(t *testing.T) {
	t.Parallel()
	paid := 0
	var seen []string
	bot := agent.Agent{
		Model: scripted(calls("look"), ended(text("a while"), chat.FinishPaused), calls("pay"), text("fine")),
		Tools: tools.NewSet(says("look", "x"), counted("pay", &paid, tools.Options{NeedsApproval: true})),
		Price: func(*chat.Reply) float64 { return 0.5 },
		Policy: func(s agent.Step) agent.Decision {
			seen = append(seen, fmt.Sprintln(s.Index, len(s.Messages), len(s.Done), s.Usage, s.Cost, s.Closing))
			return agent.Decision{}
		},
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	decided := seen[1]
	seen = nil
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0"))
	if err != nil || paid != 1 || result.Usage.Total() != 60 || result.Cost != 2 {
		t.Errorf("%v, paid %d times, %+v", err, paid, result)
	}
	if seen[0] != decided {
		t.Errorf("sees %q, and saw %q", seen[0], decided)
	}
}

// TestForcedChoiceIsNotLost: a step that came to nothing is made again, with what
// the policy decided about it, and what it used still counts.
func TestForcedChoiceIsNotLost(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]any{
		"cut stream":   &chat.Error{Kind: chat.ErrTruncated, Reply: text("ha")},
		"choice unmet": text("I'd rather not."),
		"cut call":     ended(calls("a"), chat.FinishLength),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := scripted(failure, calls("a"), text("fine"))
			bot := agent.Agent{Model: model, Tools: tools.NewSet(says("a", "x")), Policy: agent.First("a")}
			result, err := bot.Run(t.Context(), hello)
			if err == nil || len(result.Steps) != 1 {
				t.Fatalf("%d steps, %v", len(result.Steps), err)
			}
			result, err = bot.Resume(t.Context(), stateOf(t, result))
			if err != nil || result.Text() != "fine" || result.Usage.Total() != 45 {
				t.Fatalf("%q, %+v, %v", result.Text(), result.Usage, err)
			}
			same(t, "calls", outcomes(result), []string{"0 a succeeded"})
			if got := model.Requests[1].ToolChoice; got != toolchoice.Tool("a") {
				t.Errorf("the step was made again with %s", got)
			}
			sound(t, result)
		})
	}
}

func TestStatesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		``, `{}`, `[]`, `{"version":2,"messages":[{"role":"user","parts":[]}]}`, `{"version":1}`,
		`{"version":1,"messages":[{"role":"user","parts":[]}],"open":{}}`,
		`{"version":1,"messages":[{"role":"user","parts":[]}],"open":{"reply":{"parts":[{"type":"tool_call","id":"c","name":"pay"}]}}}`,
		`{"version":1,"messages":[{"role":"user","parts":[]}],"steps":[{"reply":{"parts":[]},"calls":[{}]}]}`,
		`{"version":1,"messages":[{"role":"user","parts":[{"type":"hologram"}]}]}`,
	} {
		model := scripted(text("never"))
		result, err := (&agent.Agent{Model: model}).Resume(t.Context(), json.RawMessage(raw))
		stopped(t, result, err, agent.StopRefused)
		if len(model.Requests) > 0 {
			t.Errorf("%s was gone on with", raw)
		}
	}
}
