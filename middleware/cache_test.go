package middleware_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
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
	"github.com/sabir-go/sabir/toolchoice"
)

// place is a request for a call.
func place(choice toolchoice.Choice) *chat.Request {
	return &chat.Request{
		Messages: chat.Prompt("Where?"), ToolChoice: choice,
		Tools: []chat.ToolDef{{Name: "place", Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
	}
}

// TestCacheHit: each form is answered from each form, with the same content and
// at no cost.
func TestCacheHit(t *testing.T) {
	t.Parallel()
	turn := sim.Turn{Text: "See:", Calls: []sim.ToolCall{
		{Name: "place", Arguments: []byte(`{"city": "Ghent"}`)}, {Name: "place", Arguments: []byte(`{"city":"Bruges"}`)},
	}}
	for from, first := range bothForms {
		for to, second := range bothForms {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				fake := enginetest.New(turn)
				eng := middleware.Cache(middleware.CacheConfig{})(fake)
				want, err := first(t.Context(), eng, place(toolchoice.Any()))
				if err != nil || want.Usage.Total() == 0 || want.Timing.Attempts != 1 {
					t.Fatalf("%v, %+v", err, want)
				}
				got, err := second(t.Context(), eng, place(toolchoice.Any()))
				if err != nil {
					t.Fatal(err)
				}
				wanted := *want
				wanted.Usage, wanted.RateLimit, wanted.Timing, wanted.Raw = chat.Usage{}, chat.RateLimit{}, chat.Timing{}, nil
				if !reflect.DeepEqual(got, &wanted) || len(fake.Sent()) != 1 {
					t.Errorf("got %+v after %d calls, want %+v", got, len(fake.Sent()), wanted)
				}
			})
		}
	}
}

// TestCacheStream: the events of a hit are those of a stream, and it is
// one-shot, lazy, and can be left.
func TestCacheStream(t *testing.T) {
	t.Parallel()
	turn := sim.Turn{Text: "See:", Calls: []sim.ToolCall{
		{ID: "call_1", Name: "place", Arguments: []byte(`{}`)}, {ID: "call_2", Name: "unknown", Arguments: []byte(`{}`)},
	}}
	eng := middleware.Cache(middleware.CacheConfig{})(enginetest.New(turn))
	reply, err := eng.Chat(t.Context(), place(toolchoice.Auto()))
	if err != nil {
		t.Fatal(err)
	}
	events := eng.Stream(t.Context(), place(toolchoice.Auto()))
	var got []chat.Event
	for ev, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev)
	}
	want := []chat.Event{
		chat.TextDelta{Text: "See:"},
		chat.ToolCallStart{Index: 0, ID: "call_1", Name: "place"},
		chat.ToolCallDelta{Index: 0, Arguments: "{}"},
		chat.ToolCallStart{Index: 1, ID: "call_2", Name: "unknown"},
		chat.ToolCallDelta{Index: 1, Arguments: "{}"},
		chat.ToolCallDone{Index: 0, Call: reply.ToolCalls()[0]}, // the other was never offered
	}
	if len(got) != len(want)+1 || !reflect.DeepEqual(got[:len(want)], want) {
		t.Errorf("events %+v", got)
	}
	for ev, err := range events {
		if ev != nil || !errors.Is(err, chat.ErrStreamUsed) {
			t.Errorf("%v, %v; want ErrStreamUsed", ev, err)
		}
	}
	for n := range len(want) + 1 {
		seen := 0
		for range eng.Stream(t.Context(), place(toolchoice.Auto())) {
			if seen++; seen > n {
				break
			}
		}
		if seen != n+1 {
			t.Errorf("%d events, want %d", seen, n+1)
		}
	}
}

// TestCacheKey: what makes another question, and what doesn't.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*chat.Request)
		sent   int
	}{
		{"nothing", func(*chat.Request) {}, 1},
		{"its spelling of the default model", func(r *chat.Request) { r.Model = "sonar" }, 1},
		{"what is left out", func(r *chat.Request) { r.Metadata = map[string]string{"user_id": "7"} }, 1},
		{"another model", func(r *chat.Request) { r.Model = "sonar-pro" }, 2},
		{"another text", func(r *chat.Request) { r.Messages = chat.Prompt("Say goodbye.") }, 2},
		{"a setting", func(r *chat.Request) { r.Temperature = new(0.5) }, 2},
		{"an extra", func(r *chat.Request) {
			r.Extra = chat.Extra{"perplexity": {"search_mode": json.RawMessage(`"academic"`)}}
		}, 2},
		{"tools that are left out", func(r *chat.Request) { r.Tools, r.ToolChoice = place(toolchoice.None()).Tools, toolchoice.None() }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := sim.New(sim.Options{})
			eng := middleware.Cache(middleware.CacheConfig{})(engine.NewPerplexity(engine.Config{
				APIKey: "k", Model: "sonar", BaseURL: server.BaseURL("perplexity"), HTTPClient: &http.Client{Transport: server.RoundTripper()},
			}))
			changed := sayHello()
			c.change(changed)
			for _, req := range []*chat.Request{changed, sayHello()} {
				plan, err := eng.Plan(req)
				if err != nil {
					t.Fatal(err)
				}
				reply, err := eng.Chat(t.Context(), req)
				if err != nil || !slices.Equal(reply.Warnings, plan.Warnings) || !slices.Equal(reply.Steps, plan.Steps) {
					t.Errorf("%v: %+v, %+v", err, reply.Warnings, reply.Steps)
				}
			}
			if n := len(server.Requests()); n != c.sent {
				t.Errorf("%d were sent, want %d", n, c.sent)
			}
		})
	}
}

// TestCacheSameBody: a tool that travels as a schema and the same schema as an
// output have one body, and answers of different kinds.
func TestCacheSameBody(t *testing.T) {
	t.Parallel()
	server := sim.New(sim.Options{})
	eng := middleware.Cache(middleware.CacheConfig{})(engine.NewPerplexity(engine.Config{
		APIKey: "k", Model: "sonar", BaseURL: server.BaseURL("perplexity"), HTTPClient: &http.Client{Transport: server.RoundTripper()},
	}))
	tool := place(toolchoice.Tool("place"))
	output := &chat.Request{Messages: tool.Messages, Output: &chat.Output{Name: "place", Schema: tool.Tools[0].Schema}}
	a, errA := eng.Plan(tool)
	b, errB := eng.Plan(output)
	bodyA, _ := a.Body()
	bodyB, _ := b.Body()
	if err := errors.Join(errA, errB); err != nil || string(bodyA) != string(bodyB) {
		t.Fatalf("%v: the bodies differ:\n%s\n%s", err, bodyA, bodyB)
	}
	for range 2 {
		called, errA := eng.Chat(t.Context(), tool)
		said, errB := eng.Chat(t.Context(), output)
		if err := errors.Join(errA, errB); err != nil || len(called.ToolCalls()) != 1 || len(said.Output) == 0 {
			t.Fatalf("%v: %+v, %+v", err, called, said)
		}
	}
	if n := len(server.Requests()); n != 2 {
		t.Errorf("%d were sent, want 2", n)
	}
}

// TestCacheScope: scopes and addresses don't share replies in one store, the
// same ones do.
func TestCacheScope(t *testing.T) {
	t.Parallel()
	store := &shelf{}
	first, second := tenTokensEach(2), tenTokensEach(2)
	for _, eng := range []engine.Engine{
		middleware.Cache(middleware.CacheConfig{Store: store, Scope: "a"})(first),
		middleware.Cache(middleware.CacheConfig{Store: store, Scope: "a"})(first),
		middleware.Cache(middleware.CacheConfig{Store: store, Scope: "b"})(first),
		middleware.Cache(middleware.CacheConfig{Store: store, Scope: "b"})(engine.NewOpenAICompatible(engine.Config{
			Model: "fake-model", APIKey: "k", BaseURL: "http://other.invalid/fake", HTTPClient: &http.Client{Transport: throughTo{second}},
		})),
	} {
		if _, err := eng.Chat(t.Context(), sayHello()); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := len(first.Sent()), len(second.Requests()); a != 2 || b != 1 || len(store.kept) != 3 {
		t.Errorf("%d and %d calls, %d kept", a, b, len(store.kept))
	}
}

// throughTo answers HTTP by asking a fake.
type throughTo struct{ fake *enginetest.Fake }

func (x throughTo) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	reply, err := x.fake.Chat(r.Context(), sayHello())
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(reply.Raw)
	return w.Result(), nil
}

// TestCacheKeepsGoodReplies: an answer that is no good answer again is asked
// for again.
func TestCacheKeepsGoodReplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		turn   sim.Turn
		stream bool
	}{
		{"cut by length", sim.Turn{Text: "Hel", Finish: "length"}, false},
		{"filtered", sim.Turn{Text: "I can't", Finish: "content_filter"}, false},
		{"ended in another way", sim.Turn{Text: "Hello", Finish: "bored"}, false},
		{"a failure", enginetest.Fails(400, "no"), false},
		{"a cut stream", enginetest.Cut(2, enginetest.Says("Hello there")), true},
		{"broken arguments", sim.Turn{Calls: []sim.ToolCall{{Name: "place", Arguments: []byte(`{"city":`)}}}, false},
	} {
		for form, call := range bothForms {
			if c.stream && form == "chat" {
				continue
			}
			t.Run(c.name+", "+form, func(t *testing.T) {
				t.Parallel()
				fake := enginetest.New(c.turn, enginetest.Says("Hello."))
				eng := middleware.Cache(middleware.CacheConfig{})(fake)
				if reply, err := call(t.Context(), eng, place(toolchoice.Auto())); err == nil && reply.Finish == chat.FinishStop {
					t.Fatalf("reply %+v", reply)
				}
				for range 2 {
					if reply, err := call(t.Context(), eng, place(toolchoice.Auto())); err != nil || reply.Text() != "Hello." {
						t.Errorf("%v: %+v", err, reply)
					}
				}
				if n := len(fake.Sent()); n != 2 {
					t.Errorf("%d were sent, want 2", n)
				}
			})
		}
	}
	t.Run("a stream that was left", func(t *testing.T) {
		t.Parallel()
		fake := tenTokensEach(2)
		eng := middleware.Cache(middleware.CacheConfig{})(fake)
		for range eng.Stream(t.Context(), sayHello()) {
			break
		}
		if _, err := eng.Chat(t.Context(), sayHello()); err != nil || len(fake.Sent()) != 2 {
			t.Errorf("%v after %d calls", err, len(fake.Sent()))
		}
	})
}

// TestCacheCopies: what a caller does to a reply doesn't reach others.
func TestCacheCopies(t *testing.T) {
	t.Parallel()
	eng := middleware.Cache(middleware.CacheConfig{})(enginetest.New(enginetest.Calls("place", map[string]string{"city": "Ghent"})))
	for i := range 3 {
		for form, call := range bothForms {
			reply, err := call(t.Context(), eng, place(toolchoice.Any()))
			if err != nil || string(reply.ToolCalls()[0].Arguments) != `{"city":"Ghent"}` {
				t.Fatalf("%s, round %d: %v, %+v", form, i, err, reply)
			}
			copy(reply.ToolCalls()[0].Arguments, "spoilt")
			reply.Parts[0] = chat.Text{Text: "spoilt"}
		}
	}
}

// TestCacheSkip: what is skipped is neither answered from the cache nor kept.
func TestCacheSkip(t *testing.T) {
	t.Parallel()
	for form, call := range bothForms {
		fake, store := tenTokensEach(3), &shelf{}
		eng := middleware.Cache(middleware.CacheConfig{Store: store, Skip: func(r *chat.Request) bool { return r.Seed == nil }})(fake)
		for range 2 {
			if _, err := call(t.Context(), eng, sayHello()); err != nil {
				t.Fatal(err)
			}
		}
		if len(fake.Sent()) != 2 || len(store.kept) != 0 {
			t.Errorf("%s: %d sent, %d kept", form, len(fake.Sent()), len(store.kept))
		}
	}
}

// TestCacheBounds: how long and how much is kept in memory.
func TestCacheBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cfg  middleware.CacheConfig
		asks []string // a prompt, or a wait
		sent int
	}{
		{"for ever", middleware.CacheConfig{}, []string{"a", "10000h", "a"}, 1},
		{"within its time", middleware.CacheConfig{TTL: time.Minute}, []string{"a", "59s", "a"}, 1},
		{"after its time", middleware.CacheConfig{TTL: time.Minute}, []string{"a", "60s", "a", "a"}, 2},
		{"a hit makes it no younger", middleware.CacheConfig{TTL: time.Minute}, []string{"a", "40s", "a", "40s", "a"}, 2},
		{"two entries", middleware.CacheConfig{Entries: 2}, []string{"a", "b", "a", "b"}, 2},
		{"the least recently used goes", middleware.CacheConfig{Entries: 2}, []string{"a", "b", "a", "c", "a", "b"}, 4},
		{"bytes", middleware.CacheConfig{Bytes: 200}, []string{"a", "b", "a"}, 3},
		{"room is given back", middleware.CacheConfig{Bytes: 200}, []string{"a", "b", "c", "c"}, 3},
		{"larger than the bound", middleware.CacheConfig{Bytes: 100}, []string{"a", "a"}, 2},
		{"nothing at all", middleware.CacheConfig{Entries: -1}, []string{"a", "a"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMetered(func(int) metering {
					return metering{reply: chat.Reply{Finish: chat.FinishStop, Parts: []chat.Part{chat.Text{Text: "x"}}}}
				})
				eng := middleware.Cache(c.cfg)(m)
				for _, ask := range c.asks {
					if wait, err := time.ParseDuration(ask); err == nil {
						time.Sleep(wait)
						continue
					}
					if _, err := eng.Chat(t.Context(), named(ask)); err != nil {
						t.Fatal(err)
					}
				}
				if n := len(m.asked()); n != c.sent {
					t.Errorf("%d were sent, want %d", n, c.sent)
				}
			})
		})
	}
}

// TestCacheSharesCalls: equal calls at the same time are one, and it is paid
// once.
func TestCacheSharesCalls(t *testing.T) {
	t.Parallel()
	good := chat.Reply{Finish: chat.FinishStop, Parts: []chat.Part{chat.Text{Text: "x"}}, Usage: chat.Usage{Output: 10}}
	cut := good
	cut.Finish = chat.FinishLength
	for _, c := range []struct {
		name  string
		got   metering
		kind  error
		sent  int
		usage int
	}{
		{"a reply", metering{reply: good}, nil, 1, 10},
		{"one that isn't kept", metering{reply: cut}, nil, 1, 10},
		{"a failure", metering{err: &chat.Error{Kind: chat.ErrServer}}, chat.ErrServer, 1, 0},
		{"a failure that cost something", metering{err: &chat.Error{Kind: chat.ErrToolChoiceUnmet, Reply: &good}}, chat.ErrToolChoiceUnmet, 5, 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMetered(func(int) metering { got := c.got; got.takes = time.Second; return got })
				eng := middleware.Cache(middleware.CacheConfig{})(m)
				var wg sync.WaitGroup
				var mu sync.Mutex
				total := 0
				for range 5 {
					wg.Go(func() {
						reply, err := eng.Chat(t.Context(), named("a"))
						if !errors.Is(err, c.kind) {
							t.Errorf("%v, want %v", err, c.kind)
						}
						if e, ok := errors.AsType[*chat.Error](err); ok {
							reply = e.Reply
						}
						mu.Lock()
						defer mu.Unlock()
						if reply != nil {
							total += reply.Usage.Total()
						}
					})
				}
				wg.Wait()
				if len(m.asked()) != c.sent || total != c.usage {
					t.Errorf("%d were sent for %d tokens, want %d for %d", len(m.asked()), total, c.sent, c.usage)
				}
			})
		})
	}
}

// TestCacheLeaderLeaves: the context of the caller whose call was sent ends it
// for nobody else, and one who waits can leave.
func TestCacheLeaderLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(func(int) metering {
			return metering{takes: time.Minute, reply: chat.Reply{Finish: chat.FinishStop, Parts: []chat.Part{chat.Text{Text: "x"}}}}
		})
		eng := middleware.Cache(middleware.CacheConfig{})(m)
		var wg sync.WaitGroup
		for _, limit := range []time.Duration{time.Second, 2 * time.Second, time.Hour, time.Hour} {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				start := time.Now()
				_, err := eng.Chat(ctx, named("a"))
				if gone := limit < time.Hour; gone != errors.Is(err, context.DeadlineExceeded) || gone && time.Since(start) != limit {
					t.Errorf("%v after %v, limit %v", err, time.Since(start), limit)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		// Who goes on after the first is chance: the one with a second left, or another.
		if n := len(m.asked()); n < 2 || n > 3 {
			t.Errorf("%d were sent: %q", n, m.asked())
		}
	})
}

// panics is an engine with a bug.
type panics struct{ engine.Engine }

func (panics) Chat(context.Context, *chat.Request) (*chat.Reply, error) {
	panic("a bug") //nolint:forbidigo // what is tested
}

// TestCacheAfterPanic: a call that panicked holds nobody up.
func TestCacheAfterPanic(t *testing.T) {
	t.Parallel()
	eng := middleware.Cache(middleware.CacheConfig{})(panics{newParrot()})
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, _ = eng.Chat(t.Context(), sayHello())
		}()
	}
}

// shelf is a store that can fail.
type shelf struct {
	load, save error

	mu   sync.Mutex
	kept map[string][]byte
	ttl  time.Duration
}

func (s *shelf) Load(_ context.Context, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key], s.load
}

func (s *shelf) Save(_ context.Context, key string, reply []byte, ttl time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.save != nil {
		return s.save
	}
	if s.kept == nil {
		s.kept = make(map[string][]byte)
	}
	s.kept[key], s.ttl = slices.Clone(reply), ttl
	return nil
}

// TestCacheStore: a store of the caller's own serves another process, and costs
// a warning when it fails.
func TestCacheStore(t *testing.T) {
	t.Parallel()
	down := errors.New("the store is down")
	for form, call := range bothForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			fake, store := tenTokensEach(4), &shelf{}
			ask := func() *chat.Reply {
				t.Helper()
				reply, err := call(t.Context(), middleware.Cache(middleware.CacheConfig{Store: store, TTL: time.Hour})(fake), sayHello())
				if err != nil || reply.Text() != "hi" {
					t.Fatalf("%v: %+v", err, reply)
				}
				return reply
			}
			ask()
			if again := ask(); again.Timing.Attempts != 0 || len(fake.Sent()) != 1 || store.ttl != time.Hour {
				t.Errorf("%+v after %d calls, kept for %v", again, len(fake.Sent()), store.ttl)
			}
			for key := range store.kept {
				store.kept[key] = []byte(`{"parts":[{"type":"hologram"}]}`)
			}
			if got := ask(); len(got.Warnings) != 1 || len(fake.Sent()) != 2 {
				t.Errorf("nonsense in the store: %+v", got.Warnings)
			}
			if again := ask(); len(again.Warnings) != 0 || len(fake.Sent()) != 2 {
				t.Errorf("a warning was kept: %+v", again.Warnings)
			}
			store.kept, store.load, store.save = nil, down, down
			got := ask()
			want := chat.Warning{Message: "the cache of replies failed: the store is down"}
			if !slices.Equal(got.Warnings, []chat.Warning{want, want}) {
				t.Errorf("warnings %+v", got.Warnings)
			}
		})
	}
}

// TestCacheRefusals: a refusal is no matter of the cache, nor is a context that
// has ended.
func TestCacheRefusals(t *testing.T) {
	t.Parallel()
	eng := middleware.Cache(middleware.CacheConfig{})(tenTokensEach(1))
	if _, err := eng.Chat(t.Context(), sayHello()); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for form, call := range bothForms {
		if _, err := call(t.Context(), eng, nil); !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("%s: %v", form, err)
		}
		if _, err := call(ended, eng, sayHello()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", form, err)
		}
	}
}

//nolint:paralleltest // the suite counts goroutines
func TestCacheSuite(t *testing.T) {
	enginetest.Suite(t, middleware.Cache(middleware.CacheConfig{})(enginetest.New()))
}

// The same question is sent once; who counts costs counts it once.
func ExampleCache() {
	fake := enginetest.New(enginetest.Says("In Ghent."))
	client := sabir.New(fake, middleware.Cache(middleware.CacheConfig{}))
	for range 2 {
		reply, err := client.Ask(context.Background(), "Where is the Gravensteen?")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(reply.Text(), reply.Timing.Attempts, reply.Usage.Total() > 0)
	}
	// Output:
	// In Ghent. 1 true
	// In Ghent. 0 false
}
