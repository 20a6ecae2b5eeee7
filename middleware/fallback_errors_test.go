package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestFallbackByKind: what the next engine may mend goes on, the rest ends. Of
// each kind one or the other is decided.
func TestFallbackByKind(t *testing.T) {
	t.Parallel()
	decided := make([]error, 0, len(chat.Kinds())+2)
	for _, c := range []struct {
		err    error
		goesOn bool
	}{
		{chat.ErrInvalid, false},
		{chat.ErrUnsupported, true},
		{chat.ErrAuth, true},
		{chat.ErrNotFound, true},
		{chat.ErrBadRequest, false},
		{chat.ErrTooLong, true},
		{chat.ErrFiltered, false},
		{chat.ErrQuota, true},
		{chat.ErrRateLimited, true},
		{chat.ErrOverloaded, true},
		{chat.ErrServer, true},
		{chat.ErrNetwork, true},
		{chat.ErrBadReply, true},
		{chat.ErrMalformedCall, false},
		{chat.ErrTruncated, true},
		{chat.ErrStreamUsed, false},
		{chat.ErrToolChoiceUnmet, false},
		{chat.ErrOutputUnmet, false},
		{context.DeadlineExceeded, true},
		{errors.New("of no kind"), true},
	} {
		decided = append(decided, c.err)
		t.Run(c.err.Error(), func(t *testing.T) {
			t.Parallel()
			second := enginetest.New(enginetest.Says("from the second"), enginetest.Says("from the second"))
			eng := middleware.Fallback(failsWith{second, &chat.Error{Kind: c.err, Engine: "first"}}, second)
			reply, err := inBothForms(t, eng, ahoy())
			if !c.goesOn {
				if !errors.Is(err, c.err) || len(second.Sent()) != 0 {
					t.Errorf("%v after %d requests, want %v at once", err, len(second.Sent()), c.err)
				}
				return
			}
			if err != nil || reply.Text() != "from the second" || len(second.Sent()) != 2 {
				t.Fatalf("%+v, %v after %d requests", reply, err, len(second.Sent()))
			}
			want := "passed over " + second.Name() + ": first: " + c.err.Error()
			if len(reply.Warnings) != 1 || reply.Warnings[0].Message != want {
				t.Errorf("warnings %q, want %q", reply.Warnings, want)
			}
		})
	}
	if got := decided[:len(decided)-2]; !slices.Equal(got, chat.Kinds()) {
		t.Errorf("decided is about %v, the kinds are %v", got, chat.Kinds())
	}
}

// TestFallbackOnRealFailures: the same with engines of the catalog.
func TestFallbackOnRealFailures(t *testing.T) {
	t.Parallel()
	forced := ahoy()
	forced.Tools = []chat.ToolDef{{Name: "place"}}
	forced.ToolChoice = toolchoice.Tool("place")
	thinking := *forced
	thinking.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOn}
	html := sim.Turn{Fail: &sim.Failure{Status: 200, Body: "<html>maintenance</html>"}}
	for _, c := range []struct {
		name    string
		req     *chat.Request
		turn    sim.Turn
		answers string // who answers
		warning string
		err     error
	}{
		{"well", ahoy(), sim.Says("hi"), "anthropic", "", nil},
		{"overloaded", ahoy(), sim.Fails(529, "Overloaded"), "openai", "passed over anthropic: overloaded (529): Overloaded", nil},
		{"bad gateway", ahoy(), sim.Fails(502, "down"), "openai", "passed over anthropic: server error (502): down", nil},
		{"no key", ahoy(), sim.Fails(401, "who are you"), "openai", "passed over anthropic: not authorised (401): who are you", nil},
		{"a page", ahoy(), html, "openai", "passed over anthropic: unreadable reply", nil},
		{"can't be planned", &thinking, sim.Says("hi"), "openai", "passed over anthropic: forced tool choice", nil},
		{"wrong", ahoy(), sim.Fails(400, "no"), "", "", chat.ErrBadRequest},
		{"the model disobeys", forced, sim.Breaks(sim.Fault{IgnoreChoice: true}), "", "", chat.ErrToolChoiceUnmet},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first, second := sim.New(sim.Options{Turns: []sim.Turn{c.turn, c.turn}}), sim.New(sim.Options{})
			eng := middleware.Fallback(simulated(t, first, "anthropic", "claude-sonnet-4-5"), simulated(t, second, "openai", "gpt-5"))
			reply, err := inBothForms(t, eng, c.req)
			switch {
			case c.err != nil:
				e, ok := errors.AsType[*chat.Error](err)
				if !errors.Is(err, c.err) || !ok || e.Engine != "anthropic" || len(second.Requests()) != 0 {
					t.Errorf("error %v, and %d requests to the second", err, len(second.Requests()))
				}
			case err != nil:
				t.Error(err)
			case reply.Engine != c.answers || (c.warning != "") != (len(reply.Warnings) == 1) ||
				c.warning != "" && !strings.HasPrefix(reply.Warnings[0].Message, c.warning):
				t.Errorf("%s answered, with warnings %q", reply.Engine, reply.Warnings)
			}
		})
	}
}

// TestFallbackStreamStaysAfterFirstEvent: what was handed out can't be taken
// back.
func TestFallbackStreamStaysAfterFirstEvent(t *testing.T) {
	t.Parallel()
	first := enginetest.New(enginetest.Cut(3, enginetest.Says("a castle in the town of Ghent")))
	second := enginetest.New()
	events := 0
	var failed error
	for _, err := range middleware.Fallback(first, second).Stream(t.Context(), ahoy()) {
		if failed = err; err == nil {
			events++
		}
	}
	if !errors.Is(failed, chat.ErrTruncated) || events == 0 || len(second.Sent()) != 0 {
		t.Errorf("%d events, then %v; %d requests to the second", events, failed, len(second.Sent()))
	}
}

// TestFallbackAllFail: the error is all of them, and to errors.As the one that
// is worth a new try soonest.
func TestFallbackAllFail(t *testing.T) {
	t.Parallel()
	no := func(name string, e *chat.Error) engine.Engine {
		e.Engine = name
		return renamed{failsWith{newParrot(), e}, name}
	}
	eng := middleware.Fallback(
		no("a", &chat.Error{Kind: chat.ErrAuth}),
		no("b", &chat.Error{Kind: chat.ErrRateLimited, RetryAfter: time.Minute, Retryable: true}),
		no("c", &chat.Error{Kind: chat.ErrOverloaded, RetryAfter: time.Second, Retryable: true}),
		no("d", &chat.Error{Kind: chat.ErrServer, RetryAfter: time.Hour, Retryable: true}),
	)
	_, err := inBothForms(t, eng, ahoy())
	for _, kind := range []error{chat.ErrAuth, chat.ErrRateLimited, chat.ErrOverloaded, chat.ErrServer} {
		if !errors.Is(err, kind) {
			t.Errorf("no %v in %v", kind, err)
		}
	}
	want := "each of 4 engines failed: a: not authorised; b: rate limited; c: overloaded; d: server error"
	if e, ok := errors.AsType[*chat.Error](err); !ok || e.Engine != "c" || err.Error() != want {
		t.Errorf("%v first in\n%v\nwant\n%s", e, err, want)
	}
	if _, err := eng.Plan(ahoy()); !errors.Is(err, chat.ErrAuth) || !errors.Is(err, chat.ErrServer) {
		t.Errorf("Plan: %v", err)
	}
	if eng.Name() != "a|b|c|d" {
		t.Errorf("name %q", eng.Name())
	}
	_, err = middleware.Fallback(no("a", &chat.Error{Kind: chat.ErrAuth}), no("b", &chat.Error{Kind: chat.ErrQuota})).Chat(t.Context(), ahoy())
	if e, ok := errors.AsType[*chat.Error](err); !ok || e.Engine != "a" {
		t.Errorf("none is worth a new try, and the first is %v", e)
	}
}

type renamed struct {
	engine.Engine

	name string
}

func (n renamed) Name() string { return n.name }

// TestFallbackEndsWithAnEndingError: one that ends the call is the first to
// errors.As, its reply with it.
func TestFallbackEndsWithAnEndingError(t *testing.T) {
	t.Parallel()
	second := enginetest.New(enginetest.IgnoresChoice())
	req := ahoy()
	req.Tools, req.ToolChoice = []chat.ToolDef{{Name: "place"}}, toolchoice.Tool("place")
	_, err := middleware.Fallback(unreachable(), second, enginetest.New()).Chat(t.Context(), req)
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(e.Kind, chat.ErrToolChoiceUnmet) || e.Reply == nil || !errors.Is(err, chat.ErrNetwork) {
		t.Errorf("%+v in %v", e, err)
	}
}

// TestFallbackEndsWithItsContext: no engine is asked for a caller who has gone,
// and both errors are seen.
func TestFallbackEndsWithItsContext(t *testing.T) {
	t.Parallel()
	busy := &chat.Error{Kind: chat.ErrOverloaded, Retryable: true}
	for _, last := range []error{busy, fmt.Errorf("%w: %w", busy, context.Canceled)} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		second := enginetest.New()
		eng := middleware.Fallback(failsWith{newParrot(), last}, second)
		_, chatErr := eng.Chat(ctx, ahoy())
		_, _, streamErr := drain(eng.Stream(ctx, ahoy()))
		for _, err := range []error{chatErr, streamErr} {
			if !errors.Is(err, chat.ErrOverloaded) || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if n := len(second.Requests()); n != 0 {
			t.Errorf("the second was asked %d times", n)
		}
	}
}

// TestFallbackAfterALearnedRefusal: an engine that learned from a 400 gives both
// errors, and the refusal counts.
func TestFallbackAfterALearnedRefusal(t *testing.T) {
	t.Parallel()
	learned := errors.Join(&chat.UnsupportedError{Engine: "first"}, &chat.Error{Kind: chat.ErrBadRequest, Engine: "first"})
	if reply, err := inBothForms(t, middleware.Fallback(failsWith{newParrot(), learned}, newParrot()), ahoy()); err != nil || reply.Text() != "hello" {
		t.Errorf("%+v, %v", reply, err)
	}
}
