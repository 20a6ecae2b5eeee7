package agent_test

import (
	"context"
	"errors"
	"fmt"
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

// killed is a store whose process dies: nothing is written any more.
type killed struct {
	agent.MemoryStore
	dead atomic.Bool
}

func (k *killed) Save(ctx context.Context, run string, state []byte) error {
	if k.dead.Load() {
		return nil
	}
	return k.MemoryStore.Save(ctx, run, state)
}

func (k *killed) Append(ctx context.Context, run string, entry []byte) error {
	if k.dead.Load() {
		return nil
	}
	return k.MemoryStore.Append(ctx, run, entry)
}

// TestNestedRunIsGoneOnWith: a run inside that was cut off, by the end of the
// context or by a crash, does not begin anew.
func TestNestedRunIsGoneOnWith(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		store *killed
		kill  bool
	}{{"state", nil, false}, {"store", &killed{}, false}, {"crash", &killed{}, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sent := 0
			cut := func(ctx context.Context) (*chat.Reply, error) {
				if c.kill {
					c.store.dead.Store(true)
				}
				cancel()
				return nil, ctx.Err()
			}
			inner := scripted(calls("send"), cut, text("sent"))
			helper := &agent.Agent{Model: inner, Tools: tools.NewSet(counted("send", &sent, tools.Options{SideEffects: true}))}
			bot := agent.Agent{Model: scripted(calls(`ask {"task":"send"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", helper))}
			if c.store != nil {
				bot.Store, bot.RunID = c.store, "run"
			}
			result, err := bot.Run(ctx, hello)
			stopped(t, result, err, agent.StopCancelled)
			state := stateOf(t, result)
			if c.store != nil {
				c.store.dead.Store(false)
				if state, err = agent.Load(t.Context(), bot.Store, "run"); err != nil {
					t.Fatal(err)
				}
			}
			if !c.kill && result.Usage.Total() != 30 {
				t.Errorf("used %+v", result.Usage)
			}
			result, err = bot.Resume(t.Context(), state)
			if err != nil {
				t.Fatal(err)
			}
			if sent != 1 || len(inner.Requests) != 3 || result.Text() != "fine" || result.Usage.Total() != 60 {
				t.Errorf("sent %d times, %d requests, %q, used %d", sent, len(inner.Requests), result.Text(), result.Usage.Total())
			}
			same(t, "calls", outcomes(result), []string{"0 ask succeeded"})
		})
	}
}

// TestCrashAfterVerdict: what an inner run has done since a verdict is not done
// again, though the outer run knows nothing of it.
func TestCrashAfterVerdict(t *testing.T) {
	t.Parallel()
	store := &killed{}
	paid, looked := 0, 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	bot := payer(&paid, &looked, store, func(ctx context.Context) (*chat.Reply, error) {
		store.dead.Store(true)
		cancel()
		return nil, ctx.Err()
	}, text("paid it"))
	result, err := bot.Run(ctx, hello)
	stopped(t, result, err, agent.StopApproval)
	result, err = bot.Resume(ctx, stateOf(t, result), agent.Approve("c0/c0"))
	stopped(t, result, err, agent.StopCancelled)
	store.dead.Store(false)
	state, err := agent.Load(t.Context(), store, "run")
	if err != nil {
		t.Fatal(err)
	}
	if waits, err := bot.Pending(state); err != nil || len(waits) > 0 {
		t.Errorf("waits for %+v, %v", waits, err)
	}
	result, err = bot.Resume(t.Context(), state)
	if err != nil || paid != 1 || result.Text() != "all done" {
		t.Errorf("%v, paid %d times: %q", err, paid, result.Text())
	}
}

// TestCutOffBeforeItGoesOn: a run that waits is not lost when its call is cut off
// before it is reached.
func TestCutOffBeforeItGoesOn(t *testing.T) {
	t.Parallel()
	paid, looked := 0, 0
	bot := payer(&paid, &looked, nil, text("paid it"))
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for ev, err := range bot.ResumeStream(ctx, stateOf(t, result)) {
		if _, ok := ev.(agent.CallStarted); ok {
			cancel()
		}
		if stop, ok := errors.AsType[*agent.StopError](err); ok {
			result = stop.Result
		}
	}
	if result.Reason != agent.StopCancelled {
		t.Fatalf("ended with %q", result.Reason)
	}
	result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0/c0"))
	if err != nil || paid != 1 || result.Usage.Total() != 60 {
		t.Errorf("%v, paid %d times, used %d", err, paid, result.Usage.Total())
	}
}

// clock is a Runtime that knows its place: how many tasks are around it.
type clock struct {
	place int
	log   *placeLog
}

type placeLog struct {
	mu    sync.Mutex
	tasks []string
	slept time.Duration
}

type placeKey struct{}

func (c clock) Now() time.Time { return time.Time{} }

func (c clock) Sleep(_ context.Context, d time.Duration) error {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.slept += d
	return nil
}

func (c clock) In(ctx context.Context) agent.Runtime {
	place, _ := ctx.Value(placeKey{}).(int)
	return clock{place, c.log}
}

func (c clock) Tasks() agent.Tasks { return &inTurn{clock: c} }

// inTurn runs each task at once, on the goroutine of the run.
type inTurn struct{ clock }

func (i *inTurn) Go(ctx context.Context, task func(context.Context)) {
	i.log.mu.Lock()
	i.log.tasks = append(i.log.tasks, strconv.Itoa(i.place))
	i.log.mu.Unlock()
	task(context.WithValue(ctx, placeKey{}, i.place+1))
}

func (i *inTurn) Wait() {}

func (i *inTurn) Do(f func()) { f() }

// TestNestedRuntime: what runs inside takes over the runtime, each in its place,
// and starts no goroutine.
func TestNestedRuntime(t *testing.T) {
	t.Parallel()
	noted := &placeLog{}
	waits := func() *agent.Agent {
		return &agent.Agent{Model: scripted(calls(`wait {"seconds":3600}`), text("ok")), Allow: agent.ControlTools{Wait: time.Hour}}
	}
	flow := agent.Parallel{Runners: []agent.Runner{waits(), agent.Sequential{waits()}}}
	bot := agent.Agent{
		Model: scripted(calls(`ask {"task":"x"}`, `team {"task":"x"}`), text("fine")), Runtime: clock{0, noted},
		Tools: tools.NewSet(agent.AsTool("ask", "", waits()), agent.AsTool("team", "", flow)),
	}
	got, result, err := told(t, bot.Stream(t.Context(), hello))
	if err != nil || result.Text() != "fine" || !slices.Contains(got, "c1 team> 1> 0> end wait: succeeded") {
		t.Errorf("%v: %q", err, got)
	}
	if _, err := agent.Run(t.Context(), agent.Parallel{Runners: []agent.Runner{waits()}, Runtime: clock{5, noted}}, hello); err != nil {
		t.Error(err)
	}
	same(t, "tasks", noted.tasks, []string{"0", "1", "0", "1", "2", "1", "2", "5", "6"})
	if noted.slept != 4*time.Hour {
		t.Errorf("slept %v", noted.slept)
	}
}

// TestNestedNamesAreFresh: a run that is begun anew under the same name does not
// find what was inside of the one before it.
func TestNestedNamesAreFresh(t *testing.T) {
	t.Parallel()
	store := &agent.MemoryStore{}
	helper := &agent.Agent{Model: scripted(text("one"), text("two"))}
	for _, want := range []string{"one", "two"} {
		bot := agent.Agent{
			Model: scripted(calls(`ask {"task":"x"}`), text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", helper)),
			Store: store, RunID: "run",
		}
		result, err := bot.Run(t.Context(), hello)
		if err != nil || said(result.Steps[0].Calls[0]) != want {
			t.Errorf("%q, %v; want %q", said(result.Steps[0].Calls[0]), err, want)
		}
	}
}

// TestNestedStoreFails: what can't be kept ends the run around it, too.
func TestNestedStoreFails(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]agent.Store{"load": &badStore{load: true}, "save": &badStore{}} {
		helper := &agent.Agent{Model: scripted(text("x"))}
		bot := agent.Agent{
			Model: scripted(calls(`ask {"task":"x"}`), text("never")), Tools: tools.NewSet(agent.AsTool("ask", "", helper)),
			Store: store, RunID: "run",
		}
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopStore)
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// badStore keeps the outer run only.
type badStore struct {
	agent.MemoryStore
	load bool
}

func (b *badStore) Save(ctx context.Context, run string, state []byte) error {
	if strings.Contains(run, "/") {
		return errors.New("disk full")
	}
	return b.MemoryStore.Save(ctx, run, state)
}

func (b *badStore) Load(ctx context.Context, run string) (state []byte, journal [][]byte, err error) {
	if b.load {
		return nil, nil, errors.New("disk full")
	}
	return b.MemoryStore.Load(ctx, run)
}

// TestBreakEndsNestedRuns: whoever leaves the stream ends all that runs inside.
func TestBreakEndsNestedRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ends atomic.Int32
		model := replies(func(context.Context, *chat.Request) (*chat.Reply, error) { return calls("hang", "tick"), nil })
		var hung sync.WaitGroup
		hung.Add(3)
		helper := &agent.Agent{Model: model, Tools: tools.NewSet(
			named("hang", func(ctx context.Context) (string, error) {
				hung.Done()
				<-ctx.Done()
				ends.Add(1)
				return "", ctx.Err()
			}),
			named("tick", func(context.Context) (string, error) { hung.Wait(); return "", nil }),
		)}
		beside, _ := helper.Tools.Lookup("hang")
		bot := agent.Agent{
			Model: scripted(calls(`ask {"task":""}`, `ask {"task":""}`, "hang")), Tools: tools.NewSet(agent.AsTool("ask", "", helper), beside),
		}
		for ev, err := range bot.Stream(t.Context(), hello) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(line(ev), "> end tick: succeeded") {
				break
			}
		}
		if n := ends.Load(); n != 3 {
			t.Errorf("%d of 3 calls have ended", n)
		}
	})
}

// TestHundredNestedRuns: their events stay in order each, and no goroutine is
// left.
func TestHundredNestedRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		inner := replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
			time.Sleep(time.Duration(len(req.Messages[0].Text())) * time.Millisecond)
			if len(req.Messages) == 1 {
				return calls("look"), nil
			}
			return text("ok"), nil
		})
		helper := &agent.Agent{Model: inner, Tools: tools.NewSet(says("look", "x"))}
		list := make([]string, 0, n)
		for i := range n {
			list = append(list, fmt.Sprintf(`ask {"task":%q}`, strings.Repeat("x", i%7)))
		}
		set := tools.NewSet(agent.AsTool("ask", "", helper))
		set.MaxParallel = n
		bot := agent.Agent{Model: scripted(calls(list...), text("fine")), Tools: set}
		all, result, err := told(t, bot.Stream(t.Context(), hello))
		if err != nil || result.Usage.Total() != 30+30*n {
			t.Fatalf("%v, used %d", err, result.Usage.Total())
		}
		for i := range n {
			prefix := fmt.Sprintf("c%d ask> ", i)
			mine := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !strings.HasPrefix(s, prefix) })
			for j := range mine {
				mine[j] = strings.TrimPrefix(mine[j], prefix)
			}
			same(t, prefix, mine, []string{
				"step 0", "start look", "end look: succeeded", "step 0 used 15 of 15",
				"step 1", "text o", "text k", "step 1 used 15 of 30", "done: ok",
			})
		}
	})
}
