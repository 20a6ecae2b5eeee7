package enginetest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

var weatherTool = chat.ToolDef{
	Name: "get_weather", Description: "The weather in a city.",
	Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
}

func ask(choice toolchoice.Choice) *chat.Request {
	return &chat.Request{Messages: chat.Prompt("What is the weather in Ghent?"), Tools: []chat.ToolDef{weatherTool}, ToolChoice: choice}
}

// streamed ranges over a stream and returns the texts, the finished calls and
// the end.
func streamed(t *testing.T, f *enginetest.Fake, req *chat.Request) (text string, calls []chat.ToolCall, reply *chat.Reply, err error) {
	t.Helper()
	for ev, e := range f.Stream(t.Context(), req) {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.ToolCallDone:
			calls = append(calls, ev.Call)
		case chat.Done:
			reply = ev.Reply
		case chat.ThinkingDelta, chat.ToolCallStart, chat.ToolCallDelta, nil:
		}
		err = e
	}
	return text, calls, reply, err
}

func TestScript(t *testing.T) {
	t.Parallel()
	f := enginetest.New(
		enginetest.Says("In Ghent."),
		enginetest.Calls("get_weather", map[string]string{"city": "Ghent"}),
		enginetest.Thinks("Easy.", enginetest.Says("21 degrees.")),
	)
	reply, err := f.Chat(t.Context(), ask(toolchoice.Auto()))
	if err != nil || reply.Text() != "In Ghent." || reply.Finish != chat.FinishStop {
		t.Fatalf("%v, %v", reply, err)
	}
	reply, err = f.Chat(t.Context(), ask(toolchoice.Any()))
	if err != nil || len(reply.ToolCalls()) != 1 || string(reply.ToolCalls()[0].Arguments) != `{"city":"Ghent"}` {
		t.Fatalf("%v, %v", reply, err)
	}
	text, _, done, err := streamed(t, f, ask(toolchoice.Auto()))
	if err != nil || text != "21 degrees." || done.Thoughts() != "Easy." {
		t.Errorf("%q, %v, %v", text, done, err)
	}
}

// TestScriptUsedUp: a call beyond the script fails, and says why.
func TestScriptUsedUp(t *testing.T) {
	t.Parallel()
	f := enginetest.New(enginetest.Says("only this"))
	if _, err := f.Chat(t.Context(), ask(toolchoice.Auto())); err != nil {
		t.Fatal(err)
	}
	_, err := f.Chat(t.Context(), ask(toolchoice.Auto()))
	if !errors.Is(err, chat.ErrBadRequest) || !strings.Contains(fmt.Sprint(err), "the script is used up: it has 1 turn") {
		t.Errorf("%v", err)
	}
	if _, _, _, err := streamed(t, f, ask(toolchoice.Auto())); !errors.Is(err, chat.ErrBadRequest) {
		t.Errorf("streamed: %v", err)
	}
}

// TestWithoutScript: the simulator's own behaviour, through a whole tool loop.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	f := enginetest.New()
	req := ask(toolchoice.Tool("get_weather"))
	reply, err := f.Chat(t.Context(), req)
	if err != nil || len(reply.ToolCalls()) != 1 {
		t.Fatalf("%v, %v", reply, err)
	}
	req.ToolChoice = toolchoice.Auto()
	req.Messages = append(req.Messages, reply.Message(),
		chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "21 degrees")))
	if reply, err = f.Chat(t.Context(), req); err != nil || !strings.Contains(reply.Text(), "21 degrees") {
		t.Errorf("%v, %v", reply, err)
	}
}

// TestBrokenRules: what a fake breaks on purpose comes out as the error that a
// real server's fault would give, whole and streamed.
func TestBrokenRules(t *testing.T) {
	t.Parallel()
	calls := enginetest.Calls("get_weather", map[string]string{"city": "Ghent"})
	for _, c := range []struct {
		name   string
		turn   sim.Turn
		choice toolchoice.Choice
		chat   error // nil: it goes well
		stream error
	}{
		{"text instead of the forced call", enginetest.IgnoresChoice(), toolchoice.Tool("get_weather"), chat.ErrToolChoiceUnmet, chat.ErrToolChoiceUnmet},
		{"scripted text instead of any", enginetest.Says("no"), toolchoice.Any(), chat.ErrToolChoiceUnmet, chat.ErrToolChoiceUnmet},
		{"another tool", enginetest.Calls("rm", nil), toolchoice.Tool("get_weather"), chat.ErrToolChoiceUnmet, chat.ErrToolChoiceUnmet},
		{"call under none", enginetest.CallsUnderNone(), toolchoice.None(), chat.ErrToolChoiceUnmet, chat.ErrToolChoiceUnmet},
		{"cut stream", enginetest.Cut(3, enginetest.Says("a b c d e f")), toolchoice.Auto(), nil, chat.ErrTruncated},
		{"cut call", enginetest.Cut(4, calls), toolchoice.Any(), nil, chat.ErrTruncated},
		{"no end mark", calls.With(sim.Fault{NoEndMark: true}), toolchoice.Auto(), nil, nil},
		{"wrong key", enginetest.Fails(401, ""), toolchoice.Auto(), chat.ErrAuth, chat.ErrAuth},
		{"rate limit", enginetest.RateLimited(time.Second), toolchoice.Auto(), chat.ErrRateLimited, chat.ErrRateLimited},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := enginetest.New(c.turn, c.turn)
			if _, err := f.Chat(t.Context(), ask(c.choice)); !errors.Is(err, c.chat) {
				t.Errorf("chat: %v, want %v", err, c.chat)
			}
			_, done, _, err := streamed(t, f, ask(c.choice))
			if c.name == "no end mark" {
				return // a finish reason without the mark: the engine's own affair
			}
			if !errors.Is(err, c.stream) {
				t.Errorf("stream: %v, want %v", err, c.stream)
			}
			if err != nil && len(done) > 0 {
				t.Errorf("calls were ready to run: %+v", done)
			}
		})
	}
}

func TestInterleaved(t *testing.T) {
	t.Parallel()
	f := enginetest.New(enginetest.Interleaved(
		sim.ToolCall{Name: "get_weather", Arguments: json.RawMessage(`{"city":"Sint-Niklaas"}`)},
		sim.ToolCall{Name: "get_weather", Arguments: json.RawMessage(`{"city":"Blankenberge"}`)},
	))
	_, calls, reply, err := streamed(t, f, ask(toolchoice.Any()))
	if err != nil || len(calls) != 2 || string(calls[0].Arguments) != `{"city":"Sint-Niklaas"}` ||
		string(calls[1].Arguments) != `{"city":"Blankenberge"}` || reply.Finish != chat.FinishToolCalls {
		t.Errorf("%+v, %v", calls, err)
	}
}

// TestRequests: what was asked, in order, safe from later changes.
func TestRequests(t *testing.T) {
	t.Parallel()
	f := enginetest.New(enginetest.Says("one"), enginetest.Says("two"))
	req := ask(toolchoice.None())
	if _, err := f.Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	events := f.Stream(t.Context(), req)
	if n := len(f.Requests()); n != 1 {
		t.Errorf("a stream that nobody ranges over counts: %d requests", n)
	}
	for range events {
	}
	req.Messages[0].Parts[0] = chat.Text{Text: "changed"}
	req.Tools[0].Name = "changed"
	if _, err := f.Chat(t.Context(), nil); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("nil: %v", err)
	}
	got := f.Requests()
	if len(got) != 3 || got[2] != nil {
		t.Fatalf("%d requests", len(got))
	}
	for _, r := range got[:2] {
		if r.Messages[0].Text() != "What is the weather in Ghent?" || r.Tools[0].Name != "get_weather" || r.ToolChoice != toolchoice.None() {
			t.Errorf("%+v", r)
		}
	}
	sent := f.Sent()
	if len(sent) != 2 || sent[0].Stream || !sent[1].Stream || !strings.Contains(string(sent[0].Body), "Ghent") {
		t.Errorf("%d requests sent", len(sent))
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	f := enginetest.New()
	client := sabir.New(f)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			word := fmt.Sprintf("number %d", i)
			if reply, err := client.Ask(t.Context(), word); err != nil || !strings.Contains(reply.Text(), word) {
				t.Errorf("%v, %v", reply, err)
			}
		})
	}
	wg.Wait()
	if n := len(f.Requests()); n != 64 {
		t.Errorf("%d requests", n)
	}
}
