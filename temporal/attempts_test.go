package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/temporal"
	"github.com/sabir-go/sabir/tools"
)

// TestRetries: a failed call is made again if that can help, after the wait that
// the provider asked for, and only the last failure is the run's.
func TestRetries(t *testing.T) {
	t.Parallel()
	overloaded := &chat.Error{Kind: chat.ErrOverloaded, Engine: "e"}
	for _, c := range []struct {
		name    string
		replies []any
		call    workflow.ActivityOptions
		tries   int
		waits   time.Duration // at least, and at most a second more
		want    error         // nil: it ends well
	}{
		{"overloaded twice", []any{overloaded, overloaded, text("fine")}, workflow.ActivityOptions{}, 3, 3 * time.Second, nil},
		{"a wait was asked for", []any{&chat.Error{Kind: chat.ErrRateLimited, RetryAfter: time.Hour}, text("fine")}, workflow.ActivityOptions{}, 2, time.Hour, nil},
		{"retryable", []any{&chat.Error{Kind: chat.ErrNetwork, Retryable: true}, text("fine")}, workflow.ActivityOptions{}, 2, time.Second, nil},
		{"unknown failure", []any{errors.New("who knows"), text("fine")}, workflow.ActivityOptions{}, 2, time.Second, nil},
		{"out of time", []any{&chat.Error{Kind: chat.ErrNetwork, Err: context.DeadlineExceeded}, text("fine")}, workflow.ActivityOptions{}, 2, time.Second, nil},
		{"no key", []any{&chat.Error{Kind: chat.ErrAuth}, text("never")}, workflow.ActivityOptions{}, 1, 0, chat.ErrAuth},
		{"in the middle of the answer", []any{&chat.Error{Kind: chat.ErrNetwork}, text("never")}, workflow.ActivityOptions{}, 1, 0, chat.ErrNetwork},
		{"no reply", []any{(*chat.Reply)(nil), text("never")}, workflow.ActivityOptions{}, 1, 0, chat.ErrBadReply},
		{
			"by policy",
			[]any{overloaded, overloaded, text("never")},
			workflow.ActivityOptions{RetryPolicy: &sdk.RetryPolicy{MaximumAttempts: 2}},
			2, time.Second, chat.ErrOverloaded,
		},
		{
			"not by policy",
			[]any{overloaded, text("never")},
			workflow.ActivityOptions{RetryPolicy: &sdk.RetryPolicy{NonRetryableErrorTypes: []string{"ErrOverloaded"}}},
			1, 0, chat.ErrOverloaded,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			model := scripted(c.replies...)
			flow := temporal.New(temporal.Config{Name: "clerk", Agent: agent.Agent{Model: model}, ModelCall: c.call})
			var began time.Time
			f := execute(t, flow, temporal.Input{Messages: []chat.Message{hello}}, func(_ int, env *testsuite.TestWorkflowEnvironment) {
				began = env.Now()
			})
			stop, stopped := temporal.Stopped(f.err)
			switch {
			case c.want == nil && f.err != nil:
				t.Fatal(f.err)
			case c.want != nil && (!stopped || stop.Reason != agent.StopFailed || !errors.Is(stop, c.want)):
				t.Fatalf("%v, want %v", f.err, c.want)
			}
			if n := len(model.asked()); n != c.tries {
				t.Errorf("%d tries, want %d", n, c.tries)
			}
			if d := f.envs[0].Now().Sub(began); d < c.waits || d > c.waits+time.Second {
				t.Errorf("waited %v, want %v", d, c.waits)
			}
		})
	}
}

// TestErrorsCross: the caller of a workflow sees the error that the model's call
// gave, with all that it says.
func TestErrorsCross(t *testing.T) {
	t.Parallel()
	once := workflow.ActivityOptions{RetryPolicy: &sdk.RetryPolicy{MaximumAttempts: 1}}
	for _, kind := range []error{
		chat.ErrInvalid, chat.ErrAuth, chat.ErrNotFound, chat.ErrBadRequest, chat.ErrTooLong, chat.ErrFiltered, chat.ErrQuota,
		chat.ErrRateLimited, chat.ErrOverloaded, chat.ErrServer, chat.ErrNetwork, chat.ErrBadReply, chat.ErrMalformedCall,
		chat.ErrTruncated, chat.ErrStreamUsed, chat.ErrToolChoiceUnmet, chat.ErrOutputUnmet, chat.ErrUnsupported,
	} {
		t.Run(kind.Error(), func(t *testing.T) {
			t.Parallel()
			want := &chat.Error{
				Kind: kind, Engine: "e", Model: "m", Status: 418, Type: "t", Code: "c", Param: "p", Message: "no tea",
				RequestID: "r", RetryAfter: time.Minute, Retryable: true, Attempts: 2, Reply: text("half"), Err: errors.New("the pot"),
			}
			flow := temporal.New(temporal.Config{Name: "clerk", Agent: agent.Agent{Model: scripted(want)}, ModelCall: once})
			f := execute(t, flow, temporal.Input{Messages: []chat.Message{hello}}, nil)
			stop, _ := temporal.Stopped(f.err)
			got, ok := errors.AsType[*chat.Error](stop)
			if !ok || !errors.Is(stop, kind) || got.Err == nil || got.Err.Error() != "the pot" {
				t.Fatalf("%v", f.err)
			}
			if got.Error() != want.Error() || asJSON(t, got.Reply) != asJSON(t, want.Reply) {
				t.Errorf("%v with %+v, want %v", got, got.Reply, want)
			}
			flat, wanted := *got, *want
			flat.Reply, flat.Err, flat.Kind = nil, nil, nil
			wanted.Reply, wanted.Err, wanted.Kind = nil, nil, nil
			if flat != wanted {
				t.Errorf("%+v, want %+v", flat, wanted)
			}
		})
	}
}

// TestFailsLikeAProvider: errors of the real stack, too.
func TestFailsLikeAProvider(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Fails(503, "full"), enginetest.RateLimited(time.Minute), enginetest.Says("At last."))
	if out := run(t, clerk(agent.Agent{Model: fake}), nil); out.Text != "At last." || len(fake.Sent()) != 3 {
		t.Errorf("%+v after %d requests", out, len(fake.Sent()))
	}
	fake = enginetest.New(enginetest.Fails(401, "who are you"), enginetest.Says("never"))
	stop := stops(t, clerk(agent.Agent{Model: fake}), agent.StopFailed, nil)
	if e, ok := errors.AsType[*chat.Error](stop); !ok || e.Status != 401 || !errors.Is(stop, chat.ErrAuth) || len(fake.Sent()) != 1 {
		t.Errorf("%v after %d requests", stop, len(fake.Sent()))
	}
}

// TestLostWorker: a call whose worker was lost is made again, unless its tool has
// side effects: then the model is told what is known.
func TestLostWorker(t *testing.T) {
	t.Parallel()
	lost := sdk.NewHeartbeatTimeoutError()
	untaken := sdk.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
	for _, c := range []struct {
		name  string
		opts  tools.Options
		errs  []error
		tries int
		want  string
	}{
		{"once", tools.Options{}, []error{lost}, 2, "done"},
		{"always", tools.Options{}, []error{lost, lost, lost}, 3, "send did not finish: "},
		{"with side effects", tools.Options{SideEffects: true}, []error{lost}, 1, "send was started, and its outcome is unknown: "},
		{"never taken", tools.Options{SideEffects: true}, []error{untaken}, 1, "send was not run: no worker was free"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tries := &count{}
			send := named("send", func(context.Context) (string, error) { return "done", nil }).With(c.opts)
			flow := clerk(agent.Agent{Model: scripted(calls("send"), text("fine")), Tools: tools.NewSet(send)})
			f := executeIn(t, temporal.Input{Messages: []chat.Message{hello}}, func(int) *testsuite.TestWorkflowEnvironment {
				env := bare()
				flow.Register(swapped{env, "clerk.tool", func(context.Context, map[string]any) (toolReply, error) {
					if n := tries.add(); n <= len(c.errs) {
						return toolReply{}, c.errs[n-1]
					}
					return toolReply{chat.TextResult("", "done")}, nil
				}})
				return env
			})
			if f.err != nil {
				t.Fatal(f.err)
			}
			out := f.out
			got := told(out.Messages)
			if len(got) != 1 || !strings.HasPrefix(got[0], c.want) || out.Text != "fine" {
				t.Errorf("told %q, answer %q; want %q", got, out.Text, c.want)
			}
			if tries.value() != c.tries {
				t.Errorf("%d tries, want %d", tries.value(), c.tries)
			}
		})
	}
}

// swapped registers another function for one activity.
type swapped struct {
	*testsuite.TestWorkflowEnvironment
	name string
	run  any
}

func (s swapped) RegisterActivityWithOptions(a any, o activity.RegisterOptions) {
	if o.Name == s.name {
		a = s.run
	}
	s.TestWorkflowEnvironment.RegisterActivityWithOptions(a, o)
}

// toolReply is the stored form of a tool activity's result.
type toolReply struct {
	Result chat.ToolResult `json:"result"`
}

// TestTimes: what an activity may take is the tool's Timeout and some more, or
// what the configuration says.
func TestTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool tools.Options
		cfg  workflow.ActivityOptions
		want time.Duration
		beat time.Duration
	}{
		{tools.Options{}, workflow.ActivityOptions{}, 10 * time.Minute, 15 * time.Second},
		{tools.Options{Timeout: time.Minute}, workflow.ActivityOptions{StartToCloseTimeout: time.Hour}, time.Minute + 30*time.Second, 15 * time.Second},
		{tools.Options{}, workflow.ActivityOptions{StartToCloseTimeout: time.Hour, HeartbeatTimeout: time.Minute}, time.Hour, time.Minute},
		{tools.Options{}, workflow.ActivityOptions{ScheduleToCloseTimeout: 2 * time.Hour}, 2 * time.Hour, 15 * time.Second},
	} {
		var took, beat time.Duration
		look := named("look", func(ctx context.Context) (string, error) {
			info := activity.GetInfo(ctx)
			took, beat = info.Deadline.Sub(info.StartedTime).Round(time.Second), info.HeartbeatTimeout
			return "ok", nil
		}).With(c.tool)
		run(t, temporal.New(temporal.Config{
			Name: "clerk", ToolCall: c.cfg,
			Agent: agent.Agent{Model: scripted(calls("look"), text("fine")), Tools: tools.NewSet(look)},
		}), nil)
		if took != c.want || beat != c.beat {
			t.Errorf("%+v, %+v: %v and a heartbeat every %v", c.tool, c.cfg, took, beat)
		}
	}
}

// TestNotStopped: errors that are not the run's own.
func TestNotStopped(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		nil, errors.New("no"), sdk.NewCanceledError(), sdk.NewCanceledError("why"), sdk.NewApplicationError("m", "max_steps"),
		sdk.NewApplicationError("m", "other", temporal.Outcome{Reason: agent.StopSteps}),
	} {
		if stop, ok := temporal.Stopped(err); ok || stop != nil {
			t.Errorf("%v is taken for %v", err, stop)
		}
	}
}
