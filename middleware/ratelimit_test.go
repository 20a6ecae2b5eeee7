package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/toolchoice"
)

// metered is an engine that answers by a function and notes when it was asked,
// and what for. A stream brings a delta halfway through.
type metered struct {
	engine.Engine

	answer func(n int) metering
	start  time.Time

	mu   sync.Mutex
	asks []string
}

// metering is one answer: after how long, and with what.
type metering struct {
	takes time.Duration
	reply chat.Reply
	err   error
}

func newMetered(answer func(n int) metering) *metered {
	return &metered{Engine: engine.NewOpenAI(engine.Config{Model: "m"}), answer: answer, start: time.Now()}
}

func (m *metered) ask(req *chat.Request) metering {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks = append(m.asks, fmt.Sprintf("%v %s", time.Since(m.start), req.Messages[0].Text()))
	if m.answer == nil {
		return metering{}
	}
	return m.answer(len(m.asks))
}

func (m *metered) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	got := m.ask(req)
	select {
	case <-time.After(got.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if got.err != nil {
		return nil, got.err
	}
	return &got.reply, nil
}

func (m *metered) Stream(_ context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		got := m.ask(req)
		if !yield(chat.TextDelta{Text: "x"}, nil) {
			return
		}
		time.Sleep(got.takes)
		if got.err != nil {
			yield(nil, got.err)
			return
		}
		yield(chat.Done{Reply: &got.reply}, nil)
	}
}

func (m *metered) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asks)
}

// says is an answer with a rate limit and a usage.
func says(requests, tokens chat.Window, used int) metering {
	return metering{reply: chat.Reply{
		RateLimit: chat.RateLimit{Requests: requests, Tokens: tokens}, Usage: chat.Usage{Input: used},
	}}
}

// TestRateLimit: when each of several calls, made one after the other, is sent.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	limited := &chat.Error{Kind: chat.ErrRateLimited, RetryAfter: 30 * time.Second}
	retried := metering{reply: chat.Reply{Timing: chat.Timing{Attempts: 3}}}
	for _, c := range []struct {
		name   string
		cfg    middleware.RateLimitConfig
		answer func(n int) metering
		want   []string
	}{
		{"nothing known", middleware.RateLimitConfig{}, nil, []string{"0s a", "0s b", "0s c", "0s d"}},
		{"requests", middleware.RateLimitConfig{Requests: 2}, nil, []string{"0s a", "0s b", "30s c", "1m0s d"}},
		{
			"tokens, by what was used",
			middleware.RateLimitConfig{Tokens: 60},
			func(int) metering { return says(chat.Window{}, chat.Window{}, 40) },
			[]string{"0s a", "0s b", "20.25s c", "1m0.25s d"},
		},
		{
			"attempts count",
			middleware.RateLimitConfig{Requests: 4},
			func(int) metering { return retried },
			[]string{"0s a", "0s b", "45s c", "1m30s d"},
		},
		{
			"attempts of failures, too",
			middleware.RateLimitConfig{Requests: 4},
			func(int) metering { return metering{err: &chat.Error{Kind: chat.ErrServer, Attempts: 3}} },
			[]string{"0s a", "0s b", "45s c", "1m30s d"},
		},
		{
			"requests left, by the headers",
			middleware.RateLimitConfig{},
			func(n int) metering {
				return says(chat.Window{Limit: 10, Remaining: max(2-n, 0), Reset: 20 * time.Second}, chat.Window{}, 0)
			},
			[]string{"0s a", "0s b", "2s c", "4s d"},
		},
		{
			"tokens left, by the headers",
			middleware.RateLimitConfig{},
			func(int) metering { return says(chat.Window{}, chat.Window{Limit: 60, Reset: time.Minute}, 0) },
			[]string{"0s a", "250ms b", "500ms c", "750ms d"},
		},
		{
			"no word of when",
			middleware.RateLimitConfig{},
			func(int) metering { return says(chat.Window{Limit: 60}, chat.Window{}, 0) },
			[]string{"0s a", "1s b", "2s c", "3s d"},
		},
		{
			"the headers don't raise our own",
			middleware.RateLimitConfig{Requests: 2},
			func(int) metering {
				return says(chat.Window{Limit: 100, Remaining: 99, Reset: time.Second}, chat.Window{}, 0)
			},
			[]string{"0s a", "0s b", "30s c", "1m0s d"},
		},
		{
			"the wait that an error asked for",
			middleware.RateLimitConfig{},
			func(n int) metering {
				if n == 2 {
					return metering{err: limited}
				}
				return metering{}
			},
			[]string{"0s a", "0s b", "30s c", "30s d"},
		},
		{
			"an error that is none of capacity",
			middleware.RateLimitConfig{},
			func(int) metering { return metering{err: &chat.Error{Kind: chat.ErrServer, RetryAfter: time.Hour}} },
			[]string{"0s a", "0s b", "0s c", "0s d"},
		},
	} {
		for form, call := range bothForms {
			t.Run(c.name+", "+form, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					m := newMetered(c.answer)
					eng := middleware.RateLimit(c.cfg)(m)
					for _, name := range []string{"a", "b", "c", "d"} {
						_, _ = call(t.Context(), eng, named(name))
					}
					if got := m.asked(); !slices.Equal(got, c.want) {
						t.Errorf("asked %q, want %q", got, c.want)
					}
				})
			})
		}
	}
}

// TestRateLimitEstimate: what a request is thought to take, before it is sent.
// The bucket holds 60 tokens and fills one a second.
func TestRateLimitEstimate(t *testing.T) {
	t.Parallel()
	text := string(make([]byte, 40))
	for name, req := range map[string]*chat.Request{
		"system":    {System: text, Messages: chat.Prompt("")},
		"message":   {Messages: chat.Prompt(text)},
		"tool":      {Messages: chat.Prompt(""), Tools: []chat.ToolDef{{Name: "place", Description: text[5:]}}},
		"schema":    {Messages: chat.Prompt(""), Output: &chat.Output{Schema: []byte(`{"type":"object",       "properties":{}}`)}},
		"a picture": {Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}, chat.Image{MediaType: "image/png", Data: make([]byte, 4000)}}}}},
		"a loop": {Messages: []chat.Message{
			chat.User(text[20:]),
			{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Thinking{Text: "abcd"}, chat.ToolCall{ID: "c", Name: "x", Arguments: []byte(`{}`)}}},
			chat.Results(chat.TextResult("c", text[27:])),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMetered(nil)
				if _, err := m.Plan(req); err != nil {
					t.Fatal(err)
				}
				eng := middleware.RateLimit(middleware.RateLimitConfig{Tokens: 60})(m)
				for range 7 { // ten tokens each: the seventh waits for ten
					if _, err := eng.Chat(t.Context(), req); err != nil {
						t.Fatal(err)
					}
				}
				if d := time.Since(m.start); d != 10*time.Second {
					t.Errorf("waited %v, want 10s", d)
				}
			})
		})
	}
}

// TestRateLimitLargeRequest: what is larger than the limit goes when the bucket
// is full, and those behind it wait until that is made good.
func TestRateLimitLargeRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(nil)
		eng := middleware.RateLimit(middleware.RateLimitConfig{Tokens: 60})(m)
		large := string(make([]byte, 4*90))
		for _, text := range []string{"four", large, "last"} {
			if _, err := eng.Chat(t.Context(), named(text)); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := m.asked(), []string{"0s four", "1s " + large, "32s last"}; !slices.Equal(got, want) {
			t.Errorf("asked %q", got)
		}
	})
}

// TestRateLimitFailuresTakeNoTokens: the estimate is given back.
func TestRateLimitFailuresTakeNoTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(func(int) metering { return metering{err: &chat.Error{Kind: chat.ErrServer}} })
		eng := middleware.RateLimit(middleware.RateLimitConfig{Tokens: 10})(m)
		for range 3 {
			_, _ = eng.Chat(t.Context(), named(string(make([]byte, 40))))
		}
		if d := time.Since(m.start); d > 0 {
			t.Errorf("waited %v", d)
		}
	})
}

// TestRateLimitIsFair: calls go in the order in which they came, though the
// second leaves the queue.
func TestRateLimitIsFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(nil)
		eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 60})(m)
		for range 60 {
			_, _ = eng.Chat(t.Context(), named("burst"))
		}
		leaving, leave := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		for i, ctx := range []context.Context{t.Context(), leaving, t.Context(), t.Context()} {
			wg.Go(func() {
				_, err := bothForms[[]string{"chat", "stream"}[i%2]](ctx, eng, named(strconv.Itoa(i)))
				if gone := ctx == leaving; gone != errors.Is(err, context.Canceled) || gone && !errors.Is(err, context.Cause(ctx)) {
					t.Errorf("%d: %v", i, err)
				}
			})
			synctest.Wait()
		}
		time.Sleep(500 * time.Millisecond)
		leave(errors.New("the user left"))
		wg.Wait()
		if got, want := m.asked()[60:], []string{"1s 0", "2s 2", "3s 3"}; !slices.Equal(got, want) {
			t.Errorf("asked %q, want %q", got, want)
		}
	})
}

// TestRateLimitFirstLeaves: the next one in the queue takes the place of the
// first.
func TestRateLimitFirstLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(nil)
		eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})(m)
		_, _ = eng.Chat(t.Context(), named("a"))
		ctx, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = eng.Chat(ctx, named("leaves")) })
		synctest.Wait()
		wg.Go(func() { _, _ = eng.Chat(t.Context(), named("b")) })
		synctest.Wait()
		leave()
		wg.Wait()
		if got, want := m.asked(), []string{"0s a", "1m0s b"}; !slices.Equal(got, want) {
			t.Errorf("asked %q, want %q", got, want)
		}
	})
}

// TestRateLimitDeadline: a wait that the context has no room for is not begun,
// those ahead counted.
func TestRateLimitDeadline(t *testing.T) {
	t.Parallel()
	for form, call := range bothForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMetered(nil)
				eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 6})(m)
				for range 6 {
					_, _ = call(t.Context(), eng, named("burst"))
				}
				var wg sync.WaitGroup
				wg.Go(func() { _, _ = call(t.Context(), eng, named("ahead")) })
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
				defer cancel()
				_, err := call(ctx, eng, named("late"))
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(err, chat.ErrRateLimited) || errors.Is(err, context.DeadlineExceeded) || e.RetryAfter != 20*time.Second ||
					!e.Retryable || e.Model != "m" || e.Status != 0 || time.Since(m.start) > 0 {
					t.Errorf("after %v: %+v", time.Since(m.start), err)
				}
				roomy, stop := context.WithTimeout(t.Context(), 25*time.Second)
				defer stop()
				if _, err := call(roomy, eng, named("in time")); err != nil {
					t.Error(err)
				}
				wg.Wait()
				if got, want := m.asked()[6:], []string{"10s ahead", "20s in time"}; !slices.Equal(got, want) {
					t.Errorf("asked %q, want %q", got, want)
				}
			})
		})
	}
}

// TestRateLimitPausesThoseWaiting: an error's wait holds for calls that wait
// already, too, and one that can't wait so long is told at once.
func TestRateLimitPausesThoseWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(func(n int) metering {
			if n == 1 {
				return metering{takes: 5 * time.Second, err: &chat.Error{Kind: chat.ErrOverloaded, RetryAfter: time.Minute}}
			}
			return metering{}
		})
		eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 6})(m)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = eng.Chat(t.Context(), named("fails")) })
		synctest.Wait()
		for range 5 {
			_, _ = eng.Chat(t.Context(), named("burst"))
		}
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, err := eng.Chat(ctx, named("short"))
			if d := time.Since(m.start); !errors.Is(err, chat.ErrRateLimited) || d != 5*time.Second {
				t.Errorf("after %v: %v", d, err)
			}
		})
		synctest.Wait()
		wg.Go(func() { _, _ = eng.Chat(t.Context(), named("patient")) })
		wg.Wait()
		if got := m.asked()[6:]; !slices.Equal(got, []string{"1m5s patient"}) {
			t.Errorf("asked %q", got)
		}
	})
}

// TestRateLimitHeadersOfOldReplies: headers are as old as their reply's first
// token, what is under way beside it is taken off, and older ones don't count.
func TestRateLimitHeadersOfOldReplies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		window := chat.Window{Limit: 60, Remaining: 30, Reset: 30 * time.Second} // one a second
		m := newMetered(func(n int) metering {
			switch n {
			case 1: // its headers came at 1 s
				got := says(window, chat.Window{}, 0)
				got.takes, got.reply.Timing = 30*time.Second, chat.Timing{FirstToken: time.Second, Total: 30 * time.Second}
				return got
			case 2: // at 10 s, two others under way: eight left
				got := says(chat.Window{Limit: 60, Remaining: 10, Reset: 50 * time.Second}, chat.Window{}, 0)
				got.takes = 10 * time.Second
				return got
			case 3:
				return metering{takes: 40 * time.Second}
			}
			return metering{}
		})
		eng := middleware.RateLimit(middleware.RateLimitConfig{})(m)
		var wg sync.WaitGroup
		for _, name := range []string{"long", "short", "longest"} {
			wg.Go(func() { _, _ = eng.Chat(t.Context(), named(name)) })
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		for range 9 {
			_, _ = eng.Chat(t.Context(), named("next"))
		}
		if d := time.Since(m.start); d != 11*time.Second {
			t.Errorf("the ninth call went at %v, want 11s", d)
		}
		time.Sleep(19*time.Second + time.Millisecond) // "long" ends; its headers are from before
		for range 20 {
			_, _ = eng.Chat(t.Context(), named("more"))
		}
		if d := time.Since(m.start); d != 31*time.Second {
			t.Errorf("twenty more were through at %v, want 31s", d)
		}
		wg.Wait()
	})
}

// TestRateLimitPerModel: models and engines don't wait for each other; the
// engine's default model is the one that it names.
func TestRateLimitPerModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(nil)
		limit := middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})
		eng, other := limit(m), limit(newParrot())
		ask := func(e engine.Engine, model string) {
			req := named(model)
			req.Model = model
			if _, err := e.Chat(t.Context(), req); err != nil {
				t.Error(err)
			}
		}
		ask(eng, "")
		ask(eng, "n")
		ask(other, "other")
		for i := range 2000 { // more than are remembered
			ask(eng, fmt.Sprint("model ", i))
		}
		if d := time.Since(m.start); d > 0 {
			t.Errorf("waited %v", d)
		}
		ask(eng, "m")
		if d := time.Since(m.start); d != time.Minute {
			t.Errorf("waited %v, want a minute", d)
		}
	})
}

// TestRateLimitRefusals: what the plan refuses doesn't wait and takes nothing;
// neither does a call whose context has ended.
func TestRateLimitRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(nil)
		eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 1})(m)
		wrong := named("x")
		wrong.ToolChoice = toolchoice.Any()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for form, call := range bothForms {
			if _, err := call(t.Context(), eng, wrong); !errors.Is(err, chat.ErrInvalid) {
				t.Errorf("%s: %v", form, err)
			}
			if _, err := call(ended, eng, named("x")); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", form, err)
			}
		}
		_, _ = eng.Chat(t.Context(), named("a"))
		if got := m.asked(); !slices.Equal(got, []string{"0s a"}) {
			t.Errorf("asked %q", got)
		}
	})
}

// TestRateLimitBreak: a stream that its listener left is over, and one whose
// end is being read isn't under way any more.
func TestRateLimitBreak(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		window := chat.Window{Limit: 60, Remaining: 1, Reset: 59 * time.Second}
		m := newMetered(func(int) metering { return says(window, chat.Window{}, 0) })
		eng := middleware.RateLimit(middleware.RateLimitConfig{})(m)
		for range eng.Stream(t.Context(), named("left")) {
			break
		}
		for ev := range eng.Stream(t.Context(), named("read")) {
			if _, ok := ev.(chat.Done); ok {
				_, _ = eng.Chat(t.Context(), named("within"))
			}
		}
		_, _ = eng.Chat(t.Context(), named("after"))
		if got, want := m.asked(), []string{"0s left", "0s read", "0s within", "0s after"}; !slices.Equal(got, want) {
			t.Errorf("asked %q, want %q", got, want)
		}
	})
}

// TestRateLimitSideBySide: many goroutines, each form, one limit.
func TestRateLimitSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMetered(func(int) metering {
			return metering{takes: time.Second, reply: chat.Reply{Usage: chat.Usage{Output: 1}}}
		})
		eng := middleware.RateLimit(middleware.RateLimitConfig{Requests: 60, Tokens: 1_000_000})(m)
		var wg sync.WaitGroup
		for i := range 180 {
			wg.Go(func() {
				if _, err := bothForms[[]string{"chat", "stream"}[i%2]](t.Context(), eng, named("x")); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if d := time.Since(m.start); d != 121*time.Second || len(m.asked()) != 180 {
			t.Errorf("%d calls took %v, want 180 in 121s", len(m.asked()), d)
		}
	})
}

//nolint:paralleltest // the suite counts goroutines
func TestRateLimitSuite(t *testing.T) {
	enginetest.Suite(t, middleware.RateLimit(middleware.RateLimitConfig{Requests: 6000})(enginetest.New()))
}

// What can't be sent in time is not waited for.
func ExampleRateLimit() {
	client := sabir.New(enginetest.New(), middleware.RateLimit(middleware.RateLimitConfig{Requests: 1}))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for range 2 {
		_, err := client.Ask(ctx, "Where is the Gravensteen?")
		fmt.Println(err == nil, errors.Is(err, chat.ErrRateLimited))
	}
	// Output:
	// true false
	// false true
}
