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
		{"name", suite.checkName},
		{"plan", suite.checkPlan},
		{"invalid requests", suite.checkInvalid},
		{"chat", suite.checkChat},
		{"stream", suite.checkStream},
		{"stream equals chat", suite.checkStreamEqualsChat},
		{"stream is one-shot", suite.checkOneShot},
		{"break", suite.checkBreak},
		{"cancel", suite.checkCancel},
		{"cancel in the middle", suite.checkCancelMidway},
		{"tool choice", suite.checkChoices},
		{"tool loop", suite.checkToolLoop},
		{"requests are not changed", suite.checkUnchanged},
		{"concurrent use", suite.checkConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(suite{t, eng}) })
	}
}

// suite is one of the checks, running.
type suite struct {
	t   *testing.T
	eng engine.Engine
}

// makeTools makes two tools; the prompt is about the second.
func makeTools() []chat.ToolDef {
	return []chat.ToolDef{
		{
			Name: "list_berths", Description: "Lists the free berths of the harbour.",
			Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		},
		{Name: "get_weather", Description: "Tells the weather in a city.", Schema: json.RawMessage(
			`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)},
	}
}

func askHello() *chat.Request {
	return &chat.Request{Messages: chat.Prompt("Say hello in five words."), MaxTokens: 2048}
}

func askWeather(choice toolchoice.Choice) *chat.Request {
	return &chat.Request{
		Messages: chat.Prompt("What is the weather in Ghent?"), Tools: makeTools(), ToolChoice: choice, MaxTokens: 2048,
	}
}

func checkErrorType(t *testing.T, err error) {
	t.Helper()
	_, isError := errors.AsType[*chat.Error](err)
	_, isUnsupported := errors.AsType[*chat.UnsupportedError](err)
	if !isError && !isUnsupported {
		t.Errorf("error of type %T: %v; want *chat.Error or *chat.UnsupportedError", err, err)
	}
}

func (s suite) checkName() {
	t := s.t
	if first, second := s.eng.Name(), s.eng.Name(); first == "" || first != second {
		t.Errorf("Name() is %q, then %q", first, second)
	}
	if a, b := s.eng.Capabilities("no-such-model"), s.eng.Capabilities("no-such-model"); !reflect.DeepEqual(a, b) {
		t.Error("Capabilities of one model differ between two calls")
	}
}

func (s suite) checkPlan() {
	t := s.t
	first, err := s.eng.Plan(askHello())
	if err != nil {
		t.Fatalf("a simple request: %v", err)
	}
	second, err := s.eng.Plan(askHello())
	a, errA := first.Body()
	b, errB := second.Body()
	if err := errors.Join(err, errA, errB); err != nil || string(a) != string(b) {
		t.Errorf("two plans of one request differ (%v):\n%s\n%s", err, a, b)
	}
	if first.String() == "" || first.Engine == "" {
		t.Errorf("the plan says nothing: %q by %q", first.String(), first.Engine)
	}
}

// makeInvalid makes requests that no engine may send.
func makeInvalid() map[string]*chat.Request {
	unknown := askWeather(toolchoice.Tool("no_such_tool"))
	none, twice := askWeather(toolchoice.Any()), askWeather(toolchoice.Auto())
	none.Tools = nil
	twice.Tools = append(twice.Tools, twice.Tools[0])
	orphan := askHello()
	orphan.Messages = append(orphan.Messages, chat.Results(chat.TextResult("no_such_call", "21")))
	return map[string]*chat.Request{
		"nil": nil, "empty": {}, "unknown tool in the choice": unknown, "choice without tools": none,
		"two tools of one name": twice, "result without a call": orphan,
	}
}

func (s suite) checkInvalid() {
	t := s.t
	for name, req := range makeInvalid() {
		_, planned := s.eng.Plan(req)
		_, chatted := s.eng.Chat(t.Context(), req)
		_, streamed := collectEvents(t, s.eng.Stream(t.Context(), req))
		for how, err := range map[string]error{"Plan": planned, "Chat": chatted, "Stream": streamed} {
			if !errors.Is(err, chat.ErrInvalid) {
				t.Errorf("%s, %s: %v; want chat.ErrInvalid", name, how, err)
			}
		}
	}
}

func (s suite) checkChat() {
	t := s.t
	reply, err := s.eng.Chat(t.Context(), askHello())
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

// collectEvents ranges over a stream and checks the order of its events.
func collectEvents(t *testing.T, events iter.Seq2[chat.Event, error]) (collected, error) {
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
		got.addEvent(t, ev)
	}
	if failed == nil && got.reply == nil {
		t.Error("the stream ended without chat.Done and without an error")
	}
	return got, failed
}

func (c *collected) addEvent(t *testing.T, ev chat.Event) {
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

// checkReply checks the events of a stream against the reply at its end.
func (c *collected) checkReply(t *testing.T) {
	t.Helper()
	if c.text != c.reply.Text() || c.thoughts != c.reply.Thoughts() {
		t.Errorf("deltas %q and %q, reply %q and %q", c.text, c.thoughts, c.reply.Text(), c.reply.Thoughts())
	}
	if want := c.reply.ToolCalls(); len(c.calls)+len(want) > 0 && !reflect.DeepEqual(c.calls, want) {
		t.Errorf("calls in events %+v, in the reply %+v", c.calls, want)
	}
}

func (s suite) checkStream() {
	t := s.t
	got, err := collectEvents(t, s.eng.Stream(t.Context(), askHello()))
	if err != nil {
		t.Fatal(err)
	}
	got.checkReply(t)
	if got.text == "" || got.reply.Finish == "" {
		t.Errorf("reply %+v", got.reply)
	}
}

// checkStreamEqualsChat compares texts only where the model repeats itself.
func (s suite) checkStreamEqualsChat() {
	t := s.t
	first, err := s.eng.Chat(t.Context(), askHello())
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.eng.Chat(t.Context(), askHello())
	if err != nil {
		t.Fatal(err)
	}
	got, err := collectEvents(t, s.eng.Stream(t.Context(), askHello()))
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

func (s suite) checkOneShot() {
	t := s.t
	events := s.eng.Stream(t.Context(), askHello())
	if _, err := collectEvents(t, events); err != nil {
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

// checkBreak leaves many streams early; none may leave a goroutine behind.
func (s suite) checkBreak() {
	t := s.t
	const rounds = 12
	before := runtime.NumGoroutine()
	for range rounds {
		for _, err := range s.eng.Stream(t.Context(), askHello()) {
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

func (s suite) checkCancel() {
	t := s.t
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.eng.Chat(ctx, askHello())
	checkCancelled(t, err)
	_, err = collectEvents(t, s.eng.Stream(ctx, askHello()))
	checkCancelled(t, err)
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	if _, err := s.eng.Chat(late, askHello()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a passed deadline: %v", err)
	}
}

func checkCancelled(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
}

// checkCancelMidway lets a stream finish that had already arrived.
func (s suite) checkCancelMidway() {
	t := s.t
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := s.eng.Stream(ctx, askHello())
	_, err := collectEvents(t, func(yield func(chat.Event, error) bool) {
		for ev, err := range events {
			cancel()
			if !yield(ev, err) {
				return
			}
		}
	})
	if err != nil {
		checkCancelled(t, err)
	}
}

func (s suite) checkUnchanged() {
	t := s.t
	req, before := askWeather(toolchoice.Auto()), askWeather(toolchoice.Auto())
	_, _ = s.eng.Plan(req)
	if _, err := s.eng.Chat(t.Context(), req); err != nil {
		checkErrorType(t, err)
	}
	if !reflect.DeepEqual(req, before) {
		t.Errorf("the request was changed:\n%+v\n%+v", before, req)
	}
}

func (s suite) checkConcurrent() {
	t := s.t
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			var text string
			var err error
			if i%2 == 0 {
				var reply *chat.Reply
				if reply, err = s.eng.Chat(t.Context(), askHello()); err == nil {
					text = reply.Text()
				}
			} else {
				var got collected
				got, err = collectEvents(t, s.eng.Stream(t.Context(), askHello()))
				text = got.text
			}
			if err != nil || strings.TrimSpace(text) == "" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	wg.Wait()
}

// checkChoices holds each tool choice against what comes back, in both ways of
// calling.
func (s suite) checkChoices() {
	t := s.t
	for _, c := range []toolchoice.Choice{
		toolchoice.Auto(), toolchoice.Any(), toolchoice.None(), toolchoice.Tool("get_weather"),
		toolchoice.Tool("list_berths"),
	} {
		t.Run(c.String(), func(t *testing.T) {
			reply, err := s.eng.Chat(t.Context(), askWeather(c))
			if isKept(t, err) {
				checkCalls(t, c, reply.ToolCalls())
			}
			got, err := collectEvents(t, s.eng.Stream(t.Context(), askWeather(c)))
			if isKept(t, err) {
				got.checkReply(t)
				checkCalls(t, c, got.calls)
			}
			if errors.Is(err, chat.ErrToolChoiceUnmet) && len(got.calls) > 0 {
				t.Errorf("the choice wasn't met, yet calls were delivered as ready to run: %+v", got.calls)
			}
		})
	}
}

// isKept reports whether a call went through. Two failures are permitted: to
// refuse beforehand, and to say that the model didn't obey.
func isKept(t *testing.T, err error) bool {
	t.Helper()
	if err == nil {
		return true
	}
	checkErrorType(t, err)
	if !errors.Is(err, chat.ErrUnsupported) && !errors.Is(err, chat.ErrToolChoiceUnmet) {
		t.Errorf("%v; want the choice kept, chat.ErrUnsupported or chat.ErrToolChoiceUnmet", err)
	}
	return false
}

func checkCalls(t *testing.T, c toolchoice.Choice, calls []chat.ToolCall) {
	t.Helper()
	forced := c == toolchoice.Any() || c == toolchoice.Tool("get_weather") || c == toolchoice.Tool("list_berths")
	switch {
	case forced && len(calls) == 0:
		t.Errorf("%s: no call", c)
	case c == toolchoice.None() && len(calls) > 0:
		t.Errorf("%s: %d calls", c, len(calls))
	}
	ids := map[string]bool{}
	for _, call := range calls {
		if forced && c != toolchoice.Any() && c != toolchoice.Tool(call.Name) {
			t.Errorf("%s: a call of %s", c, call.Name)
		}
		if !call.Sound() || call.ID == "" || ids[call.ID] {
			t.Errorf("%s: call %+v", c, call)
		}
		ids[call.ID] = true
	}
}

// checkToolLoop forces a call, answers it, and lets the model go on in text.
func (s suite) checkToolLoop() {
	t := s.t
	req := askWeather(toolchoice.Tool("get_weather"))
	first, err := s.eng.Chat(t.Context(), req)
	if !isKept(t, err) {
		return
	}
	results := make([]chat.ToolResult, 0, 1)
	for _, call := range first.ToolCalls() {
		results = append(results, chat.TextResult(call.ID, "21 degrees and dry"))
	}
	next := askWeather(toolchoice.None())
	next.Messages = append(next.Messages, first.Message(), chat.Results(results...))
	last, err := s.eng.Chat(t.Context(), next)
	if isKept(t, err) && (last.Text() == "" || len(last.ToolCalls()) > 0) {
		t.Errorf("after the results: %q, %+v", last.Text(), last.ToolCalls())
	}
}
