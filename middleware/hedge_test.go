package middleware_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/sim"
)

// runner is how one request goes: what it brings, and after how long.
type runner struct {
	takes time.Duration
	err   error
	late  error // in a stream, after the first event
	bug   bool  // panics after all
	exits bool  // its goroutine, as t.FailNow does
}

// track is an engine whose n-th request goes as the n-th runner does, and answers
// with its place. All that begins must have ended when a call is over.
type track struct {
	engine.Engine

	runners []runner

	mu        sync.Mutex
	begun     []time.Time
	running   int
	cancelled int
}

func newTrack(runners ...runner) *track { return &track{Engine: newParrot(), runners: runners} }

func (r *track) begin() (place int, end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun = append(r.begun, time.Now())
	r.running++
	return len(r.begun), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running--
	}
}

func (r *track) wait(ctx context.Context, place int) error {
	if r.runners[place-1].exits {
		runtime.Goexit()
	}
	if r.runners[place-1].bug {
		defer panic("a bug") //nolint:forbidigo // what is tested
	}
	select {
	case <-time.After(r.runners[place-1].takes):
		return r.runners[place-1].err
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cancelled++
		return ctx.Err()
	}
}

func (r *track) Chat(ctx context.Context, _ *chat.Request) (*chat.Reply, error) {
	place, end := r.begin()
	defer end()
	if err := r.wait(ctx, place); err != nil {
		return nil, err
	}
	return &chat.Reply{Parts: []chat.Part{chat.Text{Text: strconv.Itoa(place)}}}, nil
}

func (r *track) Stream(ctx context.Context, _ *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		place, end := r.begin()
		defer end()
		if err := r.wait(ctx, place); err != nil {
			yield(nil, err)
			return
		}
		text := strconv.Itoa(place)
		if !yield(chat.TextDelta{Text: text}, nil) {
			return
		}
		if err := cmp.Or(ctx.Err(), r.runners[place-1].late); err != nil {
			yield(nil, err)
			return
		}
		yield(chat.Done{Reply: &chat.Reply{Parts: []chat.Part{chat.Text{Text: text}}}}, nil)
	}
}

// TestHedge: who wins, after how long, of how many requests, in both forms.
func TestHedge(t *testing.T) {
	t.Parallel()
	const after = 10 * time.Second
	late, never := 25*time.Second, time.Hour
	busy, bad := overloaded(), &chat.Error{Kind: chat.ErrBadRequest, Status: 400}
	for _, c := range []struct {
		name    string
		most    int
		runners []runner
		winner  string
		err     error
		after   time.Duration
		sent    int
	}{
		{"in time", 0, []runner{{takes: 9 * time.Second}}, "1", nil, 9 * time.Second, 1},
		{"the second is faster", 0, []runner{{takes: never}, {takes: time.Second}}, "2", nil, 11 * time.Second, 2},
		{"the first is faster", 0, []runner{{takes: late}, {takes: never}}, "1", nil, late, 2},
		{"no third by default", 0, []runner{{takes: 40 * time.Second}, {takes: never}}, "1", nil, 40 * time.Second, 2},
		{"the third is faster", 3, []runner{{takes: never}, {takes: never}, {}}, "3", nil, 20 * time.Second, 3},
		{"no bound", math.MaxInt, []runner{{takes: never}, {takes: never}, {}}, "3", nil, 20 * time.Second, 3},
		{"no fourth", 3, []runner{{takes: never}, {takes: late}, {takes: never}}, "2", nil, 35 * time.Second, 3},
		{"fails before the delay", 0, []runner{{takes: time.Second, err: busy}}, "", chat.ErrOverloaded, time.Second, 1},
		{"the second is refused", 0, []runner{{takes: late}, {err: busy}}, "1", nil, late, 2},
		{"the first breaks", 0, []runner{{takes: 11 * time.Second, err: busy}, {takes: 5 * time.Second}}, "2", nil, 15 * time.Second, 2},
		{"all break", 0, []runner{{takes: 11 * time.Second, err: bad}, {err: busy}}, "", chat.ErrBadRequest, 11 * time.Second, 2},
		{"one is wrong", 0, []runner{{takes: never}, {err: bad}}, "", chat.ErrBadRequest, after, 2},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed %v", c.name, streamed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newTrack(c.runners...)
					eng := middleware.Hedge(middleware.HedgeConfig{After: after, Most: c.most})(r)
					start := time.Now()
					reply, err := call(t, eng, streamed)
					if d := time.Since(start); d != c.after || len(r.begun) != c.sent || r.running != 0 {
						t.Errorf("after %v, %d requests, of which %d still run", d, len(r.begun), r.running)
					}
					if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
						t.Fatalf("error %v, want %v", err, c.err)
					}
					if err == nil && (reply.Text() != c.winner || (c.sent > 1) != (len(reply.Warnings) == 1)) {
						t.Errorf("reply %+v", reply)
					}
				})
			})
		}
	}
}

func call(t *testing.T, eng engine.Engine, streamed bool) (*chat.Reply, error) {
	t.Helper()
	if !streamed {
		return eng.Chat(t.Context(), ahoy())
	}
	text, reply, err := drain(eng.Stream(t.Context(), ahoy()))
	if err == nil && text != reply.Text() {
		t.Errorf("streamed %q, and the reply is %q", text, reply.Text())
	}
	return reply, err
}

// TestHedgeTells: the reply tells of requests whose cost nobody knows.
func TestHedgeTells(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := &chat.Reply{Warnings: make([]chat.Warning, 1, 8)}
		slow := fixedReply{newParrot(), shared}
		eng := middleware.Hedge(middleware.HedgeConfig{After: time.Second, Most: 3})(delayed{slow, 3 * time.Second})
		reply, err := eng.Chat(t.Context(), ahoy())
		if err != nil || len(reply.Warnings) != 2 || !strings.Contains(reply.Warnings[1].Message, "sent 3 times") {
			t.Errorf("%+v, %v", reply, err)
		}
		if len(shared.Warnings) != 1 || shared.Warnings[:2][1] != (chat.Warning{}) {
			t.Errorf("the engine's own reply was changed: %+v", shared.Warnings[:2])
		}
	})
}

// delayed is an engine that takes its time.
type delayed struct {
	engine.Engine

	by time.Duration
}

func (d delayed) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	time.Sleep(d.by)
	return d.Engine.Chat(ctx, req)
}

// TestHedgeNothing: without a delay, or with one request, there is nothing to
// hedge, and the engine is left alone.
func TestHedgeNothing(t *testing.T) {
	t.Parallel()
	p := newParrot()
	for _, cfg := range []middleware.HedgeConfig{{}, {Most: 5}, {After: -1}, {After: time.Second, Most: 1}} {
		if got := middleware.Hedge(cfg)(p); got != engine.Engine(p) {
			t.Errorf("%+v wraps", cfg)
		}
	}
}

// TestHedgeStreamAfterFirstEvent: a stream that has won keeps its own end, and
// one that is left ends all.
func TestHedgeStreamAfterFirstEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cut := &chat.Error{Kind: chat.ErrTruncated}
		r := newTrack(runner{takes: time.Hour}, runner{late: cut})
		eng := middleware.Hedge(middleware.HedgeConfig{After: time.Second})(r)
		text, _, err := drain(eng.Stream(t.Context(), ahoy()))
		if text != "2" || !errors.Is(err, chat.ErrTruncated) || r.running != 0 || r.cancelled != 1 {
			t.Errorf("%q, %v; %d run, %d cancelled", text, err, r.running, r.cancelled)
		}
		r = newTrack(runner{takes: time.Hour}, runner{})
		for _, err := range middleware.Hedge(middleware.HedgeConfig{After: time.Second})(r).Stream(t.Context(), ahoy()) {
			if err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if r.running != 1 {
				t.Errorf("%d run beside the winner", r.running-1)
			}
			break
		}
		if r.running != 0 || len(r.begun) != 2 {
			t.Errorf("%d of %d run after the stream was left", r.running, len(r.begun))
		}
	})
}

// TestHedgeTie: a stream that begins at the same time as the winner is closed.
func TestHedgeTie(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, streamed := range []bool{false, true} {
			r := newTrack(runner{takes: 2 * time.Second}, runner{takes: time.Second})
			if reply, err := call(t, middleware.Hedge(middleware.HedgeConfig{After: time.Second})(r), streamed); err != nil || r.running != 0 {
				t.Errorf("%+v, %v; %d run", reply, err, r.running)
			}
		}
	})
}

// TestHedgeOfNothing: a stream without events can't win as a good one.
func TestHedgeOfNothing(t *testing.T) {
	t.Parallel()
	eng := middleware.Hedge(middleware.HedgeConfig{After: time.Hour})(silent{newParrot()})
	if _, _, err := drain(eng.Stream(t.Context(), ahoy())); !errors.Is(err, chat.ErrTruncated) {
		t.Errorf("error %v", err)
	}
}

// silent breaks the contract of engines.
type silent struct{ engine.Engine }

func (silent) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(func(chat.Event, error) bool) {}
}

// TestHedgeCancel: the end of the context ends all requests, and the call.
func TestHedgeCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newTrack(runner{takes: time.Hour}, runner{takes: time.Hour}, runner{takes: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		_, err := middleware.Hedge(middleware.HedgeConfig{After: 10 * time.Second, Most: 5})(r).Chat(ctx, ahoy())
		if !errors.Is(err, context.DeadlineExceeded) || len(r.begun) != 3 || r.running != 0 {
			t.Errorf("%v; %d of %d run", err, r.running, len(r.begun))
		}
	})
}

// TestHedgeLeavesNoGoroutine: on the whole stack, with both requests on their way.
//
//nolint:paralleltest // counts goroutines
func TestHedgeLeavesNoGoroutine(t *testing.T) {
	srv := sim.New(sim.Options{Delay: time.Millisecond})
	eng := middleware.Hedge(middleware.HedgeConfig{After: time.Nanosecond, Most: 4})(simulated(t, srv, "anthropic", "claude-sonnet-4-5"))
	before := runtime.NumGoroutine()
	for range 20 {
		if _, err := eng.Chat(t.Context(), ahoy()); err != nil {
			t.Fatal(err)
		}
		for _, err := range eng.Stream(t.Context(), ahoy()) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > time.Second {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		time.Sleep(wait)
	}
	if n := len(srv.Requests()); n <= 40 {
		t.Errorf("%d requests: nothing was hedged", n)
	}
}

//nolint:paralleltest // the suite counts goroutines
func TestHedgeSuite(t *testing.T) {
	for _, after := range []time.Duration{time.Nanosecond, time.Hour} {
		t.Run(after.String(), func(t *testing.T) {
			enginetest.Suite(t, middleware.Hedge(middleware.HedgeConfig{After: after, Most: 3})(enginetest.New()))
		})
	}
}

// The first request hangs, and an equal one is sent beside it.
func ExampleHedge() {
	slow := newTrack(runner{takes: time.Hour}, runner{})
	client := sabir.New(slow, middleware.Hedge(middleware.HedgeConfig{After: 20 * time.Millisecond}))
	reply, err := client.Ask(context.Background(), "Where is the Gravensteen?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("request", reply.Text(), "won")
	fmt.Println(reply.Warnings[0].Message)
	// Output:
	// request 2 won
	// the request was sent 2 times, because an answer was late; Usage is that of one of them
}

// TestHedgePanic: a bug of the engine is its caller's to recover from, in each
// request.
func TestHedgePanic(t *testing.T) {
	t.Parallel()
	for name, runners := range map[string][]runner{
		"the only":   {{bug: true}},
		"the first":  {{takes: 2 * time.Second, bug: true}, {takes: time.Hour}},
		"the second": {{takes: time.Hour}, {bug: true}},
		"the loser":  {{takes: time.Hour, bug: true}, {}},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed %v", name, streamed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newTrack(runners...)
					defer func() {
						if recover() == nil || r.running > 0 {
							t.Errorf("no panic, or %d still run", r.running)
						}
					}()
					_, _ = call(t, middleware.Hedge(middleware.HedgeConfig{After: time.Second})(r), streamed)
				})
			})
		}
	}
}

// TestHedgeGoexit: a request whose goroutine is ended is no answer.
func TestHedgeGoexit(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newTrack(runner{exits: true})
			if _, err := call(t, middleware.Hedge(middleware.HedgeConfig{After: time.Hour})(r), streamed); err == nil || r.running > 0 {
				t.Errorf("streamed %v: %v, %d still run", streamed, err, r.running)
			}
		})
	}
}
