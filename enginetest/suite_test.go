package enginetest_test

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/sim"
)

//nolint:paralleltest // the suite counts goroutines
func TestSuiteOnFake(t *testing.T) {
	enginetest.Suite(t, enginetest.New())
}

// TestSuiteOnEngines runs the suite on sabir's own engines, against the strict
// simulator: what their planners send must be what the providers take.
//
//nolint:paralleltest // the suite counts goroutines
func TestSuiteOnEngines(t *testing.T) {
	srv, err := sim.Start(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	config := func(provider, model string) engine.Config {
		return engine.Config{APIKey: "k", BaseURL: srv.BaseURL(provider), Model: model, MaxAttempts: 1}
	}
	for _, e := range engine.Catalog() {
		name := e.Profile.Name
		t.Run(name, func(t *testing.T) { enginetest.Suite(t, e.New(config(name, e.Profile.Example))) })
	}
	for _, c := range []struct{ name, model string }{
		{"openai", "gpt-5"},
		{"openai", "gpt-5.6"},
		{"openai", "gpt-6-astra"},
		{"anthropic", "claude-sonnet-4-6"},
		{"anthropic", "claude-opus-5"},
		{"anthropic", "claude-haiku-5-5"},
		{"anthropic", "claude-fable-5-2"},
		{"groq", "openai/gpt-oss-120b"},
		{"perplexity", "sonar-reasoning-pro"},
		{"openai-responses", "gpt-4.1"},
		{"gemini", "gemini-2.5-flash"},
		{"ollama", "gpt-oss:20b"},
		{"cohere", "command-a-reasoning-08-2025"},
		{"bedrock", "us.anthropic.claude-sonnet-5-5-v1:0"},
		{"bedrock", "mistral.mistral-large-2407-v1:0"},
	} {
		eng, err := engine.New(c.name, config(c.name, c.model))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.name+" "+c.model, func(t *testing.T) { enginetest.Suite(t, eng) })
	}
	for _, r := range srv.Requests() {
		if r.Status >= 400 {
			t.Errorf("%s refused %s (%d): %s", r.Provider, r.Model, r.Status, r.Body)
		}
	}
}

// broken are engines with one fault each, by the subtest that must find it.
var broken = map[string]func(engine.Engine) engine.Engine{
	"stream": func(e engine.Engine) engine.Engine {
		return faulty{Engine: e, event: func(ev chat.Event) bool { _, done := ev.(chat.Done); return !done }}
	},
	"stream_is_one-shot": func(e engine.Engine) engine.Engine { return again{e} },
	"stream_equals_chat": func(e engine.Engine) engine.Engine {
		return faulty{Engine: e, event: func(ev chat.Event) bool {
			if d, ok := ev.(chat.Done); ok {
				d.Reply.Finish = chat.FinishLength
			}
			return true
		}}
	},
	"tool_choice": func(e engine.Engine) engine.Engine {
		return faulty{Engine: e, request: func(r *chat.Request) { r.ToolChoice, r.Tools = none, nil }}
	},
	"requests_are_not_changed": func(e engine.Engine) engine.Engine {
		return faulty{Engine: e, reach: func(r *chat.Request) { r.MaxTokens = 7 }}
	},
	"cancel": func(e engine.Engine) engine.Engine { return deaf{e} },
	"name":   func(e engine.Engine) engine.Engine { return nameless{e} },
}

var none = (&chat.Request{}).ToolChoice

// faulty changes requests and drops events.
type faulty struct {
	engine.Engine
	event   func(chat.Event) bool
	request func(*chat.Request) // a copy
	reach   func(*chat.Request) // the caller's own
}

func (f faulty) prepare(req *chat.Request) *chat.Request {
	if req == nil {
		return nil
	}
	if f.reach != nil {
		f.reach(req)
	}
	r := *req
	if f.request != nil {
		f.request(&r)
	}
	return &r
}

func (f faulty) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	return f.Engine.Chat(ctx, f.prepare(req))
}

func (f faulty) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	events := f.Engine.Stream(ctx, f.prepare(req))
	return func(yield func(chat.Event, error) bool) {
		for ev, err := range events {
			if f.event != nil && ev != nil && !f.event(ev) {
				continue
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// again streams as often as one likes.
type again struct{ engine.Engine }

func (a again) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { a.Engine.Stream(ctx, req)(yield) }
}

// deaf doesn't listen to its context.
type deaf struct{ engine.Engine }

func (d deaf) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	return d.Engine.Chat(context.WithoutCancel(ctx), req)
}

type nameless struct{ engine.Engine }

func (nameless) Name() string { return "" }

const breakEnv = "ENGINETEST_BREAK"

// TestSuiteFindsFaults runs this test again, in another process, with a broken
// engine, and expects the suite to fail where the fault is.
func TestSuiteFindsFaults(t *testing.T) {
	t.Parallel()
	if which, ok := os.LookupEnv(breakEnv); ok {
		enginetest.Suite(t, broken[which](enginetest.New()))
		return
	}
	for which := range broken {
		t.Run(which, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSuiteFindsFaults$")
			cmd.Env = append(os.Environ(), breakEnv+"="+which)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "FAIL: TestSuiteFindsFaults/"+which+" ") {
				t.Errorf("the suite didn't fail on %s (%v):\n%s", which, err, out)
			}
		})
	}
}
