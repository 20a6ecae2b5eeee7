package coherev2_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

const reasoning = "command-a-reasoning-08-2025"

// desk is a call in the story, changed by f.
func desk(f func(*wire.Call)) wire.Call {
	c := call(chat.User(wiretest.Question))
	c.System = wiretest.System
	f(&c)
	return c
}

func withChoice(t *testing.T, choice toolchoice.Choice) wire.Call {
	t.Helper()
	return desk(func(c *wire.Call) { c.Tools, c.Choice, c.ToolFormat = wiretest.Tools(false), choice, toolchoice.Cohere })
}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	return map[string]wire.Call{
		"basic": desk(func(c *wire.Call) {
			c.MaxTokens, c.Temperature, c.TopP, c.Seed = 512, new(0.25), new(0.5), new(int64(7))
			c.Stop = []string{"###"}
			c.Extra = []wire.Member{{Name: "k", Value: json.RawMessage("40")}}
		}),
		"stream": desk(func(c *wire.Call) { c.Stream = true }),
		"multimodal": {Model: "command-a-vision-07-2025", Messages: []chat.Message{wiretest.Asked(
			chat.Text{Text: "Which berth is marked?"},
			chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			chat.Image{URL: "https://harbour.example/plan.png", Detail: "low"},
		)}},
		"structured": desk(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth", Strict: true, Schema: json.RawMessage(`{"type":"object","properties":{
				"vessel":{"type":"string"},"length_m":{"type":"number"},"berths":{"type":"array","items":{"type":"string"}}},
				"required":["vessel","length_m","berths"]}`)}
		}),
		"json-object": desk(func(c *wire.Call) { c.Format = &wire.Format{Name: "any"} }),
		"thinking-budget": desk(func(c *wire.Call) {
			c.Model, c.MaxTokens, c.Thinking = reasoning, 6000, wire.Thinking{Type: "enabled", Budget: 2048}
		}),
		"thinking-disabled": desk(func(c *wire.Call) { c.Model, c.Thinking = reasoning, wire.Thinking{Type: "disabled"} }),
		"tool-choice-auto":  withChoice(t, toolchoice.Auto()),
		"tool-choice-any":   withChoice(t, toolchoice.Any()),
		"tool-choice-none":  withChoice(t, toolchoice.None()),
		"tools-strict":      desk(func(c *wire.Call) { c.Tools = wiretest.Tools(true) }),
		"tool-results": desk(func(c *wire.Call) {
			c.Tools = wiretest.Tools(false)
			turn := decode(t, wiretest.Read(t, "fixtures", "tool-calls-parallel", "reply.json"))
			calls := turn.ToolCalls()
			c.Messages = append(c.Messages, turn.Message(), chat.Results(
				chat.TextResult(calls[0].ID, `{"high_water":["05:52","18:14"]}`),
				chat.ToolResult{CallID: calls[1].ID, IsError: true, Parts: []chat.Part{
					chat.Text{Text: "C-dock is full on that night"},
					chat.File{Name: "rules.txt", MediaType: "text/plain; charset=utf-8", Data: []byte("No rafting.")},
				}},
			), chat.User("Any other dock is fine."))
		}),
		"thinking-replay": desk(func(c *wire.Call) {
			c.Model, c.Tools, c.Quirks.ReplayThinking = reasoning, wiretest.Tools(false), "thinking"
			turn := decode(t, wiretest.Read(t, "fixtures", "thinking-tool-call", "reply.json"))
			c.Messages = append(c.Messages, turn.Message(), chat.Results(chat.TextResult(turn.ToolCalls()[0].ID, "05:52")))
		}),
	}
}

func TestEncodesTheDocumentedRequests(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, coherev2.Codec{}, sayable(t), nil)
}
