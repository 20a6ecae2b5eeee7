package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/tools"
)

// TestVerdicts: nothing of a reply runs until all that waits is decided; then
// each call runs once.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		verdicts []agent.Verdict
		want     string
		paid     int
	}{
		{"approved", []agent.Verdict{agent.Approve("c1")}, "pay done bank", 1},
		{"denied", []agent.Verdict{agent.Deny("c1", "Too much.")}, "pay was not run: it was not approved. Too much.", 0},
		{"answered", []agent.Verdict{agent.Answer("c1", "paid by hand")}, "paid by hand", 0},
		{
			"edited",
			[]agent.Verdict{{CallID: "c1", Approved: true, Arguments: json.RawMessage(`{"to":"me"}`)}},
			`(pay was run with arguments that the user changed: {"to":"me"})pay done me`, 1,
		},
		{"the first of two", []agent.Verdict{agent.Approve("c1"), agent.Deny("c1", "")}, "pay done bank", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			looked, paid := &count{}, &count{}
			model := scripted(calls("look", `pay {"to":"bank"}`), text("all done"))
			set := tools.NewSet(counted("look", looked, tools.Options{}), counted("pay", paid, tools.Options{NeedsApproval: true, SideEffects: true}))
			out := run(t, clerk(agent.Agent{Model: model, Tools: set}), func(env *testsuite.TestWorkflowEnvironment) {
				env.RegisterDelayedCallback(func() {
					pending := ask[[]agent.Pending](t, env, temporal.PendingQuery)
					if len(pending) != 1 || pending[0].ID != "c1" || pending[0].External || string(pending[0].Arguments) != `{"to":"bank"}` {
						t.Errorf("waits for %+v", pending)
					}
					if p := ask[temporal.Progress](t, env, temporal.ProgressQuery); p.Reason != agent.StopApproval || p.Usage.Total() != 15 {
						t.Errorf("%+v", p)
					}
					if n := looked.value() + paid.value(); n > 0 {
						t.Errorf("%d calls were run before", n)
					}
					env.SignalWorkflow(temporal.VerdictsSignal, c.verdicts)
				}, 48*time.Hour)
			})
			same(t, "results", told(out.Messages), []string{"look done ", c.want})
			if looked.value() != 1 || paid.value() != c.paid || len(model.asked()) != 2 || out.Text != "all done" || out.Usage.Total() != 30 {
				t.Errorf("looked %d times, paid %d times, %+v", looked.value(), paid.value(), out)
			}
		})
	}
}

// TestSlips: a verdict that can't be taken ends nothing, and a question waits
// for an answer.
func TestSlips(t *testing.T) {
	t.Parallel()
	paid := &count{}
	set := tools.NewSet(counted("pay", paid, tools.Options{NeedsApproval: true}), tools.External("ask_user", "", nil))
	flow := clerk(agent.Agent{Model: scripted(calls("pay", "ask_user"), text("fine")), Tools: set})
	out := run(t, flow, func(env *testsuite.TestWorkflowEnvironment) {
		signal := func(after time.Duration, waits int, v ...agent.Verdict) {
			env.RegisterDelayedCallback(func() {
				if p := ask[[]agent.Pending](t, env, temporal.PendingQuery); len(p) != waits {
					t.Errorf("after %v: waits for %+v", after, p)
				}
				env.SignalWorkflow(temporal.VerdictsSignal, v)
			}, after)
		}
		signal(time.Hour, 2, agent.Approve("c7"), agent.Approve("c1"))
		signal(2*time.Hour, 2, agent.Verdict{CallID: "c0", Approved: true, Arguments: json.RawMessage(`{"to":7}`)})
		signal(3*time.Hour, 2, agent.Approve("c0"))
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(temporal.VerdictsSignal, "nonsense") }, 4*time.Hour)
		signal(5*time.Hour, 1, agent.Approve("c0"), agent.Answer("c1", "blue"))
		env.RegisterDelayedCallback(func() {
			p := ask[temporal.Progress](t, env, temporal.ProgressQuery)
			why := make([]string, len(p.Refused))
			for i, r := range p.Refused {
				why[i], _, _ = strings.Cut(r, ": ")
			}
			same(t, "refused", why, []string{
				`call "c7" is not one that waits`, `call "c1" is of an external tool and needs an answer`,
				`call "c0" can't be run with these arguments`, `call "c0" is not one that waits`,
			})
			if p.Reason != agent.StopAnswered {
				t.Errorf("%+v", p)
			}
		}, 6*time.Hour)
	})
	same(t, "results", told(out.Messages), []string{"pay done ", "blue"})
	if paid.value() != 1 {
		t.Errorf("paid %d times", paid.value())
	}
}

// TestMessages: what is said while the run works is heard before the next step,
// also if the model has just given its answer.
func TestMessages(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	say := func(what string) { env.SignalWorkflow(temporal.MessagesSignal, []chat.Message{chat.User(what)}) }
	hears := func(context.Context) (string, error) { say("Hurry!"); return "ok", nil }
	model := scripted(calls("hears"), func(context.Context) (*chat.Reply, error) { say("And tomorrow?"); return text("cold"), nil }, text("warm"))
	out := run(t, clerk(agent.Agent{Model: model, Tools: tools.NewSet(named("hears", hears))}),
		func(e *testsuite.TestWorkflowEnvironment) { env = e })
	var said []string
	for _, m := range out.Messages {
		if m.Role == chat.RoleUser || m.Role == chat.RoleAssistant {
			said = append(said, m.Text())
		}
	}
	same(t, "conversation", said, []string{hello.Text(), "", "Hurry!", "cold", "And tomorrow?", "warm"})
}

// TestContinued: a run that is continued as new again and again ends as it would
// have without.
func TestContinued(t *testing.T) {
	t.Parallel()
	build := func(replies int, ran *count) *temporal.Flow {
		return temporal.New(temporal.Config{Name: "clerk", Replies: replies, Agent: agent.Agent{
			Model: scripted(calls("a"), calls("pay", "a"), text("enough?"), calls("b", "b"), text("fine")),
			Tools: tools.NewSet(counted("a", ran, tools.Options{}), counted("b", ran, tools.Options{MaxCalls: 1}),
				counted("pay", ran, tools.Options{NeedsApproval: true, SideEffects: true})),
			Policy: agent.All(agent.First("a"), agent.Requires("b", "a"), func(s agent.Step) agent.Decision {
				if s.Index < 3 {
					return agent.Finish("b")(s)
				}
				return agent.Decision{}
			}),
			Price: price,
		}})
	}
	approve := func(_ int, env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() {
			for _, p := range ask[[]agent.Pending](t, env, temporal.PendingQuery) {
				env.SignalWorkflow(temporal.VerdictsSignal, []agent.Verdict{agent.Approve(p.ID)})
			}
		}, time.Hour)
	}
	suggest := func(n int, env *testsuite.TestWorkflowEnvironment) {
		env.SetContinueAsNewSuggested(n < 2)
		approve(n, env)
	}
	in := temporal.Input{Messages: []chat.Message{hello}}
	var want string
	for _, c := range []struct {
		name    string
		replies int
		prepare func(int, *testsuite.TestWorkflowEnvironment)
		envs    []int // at least and at most
	}{
		{"never", 0, approve, []int{1, 1}},
		{"after each reply", 1, approve, []int{4, 6}},
		{"after two", 2, approve, []int{2, 3}},
		{"when suggested", 0, suggest, []int{3, 3}},
	} {
		ran := &count{}
		f := execute(t, build(c.replies, ran), in, c.prepare)
		if f.err != nil {
			t.Fatalf("%s: %v", c.name, f.err)
		}
		got := asJSON(t, f.out)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s:\n%s\nand without:\n%s", c.name, got, want)
		}
		if n := len(f.envs); n < c.envs[0] || n > c.envs[1] || ran.value() != 4 {
			t.Errorf("%s: %d executions, %d calls", c.name, n, ran.value())
		}
	}
}

// TestContinuedWithMessages: what is said just before the run is continued as new
// is heard after it, and state and messages can be given from outside, too.
func TestContinuedWithMessages(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	hears := func(context.Context) (string, error) {
		env.SignalWorkflow(temporal.MessagesSignal, []chat.Message{chat.User("Hurry!")})
		return "ok", nil
	}
	model := scripted(calls("hears"), &chat.Error{Kind: chat.ErrQuota}, text("fine"))
	flow := temporal.New(temporal.Config{Name: "clerk", Replies: 1, Agent: agent.Agent{Model: model, Tools: tools.NewSet(named("hears", hears))}})
	each := func(_ int, e *testsuite.TestWorkflowEnvironment) { env = e }
	f := execute(t, flow, temporal.Input{Messages: []chat.Message{hello}}, each)
	if stop, ok := temporal.Stopped(f.err); !ok || !errors.Is(stop, chat.ErrQuota) || stop.Step != 1 || len(f.envs) != 2 {
		t.Fatalf("%v after %d executions", f.err, len(f.envs))
	}
	state := ask[json.RawMessage](t, env, temporal.StateQuery)
	f = execute(t, flow, temporal.Input{State: state, Messages: []chat.Message{chat.User("Paid.")}}, each)
	if f.err != nil {
		t.Fatal(f.err)
	}
	said := func(what string) int {
		return slices.IndexFunc(f.out.Messages, func(m chat.Message) bool { return m.Text() == what })
	}
	if said("Hurry!") != 3 || said("Paid.") != 4 || said("fine") != 5 || f.out.Usage.Total() != 30 || f.out.Step != 1 {
		t.Errorf("%+v", f.out)
	}
}

// brisk notices a cancellation soon.
var brisk = workflow.ActivityOptions{HeartbeatTimeout: 40 * time.Millisecond}

// waits is a tool or a model that goes on until it is cancelled.
type waits struct{ began, told chan bool }

func waiting() waits { return waits{make(chan bool, 9), make(chan bool, 9)} }

func (w waits) wait(ctx context.Context) error {
	w.began <- true
	<-ctx.Done()
	w.told <- true
	return ctx.Err()
}

func (w waits) tool(o tools.Options) *tools.Set {
	return tools.NewSet(named("slow", func(ctx context.Context) (string, error) { return "", w.wait(ctx) }).With(o))
}

// TestCancelled: the workflow's cancellation reaches what runs and ends the run.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := waiting()
	for _, c := range []struct {
		name string
		bot  agent.Agent
		runs int
	}{
		{"in the model", agent.Agent{Model: scripted(func(ctx context.Context) (*chat.Reply, error) { return nil, w.wait(ctx) })}, 1},
		{"in tools", agent.Agent{Model: scripted(calls("slow", "slow")), Tools: w.tool(tools.Options{SideEffects: true})}, 2},
		{"while it waits", agent.Agent{Model: scripted(calls("slow")), Tools: w.tool(tools.Options{NeedsApproval: true})}, 0},
	} {
		var env *testsuite.TestWorkflowEnvironment
		flow := temporal.New(temporal.Config{Name: "clerk", Agent: c.bot, ModelCall: brisk, ToolCall: brisk})
		stop := stops(t, flow, agent.StopCancelled, func(e *testsuite.TestWorkflowEnvironment) {
			env = e
			if c.runs == 0 {
				env.RegisterDelayedCallback(env.CancelWorkflow, time.Hour)
				return
			}
			go func() {
				for range c.runs {
					<-w.began
				}
				env.CancelWorkflow()
			}()
		})
		if !errors.Is(stop, context.Canceled) || !sdk.IsCanceledError(env.GetWorkflowError()) {
			t.Errorf("%s: %v: %v", c.name, stop, env.GetWorkflowError())
		}
		for range c.runs {
			<-w.told
		}
	}
}

// TestCancelledWithAReply: a cancellation that comes with a reply ends the run as
// one, whatever the model was about to be asked.
func TestCancelledWithAReply(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	model := scripted(func(context.Context) (*chat.Reply, error) { env.CancelWorkflow(); return calls("a"), nil }, text("never"))
	flow := clerk(agent.Agent{Model: model, Tools: tools.NewSet(says("a", "x"))})
	stop := stops(t, flow, agent.StopCancelled, func(e *testsuite.TestWorkflowEnvironment) { env = e })
	if !errors.Is(stop, context.Canceled) || len(model.asked()) != 1 {
		t.Errorf("%v after %d requests", stop, len(model.asked()))
	}
}

// TestStopCancelsTheOthers: a tool that stops the run ends the calls beside it.
func TestStopCancelsTheOthers(t *testing.T) {
	t.Parallel()
	w := waiting()
	stopping := named("stop", func(context.Context) (string, error) { <-w.began; return "", errors.New("no paper") })
	slow, _ := w.tool(tools.Options{}).Lookup("slow")
	flow := temporal.New(temporal.Config{Name: "clerk", ToolCall: brisk, Agent: agent.Agent{
		Model: scripted(calls("slow", "stop")), Tools: tools.NewSet(slow, stopping.With(tools.Options{OnError: tools.Stop})),
	}})
	stop := stops(t, flow, agent.StopToolError, nil)
	if !strings.HasSuffix(stop.Error(), `tool "stop": no paper`) {
		t.Error(stop)
	}
	<-w.told
}

// TestStateOfARefusedRun: there is none, which is no error of the query.
func TestStateOfARefusedRun(t *testing.T) {
	t.Parallel()
	f := execute(t, clerk(agent.Agent{Model: scripted()}), temporal.Input{State: json.RawMessage(`{"version":9}`)}, nil)
	if stop, ok := temporal.Stopped(f.err); !ok || stop.Reason != agent.StopRefused {
		t.Errorf("ended with %v", f.err)
	}
	if state := ask[json.RawMessage](t, f.envs[0], temporal.StateQuery); string(state) != "null" {
		t.Errorf("the state is %s", state)
	}
}
