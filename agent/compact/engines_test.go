package compact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

// thinkers are all engines of the catalog that let a model call as it likes,
// and models with rules of their own about thoughts.
func thinkers() [][2]string {
	var out [][2]string
	for _, e := range engine.Catalog() {
		out = append(out, [2]string{e.Profile.Name, e.Profile.Example})
	}
	return append(out, [][2]string{
		{"anthropic", "claude-sonnet-4-5"},
		{"anthropic", "claude-opus-4-6"},
		{"anthropic", "claude-opus-4-8"},
		{"anthropic", "claude-opus-5-5"},
		{"anthropic", "claude-haiku-5-5"},
		{"bedrock", "us.anthropic.claude-opus-4-6-v1"},
		{"bedrock", "us.anthropic.claude-opus-5-5-v1:0"},
		{"openai-responses", "gpt-5"},
		{"gemini", "gemini-2.5-flash"},
		{"gemini", "gemini-3-pro-preview"},
		{"cohere", "command-a-reasoning-08-2025"},
	}...)
}

// longTurns are steps that each think and call twice, and an answer.
func longTurns(steps int) []sim.Turn {
	var out []sim.Turn
	for i := range steps {
		out = append(out, sim.Turn{Thinking: fmt.Sprintf("Now for page %d, and the one after it.", i), Calls: []sim.ToolCall{
			{Name: "read_page", Arguments: json.RawMessage(fmt.Sprintf(`{"page":%d}`, i))},
			{Name: "read_page", Arguments: json.RawMessage(fmt.Sprintf(`{"page":%d}`, i+1))},
		}})
	}
	return append(out, sim.Says("That is all."))
}

type page struct {
	Page int `json:"page"`
}

// reader is an agent whose tool gives long results.
func reader(m agent.Model, c agent.Compactor) agent.Agent {
	read := tools.New("read_page", "Reads a page.", func(_ context.Context, in page) (string, error) {
		return fmt.Sprintf("page %d: ", in.Page) + strings.Repeat("lorem ipsum ", 100), nil
	})
	return agent.Agent{
		Model: m, Tools: tools.NewSet(read), Compact: c, Limits: agent.Limits{Steps: 1000},
		Request: chat.Request{MaxTokens: 3000, Thinking: chat.ThinkingConfig{Mode: chat.ThinkingOn}},
	}
}

// TestCompactOnAllEngines: in the middle of a turn of many steps, thinking on,
// and over two turns, the strict simulator takes what is left of the history.
// Perplexity calls no tools of its own accord, and no other engine is left out.
func TestCompactOnAllEngines(t *testing.T) {
	t.Parallel()
	for _, name := range thinkers() {
		for _, way := range []string{"drop", "summary"} {
			server := sim.New(sim.Options{Turns: append(longTurns(8), longTurns(8)...)})
			eng, err := engine.New(name[0], engine.Config{
				APIKey: "k", BaseURL: server.BaseURL(name[0]), Model: name[1], MaxAttempts: 1,
				HTTPClient: &http.Client{Transport: server.RoundTripper()},
			})
			if err != nil {
				t.Fatal(err)
			}
			c := compact.Compactor{Window: 8000}
			if way == "summary" {
				c.Model, c.To, c.Keep = always(text("The notes.")), 0.2, 2
			}
			bot := reader(eng, c)
			if !thinks(&bot) {
				if name[0] != "perplexity" {
					t.Errorf("%s can't call tools freely", name)
				}
				continue
			}
			t.Run(strings.Join(name[:], " ")+" "+way, func(t *testing.T) {
				t.Parallel()
				compacted, summarised := readTwice(t, &bot), 0
				for _, ev := range compacted {
					if summarised += ev.Summarised; ev.Err != nil || ev.After > 5000 {
						t.Errorf("%+v", ev)
					}
				}
				if len(compacted) < 2 || way == "summary" && summarised == 0 {
					t.Errorf("%d messages summarised: %+v", summarised, compacted)
				}
			})
		}
	}
}

// thinks lets an agent think as far as its engine permits. It reports false if
// it can't call tools freely.
func thinks(bot *agent.Agent) bool {
	for _, th := range []chat.ThinkingConfig{bot.Request.Thinking, {}, {Mode: chat.ThinkingOff}} {
		bot.Request.Thinking = th
		if _, err := bot.Plan(hello); err == nil {
			return true
		}
	}
	return false
}

// readTwice runs two turns, and gives the compactions.
func readTwice(t *testing.T, bot *agent.Agent) []agent.Compacted {
	t.Helper()
	out := make([]agent.Compacted, 0, 8)
	var messages []chat.Message
	for range 2 {
		messages = append(messages, chat.User("Read all pages."))
		events, result, err := compacted(t, bot, messages...)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, result)
		if len(result.Steps) != 9 {
			t.Errorf("%d steps", len(result.Steps))
		}
		out, messages = append(out, events...), result.Messages
	}
	return out
}
