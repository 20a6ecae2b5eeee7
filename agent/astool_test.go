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
	"github.com/sabir-go/sabir/tools"
)

// TestNestedEvents: the events of an agent that is a tool stand between those of
// its call, in both forms, and what it used is counted.
func TestNestedEvents(t *testing.T) {
	t.Parallel()
	for _, unstreamed := range []bool{false, true} {
		t.Run(fmt.Sprintf("unstreamed %v", unstreamed), func(t *testing.T) {
			t.Parallel()
			price := func(*chat.Reply) float64 { return 2 }
			helper := &agent.Agent{Model: scripted(calls("look"), text("42")), Tools: tools.NewSet(says("look", "it is 42")), Price: price}
			bot := agent.Agent{
				Model: scripted(calls(`ask {"task":"How many?"}`), text("So: 42")), Unstreamed: unstreamed, Price: price,
				Tools: tools.NewSet(agent.AsTool("ask", "Asks.", helper)),
			}
			got, result, err := told(t, bot.Stream(t.Context(), hello))
			if err != nil {
				t.Fatal(err)
			}
			if !unstreamed {
				got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "text ") })
				got = slices.Insert(got, len(got)-2, "text So: 42")
				got = slices.DeleteFunc(got, func(s string) bool { return s == "c0 ask> text 2" })
				i := slices.Index(got, "c0 ask> text 4")
				got[i] = "c0 ask> text 42"
			}
			same(t, "events", got, []string{
				"step 0", "start ask",
				"c0 ask> step 0", "c0 ask> start look", "c0 ask> end look: succeeded", "c0 ask> step 0 used 15 of 15",
				"c0 ask> step 1", "c0 ask> text 42", "c0 ask> step 1 used 15 of 30", "c0 ask> done: 42",
				"end ask: succeeded", "step 0 used 45 of 45", "step 1", "text So: 42", "step 1 used 15 of 60", "done: So: 42",
			})
			call := result.Steps[0].Calls[0]
			if said(call) != "42" || call.Usage.Total() != 30 || call.Cost != 4 || result.Cost != 8 || result.Steps[0].Cost != 6 {
				t.Errorf("result %q, used %+v, cost %g of %g", said(call), call.Usage, call.Cost, result.Cost)
			}
			if n := len(helper.Model.(*script).Requests); n != 2 {
				t.Errorf("%d requests", n)
			}
			if asked := helper.Model.(*script).Requests[0].Messages; len(asked) != 1 || asked[0].Text() != "How many?" {
				t.Errorf("the agent is asked %+v", asked)
			}
			sound(t, result)
		})
	}
}

// TestNestedUsageCounts: the limits of the run count what runs inside of it use.
func TestNestedUsageCounts(t *testing.T) {
	t.Parallel()
	helper := &agent.Agent{Model: scripted(text("42"))}
	bot := agent.Agent{
		Model: scripted(calls("ask {\"task\":\"\"}"), text("never")), Limits: agent.Limits{Tokens: 30},
		Tools: tools.NewSet(agent.AsTool("ask", "", helper)),
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopTokens)
	if result.Usage.Total() != 30 {
		t.Errorf("used %+v", result.Usage)
	}
}

// TestAgentThatFails: what ends an agent that is a tool is told to the model,
// with what it said, and the run goes on.
func TestAgentThatFails(t *testing.T) {
	t.Parallel()
	loud := ended(calls("look"), chat.FinishToolCalls)
	loud.Parts = append([]chat.Part{chat.Text{Text: "I begin."}}, loud.Parts...)
	for _, c := range []struct {
		name string
		bot  agent.Agent
		want string
	}{
		{"limit", agent.Agent{Model: scripted(loud), Limits: agent.Limits{Steps: 1}}, "the agent did not finish: max_steps: after 1 steps the model still asks for tools\nWhat it said last: I begin."},
		{"failure", agent.Agent{Model: scripted(errors.New("gone"))}, "the agent did not finish: failed: gone"},
		{"abort", agent.Agent{Model: scripted(calls(`abort {"reason":"no data"}`)), Allow: agent.ControlTools{Abort: true}}, "the agent did not finish: aborted: no data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.bot.Tools = tools.NewSet(says("look", "x"))
			bot := agent.Agent{Model: scripted(calls(`ask {"task":"x"}`), text("Then not.")), Tools: tools.NewSet(agent.AsTool("ask", "", &c.bot))}
			result, err := bot.Run(t.Context(), hello)
			if err != nil {
				t.Fatal(err)
			}
			call := result.Steps[0].Calls[0]
			if said(call) != c.want || call.Outcome != agent.Failed || result.Text() != "Then not." {
				t.Errorf("%s: %q", call.Outcome, said(call))
			}
		})
	}
}

// payer is an agent that is a tool and needs approval for what it does, and the
// agent around it.
func payer(paid, looked *int, store agent.Store, more ...any) agent.Agent {
	pay := counted("pay", paid, tools.Options{NeedsApproval: true, SideEffects: true})
	clerk := &agent.Agent{
		Model: scripted(append([]any{calls(`pay {"to":"bank"}`)}, more...)...),
		Tools: tools.NewSet(pay, tools.External("ask_user", "", json.RawMessage(`{"type":"object"}`))),
	}
	return agent.Agent{
		Model: scripted(calls(`clerk {"task":"pay"}`, "look"), text("all done")), Store: store, RunID: "run",
		Tools: tools.NewSet(agent.AsTool("clerk", "", clerk), counted("look", looked, tools.Options{})),
	}
}

// TestApprovalInside: a run inside stops for approval, and the run around it with
// it, when its other calls have ended. It is gone on with by the state of the
// outer run alone.
func TestApprovalInside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		verdict agent.Verdict
		paid    int
		told    string // to the inner model
	}{
		{"approved", agent.Approve("c0/c0"), 1, "pay done bank"},
		{"denied", agent.Deny("c0/c0", "Too much."), 0, "pay was not run: it was not approved. Too much."},
		{"answered", agent.Answer("c0/c0", "paid by hand"), 0, "paid by hand"},
		{
			"edited",
			agent.Verdict{CallID: "c0/c0", Approved: true, Arguments: json.RawMessage(`{"to":"friend"}`)},
			1,
			`(pay was run with arguments that the user changed: {"to":"friend"})pay done friend`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			paid, looked := 0, 0
			told := ""
			bot := payer(&paid, &looked, nil, text("paid it"))
			tool, _ := bot.Tools.Lookup("clerk")
			bot.Tools = tools.NewSet(tool, counted("look", &looked, tools.Options{}))
			result, err := bot.Run(t.Context(), hello)
			stopped(t, result, err, agent.StopApproval)
			if !errors.Is(err, tools.ErrNeedsApproval) || paid > 0 || looked != 1 || result.Usage.Total() != 30 {
				t.Errorf("%v; paid %d, looked %d, used %d", err, paid, looked, result.Usage.Total())
			}
			if len(result.Pending) != 1 || result.Pending[0].ID != "c0/c0" || !slices.Equal(result.Pending[0].Agents, []string{"clerk"}) {
				t.Fatalf("pending %+v", result.Pending)
			}
			state := stateOf(t, result)
			waits, err := bot.Pending(state)
			if err != nil || len(waits) != 1 || waits[0].ID != "c0/c0" || string(waits[0].Arguments) != `{"to":"bank"}` {
				t.Errorf("waits for %+v, %v", waits, err)
			}
			events, result, err := toldResumed(t, bot, state, c.verdict)
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range events {
				if ev, ok := ev.(agent.Nested); ok {
					if f, ok := ev.Event.(agent.CallFinished); ok {
						told = said(f.Call)
					}
				}
			}
			if paid != c.paid || looked != 1 || told != c.told || result.Text() != "all done" || result.Usage.Total() != 60 {
				t.Errorf("paid %d, looked %d, used %d: %q, %q", paid, looked, result.Usage.Total(), told, result.Text())
			}
			same(t, "calls", outcomes(result), []string{"0 clerk succeeded", "0 look succeeded"})
			sound(t, result)
		})
	}
}

func toldResumed(t *testing.T, bot agent.Agent, state json.RawMessage, verdicts ...agent.Verdict) (events []agent.Event, result *agent.Result, err error) {
	t.Helper()
	for ev, err := range bot.ResumeStream(t.Context(), state, verdicts...) {
		if err != nil {
			return events, nil, err
		}
		events = append(events, ev)
		if done, ok := ev.(agent.Done); ok {
			result = done.Result
		}
	}
	return events, result, nil
}

// TestVerdictsInside: a verdict that can't be is refused, and nothing is lost by
// that.
func TestVerdictsInside(t *testing.T) {
	t.Parallel()
	paid, looked := 0, 0
	bot := payer(&paid, &looked, &agent.MemoryStore{}, calls("ask_user"), text("paid it"))
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	state := stateOf(t, result)
	for _, v := range []agent.Verdict{
		agent.Approve("c0/c1"), agent.Approve("c1/c0"), agent.Approve("c0/c0/c0"),
		{CallID: "c0/c0", Approved: true, Arguments: json.RawMessage(`{"to":7}`)},
	} {
		result, err := bot.Resume(t.Context(), state, v)
		stopped(t, result, err, agent.StopRefused)
		if !errors.Is(err, chat.ErrInvalid) || paid > 0 {
			t.Errorf("%+v: %v, paid %d", v, err, paid)
		}
		if v.Arguments != nil {
			state = stateOf(t, result) // goes on from here
		}
	}
	result, err = bot.Resume(t.Context(), state, agent.Approve("c0/c0"), agent.Deny("c0/c0", ""))
	stopped(t, result, err, agent.StopRefused)
	result, err = bot.Resume(t.Context(), state)
	stopped(t, result, err, agent.StopApproval)
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0/c0"))
	stopped(t, result, err, agent.StopQuestion)
	if len(result.Pending) != 1 || !result.Pending[0].External || paid != 1 {
		t.Fatalf("pending %+v, paid %d", result.Pending, paid)
	}
	state = stateOf(t, result)
	result, err = bot.Resume(t.Context(), state, agent.Approve("c0/c0"))
	stopped(t, result, err, agent.StopRefused)
	stored, err := agent.Load(t.Context(), bot.Store, "run")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []json.RawMessage{state, stored} {
		if waits, err := bot.Pending(from); err != nil || len(waits) != 1 {
			t.Errorf("waits for %+v, %v", waits, err)
		}
	}
	result, err = bot.Resume(t.Context(), stored, agent.Answer("c0/c0", "yes"))
	if err != nil || paid != 1 || looked != 1 {
		t.Errorf("%v, paid %d, looked %d", err, paid, looked)
	}
	sound(t, result)
}

// TestCallOfAnAgentIsDecided: a verdict about the call itself gives the run inside
// up.
func TestCallOfAnAgentIsDecided(t *testing.T) {
	t.Parallel()
	paid, looked := 0, 0
	bot := payer(&paid, &looked, nil)
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Deny("c0", "Leave it."))
	if err != nil || paid > 0 {
		t.Fatalf("%v, paid %d", err, paid)
	}
	same(t, "calls", outcomes(result), []string{"0 clerk refused", "0 look succeeded"})
}

// TestApprovalTwoDeep: the way to a call can be long, and several runs can wait.
func TestApprovalTwoDeep(t *testing.T) {
	t.Parallel()
	paid, looked, more := 0, 0, 0
	middle := payer(&paid, &looked, nil, text("paid it"))
	other := payer(&more, &more, nil, text("paid it"))
	middle.Store, middle.RunID, other.RunID = nil, "", ""
	bot := agent.Agent{
		Model: scripted(calls(`boss {"task":"pay"}`, `other {"task":"pay"}`), text("fine")),
		Tools: tools.NewSet(agent.AsTool("boss", "", &middle), agent.AsTool("other", "", &other)),
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	ids := make([]string, 0, 2)
	for _, p := range result.Pending {
		ids = append(ids, p.ID+" "+strings.Join(p.Agents, "."))
	}
	same(t, "pending", ids, []string{"c0/c0/c0 boss.clerk", "c1/c0/c0 other.clerk"})
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0/c0/c0"))
	stopped(t, result, err, agent.StopApproval)
	if len(result.Pending) != 1 || result.Pending[0].ID != "c1/c0/c0" || paid != 1 {
		t.Fatalf("pending %+v, paid %d", result.Pending, paid)
	}
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Deny("c1/c0/c0", ""))
	if err != nil || result.Text() != "fine" || paid != 1 || looked != 1 || more != 1 || result.Usage.Total() != 150 {
		t.Errorf("%v, %q, paid %d, looked %d, %d, used %d", err, result.Text(), paid, looked, more, result.Usage.Total())
	}
}

// TestDepth: agents that call each other come to an end.
func TestDepth(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	bot := &agent.Agent{Model: replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
		if len(req.Messages) > 1 {
			last := req.Messages[len(req.Messages)-1].Parts[0].(chat.ToolResult)
			return text(chat.Message{Parts: last.Parts}.Text()), nil
		}
		runs.Add(1)
		return calls(`again {"task":"x"}`), nil
	})}
	bot.Tools = tools.NewSet(agent.AsTool("again", "", bot))
	result, err := bot.Run(t.Context(), hello)
	if err != nil || runs.Load() != 9 || !strings.HasPrefix(result.Text(), "agents call each other: ") {
		t.Errorf("%d runs, %q, %v", runs.Load(), result.Text(), err)
	}
}

// TestNestedCallEnds: a time limit and Control.Cancel end the run inside, and are
// told to the model.
func TestNestedCallEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		helper := &agent.Agent{Model: replies(func(ctx context.Context, _ *chat.Request) (*chat.Reply, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})}
		ask := agent.AsTool("ask", "", helper)
		late := ask.With(tools.Options{Timeout: time.Second})
		late.Def.Name = "late"
		control := &agent.Control{}
		bot := agent.Agent{
			Model: scripted(calls(`late {"task":""}`, `ask {"task":""}`), text("fine")), Tools: tools.NewSet(ask, late), Control: control,
		}
		time.AfterFunc(time.Minute, func() { control.Cancel("c1") })
		result, err := bot.Run(t.Context(), hello)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "calls", outcomes(result), []string{"0 late failed", "0 ask failed"})
		if got := said(result.Steps[0].Calls[0]); !strings.HasPrefix(got, "timed out after 1s: the agent did not finish: deadline") {
			t.Errorf("the model is told %q", got)
		}
		if got := said(result.Steps[0].Calls[1]); got != "the call was cancelled" {
			t.Errorf("the model is told %q", got)
		}
	})
}

// TestAsToolOutsideOfARun: the tool works in a set of its own, too.
func TestAsToolOutsideOfARun(t *testing.T) {
	t.Parallel()
	paid, looked := 0, 0
	bot := payer(&paid, &looked, nil, text("paid"))
	for _, c := range []struct {
		bot  agent.Agent
		want string
	}{
		{agent.Agent{Model: scripted(text("42"))}, "42"},
		{bot, `the agent did not finish: approval: tool "clerk": call c0: the run inside stopped: approval: needs approval`},
	} {
		set := tools.NewSet(agent.AsTool("ask", "", &c.bot))
		result := set.Call(t.Context(), chat.ToolCall{ID: "c0", Name: "ask", Arguments: json.RawMessage(`{"task":"x"}`)})
		if got := (chat.Message{Parts: result.Parts}).Text(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if err := agent.AsTool("ask", "", nil).Err(); err == nil {
		t.Error("a tool of nothing has no error")
	}
}

// TestFinalWithPictures: what a tool ended the run inside with is the result as it
// is.
func TestFinalWithPictures(t *testing.T) {
	t.Parallel()
	draw := tools.New("draw", "", func(ctx context.Context, _ struct{}) ([]chat.Part, error) {
		agent.EndRun(ctx)
		return []chat.Part{chat.Text{Text: "a cat"}, chat.Image{MediaType: "image/png", Data: []byte{1}}}, nil
	})
	helper := &agent.Agent{Model: scripted(calls("draw")), Tools: tools.NewSet(draw)}
	bot := agent.Agent{Model: scripted(calls(`ask {"task":"x"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", helper))}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || len(result.Steps[0].Calls[0].Result.Parts) != 2 || result.Text() != "fine" {
		t.Errorf("%+v, %v", result.Steps, err)
	}
}
