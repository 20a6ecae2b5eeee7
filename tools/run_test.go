package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

type wait struct {
	For time.Duration `json:"for,omitempty"`
	As  string        `json:"as,omitempty"`
}

// waiting is a tool that waits as its arguments say, and heeds its context.
func waiting(name string, o tools.Options) tools.Tool {
	return tools.New(name, "", func(ctx context.Context, in wait) (string, error) {
		select {
		case <-time.After(in.For):
			return in.As, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}).With(o)
}

func failing(name string, err error, o tools.Options) tools.Tool {
	return tools.New(name, "", func(context.Context, none) (string, error) { return "", err }).With(o)
}

func waits(name string, seconds ...int) []chat.ToolCall {
	calls := make([]chat.ToolCall, len(seconds))
	for i, s := range seconds {
		calls[i] = call(name, fmt.Sprintf(`{"for":%d,"as":"%d"}`, time.Duration(s)*time.Second, i))
		calls[i].ID = fmt.Sprint("c", i)
	}
	return calls
}

func text(r chat.ToolResult) string {
	var b strings.Builder
	for _, p := range r.Parts {
		b.WriteString(p.(chat.Text).Text)
	}
	return b.String()
}

func texts(results []chat.ToolResult) string {
	all := make([]string, len(results))
	for i, r := range results {
		all[i] = r.CallID + "=" + text(r)
	}
	return strings.Join(all, " ")
}

func TestRunTakesAsLongAs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		options  tools.Options
		parallel int
		calls    []chat.ToolCall
		want     time.Duration
	}{
		{"the longest", tools.Options{}, 0, waits("w", 3, 1, 2), 3 * time.Second},
		{"two at a time", tools.Options{}, 2, waits("w", 2, 2, 2, 2), 4 * time.Second},
		{"one at a time", tools.Options{}, 1, waits("w", 3, 1, 2), 6 * time.Second},
		{"serial", tools.Options{Serial: true}, 0, waits("w", 3, 1, 2), 6 * time.Second},
		{"more than the default limit", tools.Options{}, 0, waits("w", 1, 1, 1, 1, 1, 1, 1, 1, 1), 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				set := tools.NewSet(waiting("w", tt.options))
				set.MaxParallel = tt.parallel
				start := time.Now()
				results, err := set.Run(t.Context(), tt.calls)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
				for i, r := range results {
					if r.CallID != tt.calls[i].ID || r.Name != "w" || text(r) != strconv.Itoa(i) || r.IsError {
						t.Errorf("result %d is %+v", i, r)
					}
				}
			})
		})
	}
}

func TestSerialToolsTakeTurnsAcrossRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		serial := func(name string) tools.Tool {
			return tools.New(name, "", func(context.Context, none) (string, error) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
				running.Add(-1)
				return "", nil
			}).With(tools.Options{Serial: true})
		}
		set := tools.NewSet(serial("a"), serial("b"))
		start := time.Now()
		var wg sync.WaitGroup
		for _, s := range []*tools.Set{set, set, set.Fresh()} {
			wg.Go(func() {
				if _, err := s.Run(t.Context(), []chat.ToolCall{call("a", ""), call("b", "")}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if most.Load() != 1 || time.Since(start) != 6*time.Second {
			t.Errorf("%d at once, %v in all", most.Load(), time.Since(start))
		}
	})
}

// wordy is an error that can't be a nil pointer.
type wordy struct{ words string }

func (w *wordy) Error() string { return w.words }

func TestWhatGoesWrongIsToldToTheModel(t *testing.T) {
	t.Parallel()
	crash := tools.New("crash", "", func(context.Context, none) (string, error) {
		var list []rune
		return string(list[3]), nil
	})
	leave := tools.New("leave", "", func(context.Context, none) (string, error) { runtime.Goexit(); return "", nil })
	long := tools.New("long", "", func(context.Context, none) (string, error) {
		panic(strings.Repeat("é", 500)) //nolint:forbidigo // that is what is tested
	})
	tests := []struct{ name, call, want string }{
		{"endless name", strings.Repeat("n", 300), `there is no tool "` + strings.Repeat("n", 200) + `…"; the tools are fail, silent, nil, crash, leave, long, slow`},
		{"unknown tool", "map", `there is no tool "map"; the tools are fail, silent, nil, crash, leave, long, slow`},
		{"error", "fail", "no such place"},
		{"error without words", "silent", "failed"},
		{"nil as an error", "nil", "the tool crashed: runtime error: invalid memory address or nil pointer dereference"},
		{"panic", "crash", "the tool crashed: runtime error: index out of range [3] with length 0"},
		{"goroutine left", "leave", "the call did not finish"},
		{"long panic", "long", "the tool crashed: " + strings.Repeat("é", 100) + "…"},
		{"timeout", "slow", "timed out after 2s: context deadline exceeded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				set := tools.NewSet(
					failing("fail", errors.New("no such place"), tools.Options{}),
					failing("silent", errors.New(""), tools.Options{}),
					failing("nil", (*wordy)(nil), tools.Options{}),
					crash, leave, long, waiting("slow", tools.Options{Timeout: 2 * time.Second}),
				)
				args := ""
				if tt.call == "slow" {
					args = `{"for":3000000000}`
				}
				results, err := set.Run(t.Context(), []chat.ToolCall{call(tt.call, args)})
				if err != nil {
					t.Fatal(err)
				}
				if got := results[0]; !got.IsError || text(got) != tt.want || got.CallID != "c1" || got.Name != tt.call {
					t.Errorf("got %+v, want %q", got, tt.want)
				}
			})
		})
	}
}

// TestCheck: it says what Run would say, and counts nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("w", tools.Options{MaxCalls: 1, NeedsApproval: true}))
	for _, tt := range []struct {
		name string
		call chat.ToolCall
		want string
	}{
		{"sound", call("w", `{"for":1}`), ""},
		{"unknown tool", call("map", `{}`), `there is no tool "map"; the tools are w`},
		{"arguments", call("w", `{"for":"x"}`), `arguments: for: must be an integer, not the string "x"`},
	} {
		err := set.Check(tt.call)
		if got := fmt.Sprint(err); (err == nil) != (tt.want == "") || err != nil && got != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && text(set.Call(t.Context(), tt.call)) != tt.want {
			t.Errorf("%s: Call says something else", tt.name)
		}
	}
	if got := set.Call(t.Context(), call("w", `{"for":1}`)); got.IsError {
		t.Errorf("a check was counted: %+v", got)
	}
	if err := tools.NewSet(tools.New[none, none]("a b", "", nil)).Check(call("a b", "")); err == nil {
		t.Error("a call of a faulty set was found sound")
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	crash := func(context.Context, none) (string, error) {
		panic(cause) //nolint:forbidigo // that is what is tested
	}
	tests := []struct {
		name string
		tool tools.Tool
		want string
	}{
		{"error", failing("f", cause, tools.Options{OnError: tools.Stop}), `tool "f": disk full`},
		{"serial", failing("f", cause, tools.Options{OnError: tools.Stop, Serial: true}), `tool "f": disk full`},
		{"panic", tools.New("f", "", crash).With(tools.Options{OnError: tools.Stop}), `tool "f": the tool crashed: disk full`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				set := tools.NewSet(tt.tool, waiting("w", tools.Options{}))
				calls := append(waits("w", 0, 60), call("f", ""))
				start := time.Now()
				results, err := set.Run(t.Context(), calls)
				if err == nil || err.Error() != tt.want || tt.name != "panic" && !errors.Is(err, cause) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				if time.Since(start) > time.Second || len(results) != 3 || !results[1].IsError || !results[2].IsError {
					t.Errorf("after %v: %s", time.Since(start), texts(results))
				}
			})
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the user left")
		ctx, cancel := context.WithCancelCause(t.Context())
		set := tools.NewSet(waiting("w", tools.Options{}), waiting("s", tools.Options{Serial: true}))
		time.AfterFunc(2*time.Second, func() { cancel(cause) })
		start := time.Now()
		results, err := set.Run(ctx, append(waits("w", 1, 60), waits("s", 1, 60, 60)...))
		if !errors.Is(err, cause) || time.Since(start) != 2*time.Second {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
		want := "c0=0 c1=context canceled c0=0 c1=context canceled c2=the call did not finish"
		if got := texts(results); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		results, err = set.Run(ctx, waits("w", 0))
		if !errors.Is(err, cause) || texts(results) != "c0=the call did not finish" {
			t.Errorf("afterwards: %v, %s", err, texts(results))
		}
	})
}

func TestMaxCalls(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("w", tools.Options{MaxCalls: 2}))
	calls := append(waits("w", 0, 0, 0), call("w", `{"for":"x"}`))
	results, err := set.Run(t.Context(), calls)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(results[:3]); got != "c0=0 c1=1 c2=w was called 2 times, which is the limit" || !results[2].IsError {
		t.Errorf("got %s", got)
	}
	if got := set.Call(t.Context(), calls[0]); !got.IsError {
		t.Errorf("a third call ran: %+v", got)
	}
	if got := set.Fresh().Call(t.Context(), calls[0]); got.IsError {
		t.Errorf("counts of a fresh set: %+v", got)
	}
}

func TestMaxCallsCountsOnlyWhatRuns(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("w", tools.Options{MaxCalls: 1}))
	if got := set.Call(t.Context(), call("w", `{"for":"x"}`)); !got.IsError {
		t.Errorf("unsound arguments: %+v", got)
	}
	if got := set.Call(t.Context(), waits("w", 0)[0]); got.IsError {
		t.Errorf("the first call that can run: %+v", got)
	}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	ran := 0
	pay := tools.New("pay", "", func(context.Context, none) (string, error) { ran++; return "paid", nil }).
		With(tools.Options{NeedsApproval: true})
	set := tools.NewSet(waiting("w", tools.Options{}), pay)
	calls := []chat.ToolCall{call("w", ""), call("pay", ""), call("none", "")}
	if got := set.Pending(calls); len(got) != 1 || got[0].Name != "pay" {
		t.Errorf("pending: %+v", got)
	}
	results, err := set.Run(t.Context(), calls)
	if !errors.Is(err, tools.ErrNeedsApproval) || results != nil || ran != 0 {
		t.Errorf("got %s, %v; ran %d times", texts(results), err, ran)
	}
	results, err = set.RunApproved(t.Context(), calls[:2])
	if err != nil || texts(results) != "c1= c1=paid" || ran != 1 {
		t.Errorf("got %s, %v; ran %d times", texts(results), err, ran)
	}
}

func TestApprovalByArguments(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("w", tools.Options{ApprovalFor: func(args json.RawMessage) bool {
		return strings.Contains(string(args), "big")
	}}), tools.External("ask_user", "", nil))
	calls := []chat.ToolCall{call("w", `{"as":"small"}`), call("w", `{"as":"big"}`), call("w", `{"as":"big",`), call("ask_user", "")}
	pending := set.Pending(calls)
	if len(pending) != 2 || string(pending[0].Arguments) != `{"as":"big"}` || pending[1].Name != "ask_user" {
		t.Errorf("pending: %+v", pending)
	}
	if got := set.Call(t.Context(), calls[3]); !got.IsError || text(got) != "nobody has answered this call" {
		t.Errorf("external: %+v", got)
	}
}

// TestApprovalThatPanics: who can't say whether a call is harmless doesn't let it
// through.
func TestApprovalThatPanics(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("w", tools.Options{ApprovalFor: func(args json.RawMessage) bool { return args[len(args)] > 0 }}))
	if _, err := set.Run(t.Context(), []chat.ToolCall{call("w", "")}); !errors.Is(err, tools.ErrNeedsApproval) {
		t.Errorf("error %v", err)
	}
}

// TestRunOne: as RunApproved, but on the caller's goroutine.
func TestRunOne(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	set := tools.NewSet(waiting("w", tools.Options{}), waiting("s", tools.Options{Serial: true, MaxCalls: 1}),
		failing("stop", boom, tools.Options{OnError: tools.Stop}),
		failing("lost", fmt.Errorf("connection lost: %w", tools.ErrOutcomeUnknown), tools.Options{}))
	if results, err := set.Run(t.Context(), []chat.ToolCall{call("lost", "")}); err != nil || !results[0].IsError {
		t.Errorf("a model that is told stops the rest: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		over bool // the context
		call chat.ToolCall
		want string
		is   error
	}{
		{false, call("w", `{"as":"x"}`), "x", nil},
		{false, call("s", `{"as":"x"}`), "x", nil},
		{false, call("s", `{"as":"x"}`), "s was called 1 times, which is the limit", nil},
		{false, call("stop", ""), "boom", boom},
		{false, call("lost", ""), "connection lost: outcome unknown", tools.ErrOutcomeUnknown},
		{false, call("none", ""), `there is no tool "none"; the tools are w, s, stop, lost`, nil},
		{true, call("w", ""), "the call did not finish", context.Canceled},
	} {
		ctx := t.Context()
		if c.over {
			ctx = ended
		}
		got, err := set.RunOne(ctx, c.call)
		if text(got) != c.want || !errors.Is(err, c.is) || got.CallID != "c1" || got.Name != c.call.Name {
			t.Errorf("%s: %q, %v; want %q, %v", c.call.Name, text(got), err, c.want, c.is)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("b", tools.Options{}), waiting("a", tools.Options{MaxCalls: 3}))
	if err := set.Err(); err != nil {
		t.Fatal(err)
	}
	if got := set.Names(); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("names %q", got)
	}
	if got := set.Defs(); len(got) != 2 || got[0].Name != "b" || got[1].Name != "a" {
		t.Errorf("definitions %+v", got)
	}
	if got, ok := set.Lookup("a"); !ok || got.Options.MaxCalls != 3 {
		t.Errorf("found %+v, %v", got, ok)
	}
	if _, ok := set.Lookup("A"); ok {
		t.Error("found a tool by another name")
	}
	twice := tools.NewSet(waiting("a", tools.Options{}), waiting("a", tools.Options{}))
	if err := twice.Err(); err == nil || !strings.Contains(err.Error(), `tool "a": the name occurs twice`) {
		t.Errorf("error %v", err)
	}
}

func TestNilSetHoldsNothing(t *testing.T) {
	t.Parallel()
	var set *tools.Set
	if set.Err() != nil || set.Names() != nil || set.Defs() != nil || set.Fresh() != nil {
		t.Error("a nil set holds something")
	}
	results, err := set.Run(t.Context(), []chat.ToolCall{call("a", "")})
	if err != nil || texts(results) != `c1=there is no tool "a", nor any other` {
		t.Errorf("got %s, %v", texts(results), err)
	}
}

// TestZeroSetGrows: a set of limits alone is one to add tools to.
func TestZeroSetGrows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		zero := &tools.Set{MaxParallel: 3}
		for _, set := range []*tools.Set{zero.With(waiting("w", tools.Options{Serial: true})), zero.Fresh().With(waiting("w", tools.Options{Serial: true}))} {
			if got := set.Call(t.Context(), call("w", `{"as":"x"}`)); text(got) != "x" || set.MaxParallel != 3 {
				t.Errorf("got %+v, limit %d", got, set.MaxParallel)
			}
		}
	})
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	set := tools.NewSet(waiting("w", tools.Options{MaxCalls: 100}), waiting("s", tools.Options{Serial: true}),
		failing("f", errors.New("no"), tools.Options{}))
	var ran atomic.Int32
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			calls := append(waits("w", 0, 0), call("s", `{"as":"x"}`), call("f", ""), call("w", `{"for":"x"}`))
			results, err := set.Run(t.Context(), calls)
			if err != nil || len(results) != 5 || !results[3].IsError || text(results[2]) != "x" {
				t.Errorf("got %s, %v", texts(results), err)
				return
			}
			for _, r := range results[:2] {
				if !r.IsError {
					ran.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if ran.Load() != 100 {
		t.Errorf("ran %d times, want 100", ran.Load())
	}
}

// TestSetWith: the larger set goes on counting, and shares the turns of serial
// tools.
func TestSetWith(t *testing.T) {
	t.Parallel()
	var at, most atomic.Int32
	slow := func(ctx context.Context, _ struct{}) (string, error) {
		most.Store(max(most.Load(), at.Add(1)))
		time.Sleep(time.Second)
		at.Add(-1)
		return "x", ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		set := tools.NewSet(
			tools.New("once", "", func(context.Context, struct{}) (string, error) { return "x", nil }).With(tools.Options{MaxCalls: 1}),
			tools.New("slow", "", slow).With(tools.Options{Serial: true}))
		set.MaxParallel = 3
		set.Call(t.Context(), chat.ToolCall{ID: "1", Name: "once"})
		grown := set.With(tools.New("more", "", slow).With(tools.Options{Serial: true}))
		if res := grown.Call(t.Context(), chat.ToolCall{ID: "2", Name: "once"}); !res.IsError {
			t.Errorf("ran twice: %+v", res)
		}
		done := make(chan struct{})
		go func() { defer close(done); set.Call(t.Context(), chat.ToolCall{ID: "3", Name: "slow"}) }()
		grown.Call(t.Context(), chat.ToolCall{ID: "4", Name: "more"})
		<-done
		if most.Load() != 1 || grown.MaxParallel != 3 || len(grown.Names()) != 3 || len(set.Names()) != 2 {
			t.Errorf("%d at once, limit %d, %q, %q", most.Load(), grown.MaxParallel, grown.Names(), set.Names())
		}
		if err := grown.With(tools.New("more", "", slow)).Err(); err == nil {
			t.Error("a name occurs twice, and there is no error")
		}
		if names := (*tools.Set)(nil).With(tools.New("more", "", slow)).Names(); len(names) != 1 {
			t.Errorf("nil with a tool has %q", names)
		}
	})
}
