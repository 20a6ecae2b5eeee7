package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/toolchoice"
)

// unreachable is an engine that gets no connection.
func unreachable() engine.Engine {
	return engine.NewAnthropic(engine.Config{
		APIKey: "k", BaseURL: "http://sim.localhost", Model: "claude-sonnet-4-5", MaxAttempts: 1,
		HTTPClient: &http.Client{Transport: refuses{}},
	})
}

type refuses struct{}

func (refuses) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection refused")
}

// inBothForms makes a call in both forms, which must agree.
func inBothForms(t *testing.T, eng engine.Engine, req *chat.Request) (*chat.Reply, error) {
	t.Helper()
	reply, err := eng.Chat(t.Context(), req)
	text, streamed, streamErr := drain(eng.Stream(t.Context(), req))
	if fmt.Sprint(err) != fmt.Sprint(streamErr) {
		t.Fatalf("Chat: %v\nStream: %v", err, streamErr)
	}
	if err == nil && (text != reply.Text() || streamed.Engine != reply.Engine || !slices.Equal(streamed.Warnings, reply.Warnings)) {
		t.Errorf("Chat %+v\nStream %q, %+v", reply, text, streamed)
	}
	return reply, err
}

func ahoy() *chat.Request { return &chat.Request{Messages: chat.Prompt("hello")} }

// TestFallbackAfterRetries: an engine's own attempts come first.
func TestFallbackAfterRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := sim.New(sim.Options{Turns: []sim.Turn{sim.Fails(503, "busy"), sim.RateLimited(20 * time.Second), sim.Says("here")}})
		first := engine.NewGroq(engine.Config{
			APIKey: "k", BaseURL: srv.BaseURL("groq"), Model: "m", HTTPClient: &http.Client{Transport: srv.RoundTripper()},
		})
		second := enginetest.New()
		reply, err := middleware.Fallback(first, second).Chat(t.Context(), ahoy())
		if err != nil || reply.Engine != "groq" || reply.Timing.Attempts != 3 || len(second.Sent()) != 0 {
			t.Errorf("%+v, %v", reply, err)
		}
	})
}

// TestFallbackModels: the model of a request is the first engine's.
func TestFallbackModels(t *testing.T) {
	t.Parallel()
	srv := sim.New(sim.Options{Turns: slices.Repeat([]sim.Turn{sim.Fails(503, "busy")}, 3)})
	eng := middleware.Fallback(
		simulated(t, srv, "groq", "default-of-groq"), simulated(t, srv, "mistral", "default-of-mistral"),
		simulated(t, srv, "openai", ""), simulated(t, srv, "deepseek", "deepseek-v4-flash"),
	)
	req := ahoy()
	req.Model = "gpt-4.1"
	reply, err := eng.Chat(t.Context(), req)
	if err != nil || reply.Engine != "deepseek" || len(reply.Warnings) != 3 {
		t.Fatalf("%+v, %v", reply, err)
	}
	asked := make([]string, 0, 4)
	for _, r := range srv.Requests() {
		asked = append(asked, r.Model)
	}
	if want := []string{"gpt-4.1", "default-of-mistral", "gpt-4.1", "deepseek-v4-flash"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if req.Model != "gpt-4.1" {
		t.Error("the request was changed")
	}
}

// TestFallbackKeepsTheEnginesReply: a reply that an engine may share gets no
// warnings.
func TestFallbackKeepsTheEnginesReply(t *testing.T) {
	t.Parallel()
	shared := &chat.Reply{Engine: "second", Warnings: make([]chat.Warning, 1, 8)}
	eng := middleware.Fallback(unreachable(), fixedReply{newParrot(), shared})
	for range 2 {
		if reply, err := inBothForms(t, eng, ahoy()); err != nil || len(reply.Warnings) != 2 {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	if len(shared.Warnings) != 1 || shared.Warnings[:2][1] != (chat.Warning{}) {
		t.Errorf("shared reply %+v", shared)
	}
}

// fixedReply gives one reply.
type fixedReply struct {
	*parrot

	reply *chat.Reply
}

func (f fixedReply) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return f.reply, nil }

func (f fixedReply) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { yield(chat.Done{Reply: f.reply}, nil) }
}

func TestFallbackPlan(t *testing.T) {
	t.Parallel()
	eng := middleware.Fallback(
		engine.NewPerplexity(engine.Config{Model: "sonar"}), // no tools
		engine.NewOpenAI(engine.Config{Model: "gpt-4.1"}),
	)
	req := ahoy()
	req.Tools, req.ToolChoice = []chat.ToolDef{{Name: "place"}}, toolchoice.Auto()
	if plan, err := eng.Plan(req); err != nil || plan.Engine != "openai" {
		t.Errorf("%v, %v", plan, err)
	}
	if plan, err := eng.Plan(ahoy()); err != nil || plan.Engine != "perplexity" {
		t.Errorf("%v, %v", plan, err)
	}
	if plan, err := eng.Plan(&chat.Request{}); plan != nil || !errors.Is(err, chat.ErrInvalid) || strings.Contains(err.Error(), "openai") {
		t.Errorf("%v, %v", plan, err)
	}
	if eng.ToolWireFormat() != toolchoice.NoTools || eng.Capabilities("").Can.Has(profile.ToolUse) {
		t.Error("the format and capabilities aren't the first engine's")
	}
}

func TestFallbackOfNothing(t *testing.T) {
	t.Parallel()
	eng := middleware.Fallback()
	if _, err := inBothForms(t, eng, ahoy()); !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	if plan, err := eng.Plan(ahoy()); plan != nil || !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("%v, %v", plan, err)
	}
	if eng.ToolWireFormat() != toolchoice.NoTools || eng.Capabilities("").Can != 0 || eng.Name() != "" {
		t.Error("it claims something")
	}
}

// TestFallbackMovesConversations: a thinking conversation moves to another engine
// in the middle of a tool loop, and back. Tokens go to their maker only.
func TestFallbackMovesConversations(t *testing.T) {
	t.Parallel()
	for _, second := range []struct{ name, model string }{
		{"gemini", "gemini-2.5-flash"}, {"openai-responses", "gpt-5"}, {"openai", "gpt-5"}, {"bedrock", "us.anthropic.claude-opus-4-6-v1"},
	} {
		t.Run(second.name, func(t *testing.T) {
			t.Parallel()
			srv := sim.New(sim.Options{Turns: []sim.Turn{
				sim.Thinks("I need the weather.", sim.Calls("get_weather", map[string]string{"city": "Ghent"})),
				sim.Fails(529, "Overloaded"), sim.Thinks("That is warm.", sim.Says("21 degrees.")),
				sim.Says("You're welcome."),
			}})
			eng := middleware.Fallback(simulated(t, srv, "anthropic", "claude-sonnet-4-5"), simulated(t, srv, second.name, second.model))
			req := &chat.Request{
				Messages: chat.Prompt("What is the weather in Ghent?"), MaxTokens: 9000, Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn},
				Tools: []chat.ToolDef{{Name: "get_weather", Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
			}
			say := func(engine string, next func(*chat.Reply) chat.Message) *chat.Reply {
				_, reply, err := drain(eng.Stream(t.Context(), req))
				if err != nil || reply.Engine != engine {
					t.Fatalf("%+v, %v; want an answer of %s", reply, err, engine)
				}
				req.Messages = append(req.Messages, reply.Message(), next(reply))
				return reply
			}
			first := say("anthropic", func(r *chat.Reply) chat.Message {
				return chat.Results(chat.TextResult(r.ToolCalls()[0].ID, "21"))
			})
			moved := say(second.name, func(*chat.Reply) chat.Message { return chat.User("Thank you.") })
			say("anthropic", func(*chat.Reply) chat.Message { return chat.User("Goodbye.") })

			sent := srv.Requests()
			for _, own := range tokensIn(first) {
				if strings.Contains(string(sent[2].Body), own) {
					t.Errorf("%s got anthropic's %q", second.name, own)
				}
				if !strings.Contains(string(sent[3].Body), own) {
					t.Errorf("anthropic didn't get its own %q back", own)
				}
			}
			for _, foreign := range tokensIn(moved) {
				if strings.Contains(string(sent[3].Body), foreign) {
					t.Errorf("anthropic got %q of %s", foreign, second.name)
				}
			}
			if len(tokensIn(first)) == 0 || !strings.Contains(moved.Warnings[0].Message, "passed over anthropic") {
				t.Errorf("signatures %q, warnings %q", tokensIn(first), moved.Warnings)
			}
		})
	}
}

// tokensIn are the tokens in a reply that only its maker can read.
func tokensIn(r *chat.Reply) []string {
	var out []string
	for _, p := range r.Parts {
		if th, ok := p.(chat.Thinking); ok && len(th.Signature.Data) > 40 {
			out = append(out, th.Signature.Data)
		}
		if c, ok := p.(chat.ToolCall); ok && len(c.Signature.Data) > 40 {
			out = append(out, c.Signature.Data)
		}
	}
	return out
}

// TestFallbackSuite: a fallback is an engine like any other, whether its first
// one answers or not.
//
//nolint:paralleltest // the suite counts goroutines
func TestFallbackSuite(t *testing.T) {
	t.Run("first", func(t *testing.T) { enginetest.Suite(t, middleware.Fallback(enginetest.New(), unreachable())) })
	t.Run("second", func(t *testing.T) { enginetest.Suite(t, middleware.Fallback(unreachable(), enginetest.New())) })
}

// The first engine is down, the second one answers, and the reply says so.
func ExampleFallback() {
	client := sabir.New(middleware.Fallback(
		enginetest.New(enginetest.Fails(503, "down for maintenance")),
		enginetest.New(enginetest.Says("In Ghent.")),
	))
	reply, err := client.Ask(context.Background(), "Where is the Gravensteen?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Text())
	fmt.Println(reply.Warnings[0].Message)
	// Output:
	// In Ghent.
	// passed over openai-compatible: overloaded (503): down for maintenance
}
