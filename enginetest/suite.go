package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// Suite checks that an engine keeps the contract of [engine.Engine]: that it
// plans without sending, refuses wrong requests, streams what it replies, ends
// streams in order, obeys its context, and keeps a tool choice or refuses it.
// It makes some sixty short model calls, with the engine's default model. An
// engine may refuse tools or a tool choice (chat.ErrUnsupported); it may not
// ignore them.
func Suite(t *testing.T, eng engine.Engine) {
	t.Helper()
	for _, c := range []struct {
		name string
		run  func(suite)
	}{
		{"name", suite.name},
		{"plan", suite.plan},
		{"invalid requests", suite.invalid},
		{"chat", suite.chat},
		{"stream", suite.stream},
		{"stream equals chat", suite.streamEqualsChat},
		{"stream is one-shot", suite.oneShot},
		{"break", suite.breaks},
		{"cancel", suite.cancel},
		{"cancel in the middle", suite.cancelMidway},
		{"tool choice", suite.choices},
		{"tool loop", suite.loop},
		{"requests are not changed", suite.unchanged},
		{"concurrent use", suite.concurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(suite{t, eng}) })
	}
}

// suite is one of the checks, running.
type suite struct {
	t   *testing.T
	eng engine.Engine
}

// tools are offered in this order; the prompt is about the second.
func tools() []chat.ToolDef {
	return []chat.ToolDef{
		{Name: "list_berths", Description: "Lists the free berths of the harbour.", Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)},
		{Name: "get_weather", Description: "Tells the weather in a city.", Schema: json.RawMessage(
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)},
	}
}

func hello() *chat.Request {
	return &chat.Request{Messages: chat.Prompt("Say hello in five words."), MaxTokens: 2048}
}

func weather(choice toolchoice.Choice) *chat.Request {
	return &chat.Request{
		Messages: chat.Prompt("What is the weather in Ghent?"), Tools: tools(), ToolChoice: choice, MaxTokens: 2048,
	}
}

// typed checks that an error is one of chat's two types.
func typed(t *testing.T, err error) {
	t.Helper()
	_, isError := errors.AsType[*chat.Error](err)
	_, isUnsupported := errors.AsType[*chat.UnsupportedError](err)
	if !isError && !isUnsupported {
		t.Errorf("error of type %T: %v; want *chat.Error or *chat.UnsupportedError", err, err)
	}
}

func (s suite) name() {
	t := s.t
	if first, second := s.eng.Name(), s.eng.Name(); first == "" || first != second {
		t.Errorf("Name() is %q, then %q", first, second)
	}
	if a, b := s.eng.Capabilities("no-such-model"), s.eng.Capabilities("no-such-model"); !reflect.DeepEqual(a, b) {
		t.Error("Capabilities of one model differ between two calls")
	}
}

func (s suite) plan() {
	t := s.t
	first, err := s.eng.Plan(hello())
	if err != nil {
		t.Fatalf("a simple request: %v", err)
	}
	second, err := s.eng.Plan(hello())
	a, errA := first.Body()
	b, errB := second.Body()
	if err := errors.Join(err, errA, errB); err != nil || string(a) != string(b) {
		t.Errorf("two plans of one request differ (%v):\n%s\n%s", err, a, b)
	}
	if first.String() == "" || first.Engine == "" {
		t.Errorf("the plan says nothing: %q by %q", first.String(), first.Engine)
	}
}

// wrong are requests that no engine may send.
func wrong() map[string]*chat.Request {
	unknown, none, twice := weather(toolchoice.Tool("no_such_tool")), weather(toolchoice.Any()), weather(toolchoice.Auto())
	none.Tools = nil
	twice.Tools = append(twice.Tools, twice.Tools[0])
	orphan := hello()
	orphan.Messages = append(orphan.Messages, chat.Results(chat.TextResult("no_such_call", "21")))
	return map[string]*chat.Request{
		"nil": nil, "empty": {}, "unknown tool in the choice": unknown, "choice without tools": none,
		"two tools of one name": twice, "result without a call": orphan,
	}
}

func (s suite) invalid() {
	t := s.t
	for name, req := range wrong() {
		_, planned := s.eng.Plan(req)
		_, chatted := s.eng.Chat(t.Context(), req)
		_, streamed := collect(t, s.eng.Stream(t.Context(), req))
		for how, err := range map[string]error{"Plan": planned, "Chat": chatted, "Stream": streamed} {
			if !errors.Is(err, chat.ErrInvalid) {
				t.Errorf("%s, %s: %v; want chat.ErrInvalid", name, how, err)
			}
		}
	}
}

func (s suite) chat() {
	t := s.t
	reply, err := s.eng.Chat(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	if reply.Text() == "" || reply.Finish == "" || reply.Engine == "" || len(reply.ToolCalls()) > 0 {
		t.Errorf("reply %+v", reply)
	}
}

// collected is what a stream delivered.
type collected struct {
	text, thoughts string
	calls          []chat.ToolCall
	reply          *chat.Reply
}

// collect ranges over a stream and checks the order of its events.
func collect(t *testing.T, events iter.Seq2[chat.Event, error]) (collected, error) {
	t.Helper()
	var got collected
	var failed error
	for ev, err := range events {
		if failed != nil || got.reply != nil {
			t.Errorf("%T came after the end", ev)
		}
		if err != nil {
			if ev != nil {
				t.Errorf("%T came together with the error %v", ev, err)
			}
			failed = err
			continue
		}
		got.add(t, ev)
	}
	if failed == nil && got.reply == nil {
		t.Error("the stream ended without chat.Done and without an error")
	}
	return got, failed
}

func (c *collected) add(t *testing.T, ev chat.Event) {
	t.Helper()
	switch ev := ev.(type) {
	case chat.TextDelta:
		c.text += ev.Text
	case chat.ThinkingDelta:
		c.thoughts += ev.Text
	case chat.ToolCallStart, chat.ToolCallDelta:
	case chat.ToolCallDone:
		if ev.Index != len(c.calls) {
			t.Errorf("call %d is done after %d others", ev.Index, len(c.calls))
		}
		c.calls = append(c.calls, ev.Call)
	case chat.Done:
		c.reply = ev.Reply
		if ev.Reply == nil {
			t.Fatal("chat.Done without a reply")
		}
	}
}

// agrees checks the events of a stream against the reply at its end.
func (c *collected) agrees(t *testing.T) {
	t.Helper()
	if c.text != c.reply.Text() || c.thoughts != c.reply.Thoughts() {
		t.Errorf("deltas %q and %q, reply %q and %q", c.text, c.thoughts, c.reply.Text(), c.reply.Thoughts())
	}
	if want := c.reply.ToolCalls(); len(c.calls)+len(want) > 0 && !reflect.DeepEqual(c.calls, want) {
		t.Errorf("calls in events %+v, in the reply %+v", c.calls, want)
	}
}

func (s suite) stream() {
	t := s.t
	got, err := collect(t, s.eng.Stream(t.Context(), hello()))
	if err != nil {
		t.Fatal(err)
	}
	got.agrees(t)
	if got.text == "" || got.reply.Finish == "" {
		t.Errorf("reply %+v", got.reply)
	}
}

// streamEqualsChat compares texts only where the model repeats itself.
func (s suite) streamEqualsChat() {
	t := s.t
	first, err := s.eng.Chat(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.eng.Chat(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	got, err := collect(t, s.eng.Stream(t.Context(), hello()))
	if err != nil {
		t.Fatal(err)
	}
	if got.reply.Finish != first.Finish || got.reply.Engine != first.Engine {
		t.Errorf("stream %s by %s, chat %s by %s", got.reply.Finish, got.reply.Engine, first.Finish, first.Engine)
	}
	if first.Text() == second.Text() && (got.text != first.Text() || got.reply.Usage != first.Usage) {
		t.Errorf("stream %q %+v, chat %q %+v", got.text, got.reply.Usage, first.Text(), first.Usage)
	}
}

func (s suite) oneShot() {
	t := s.t
	events := s.eng.Stream(t.Context(), hello())
	if _, err := collect(t, events); err != nil {
		t.Fatal(err)
	}
	n := 0
	for ev, err := range events {
		if n++; ev != nil || !errors.Is(err, chat.ErrStreamUsed) {
			t.Errorf("the second range gave %T, %v; want chat.ErrStreamUsed", ev, err)
		}
	}
	if n != 1 {
		t.Errorf("the second range gave %d items, want one error", n)
	}
}

// breaks leaves many streams early; none may leave a goroutine behind.
func (s suite) breaks() {
	t := s.t
	const rounds = 12
	before := runtime.NumGoroutine()
	for range rounds {
		for _, err := range s.eng.Stream(t.Context(), hello()) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	for wait := time.Millisecond; runtime.NumGoroutine() >= before+rounds; wait *= 2 {
		if wait > 2*time.Second {
			t.Fatalf("%d goroutines before %d broken-off streams, %d after", before, rounds, runtime.NumGoroutine())
		}
		time.Sleep(wait)
	}
}

func (s suite) cancel() {
	t := s.t
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.eng.Chat(ctx, hello())
	wantCancelled(t, err)
	_, err = collect(t, s.eng.Stream(ctx, hello()))
	wantCancelled(t, err)
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if _, err := s.eng.Chat(late, hello()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a passed deadline: %v", err)
	}
}

func wantCancelled(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
}

// cancelMidway lets a stream finish that had already arrived.
func (s suite) cancelMidway() {
	t := s.t
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := s.eng.Stream(ctx, hello())
	_, err := collect(t, func(yield func(chat.Event, error) bool) {
		for ev, err := range events {
			cancel()
			if !yield(ev, err) {
				return
			}
		}
	})
	if err != nil {
		wantCancelled(t, err)
	}
}

// unchanged compares requests before and after their use.
func (s suite) unchanged() {
	t := s.t
	req, before := weather(toolchoice.Auto()), weather(toolchoice.Auto())
	_, _ = s.eng.Plan(req)
	if _, err := s.eng.Chat(t.Context(), req); err != nil {
		typed(t, err)
	}
	if !reflect.DeepEqual(req, before) {
		t.Errorf("the request was changed:\n%+v\n%+v", before, req)
	}
}

func (s suite) concurrent() {
	t := s.t
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			var text string
			var err error
			if i%2 == 0 {
				var reply *chat.Reply
				if reply, err = s.eng.Chat(t.Context(), hello()); err == nil {
					text = reply.Text()
				}
			} else {
				var got collected
				got, err = collect(t, s.eng.Stream(t.Context(), hello()))
				text = got.text
			}
			if err != nil || strings.TrimSpace(text) == "" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	wg.Wait()
}
