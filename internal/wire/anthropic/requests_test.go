package anthropic_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

// desk is a call in the story, changed by f.
func desk(model string, f func(*wire.Call)) wire.Call {
	c := wire.Call{Model: model, MaxTokens: 1024, System: wiretest.System, Messages: chat.Prompt(wiretest.Question)}
	f(&c)
	return c
}

// forced is a call on the model that takes a forced choice, thinking off.
func forced(t *testing.T, choice toolchoice.Choice, serial bool) wire.Call {
	t.Helper()
	return desk("claude-haiku-5-5", func(c *wire.Call) {
		choose(t, c, choice, serial)
		c.Thinking.Type = "disabled"
	})
}

func choose(t *testing.T, c *wire.Call, choice toolchoice.Choice, serial bool) {
	t.Helper()
	c.Tools, c.Choice, c.ToolFormat = wiretest.Tools(true), choice, toolchoice.Anthropic
	if serial {
		c.ParallelTools = new(false)
	}
}

func withChoice(t *testing.T, choice toolchoice.Choice, serial bool) wire.Call {
	t.Helper()
	return desk("claude-sonnet-5-5", func(c *wire.Call) { choose(t, c, choice, serial) })
}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	const sonnet = "claude-sonnet-5-5"
	return map[string]wire.Call{
		"basic": desk(sonnet, func(c *wire.Call) {
			c.Stop = []string{"###"}
			c.Metadata = map[string]string{"user_id": "desk-4"}
			c.Extra = []wire.Member{{Name: "service_tier", Value: json.RawMessage(`"auto"`)}}
		}),
		"basic-2023-06-01": desk("claude-haiku-4-5", func(c *wire.Call) {
			c.Temperature = new(0.2)
			c.Stop = []string{"###"}
			c.Extra = []wire.Member{{Name: "top_k", Value: json.RawMessage("40")}}
		}),
		"cache": desk(sonnet, func(c *wire.Call) {
			c.Tools = wiretest.Tools(true)
			c.Cache = chat.PromptCache{Auto: true, Tools: true, System: true, TTL: time.Hour}
		}),
		"mid-conversation-system": desk(sonnet, func(c *wire.Call) {
			c.Messages = []chat.Message{
				chat.User("Hello"), chat.Assistant("Good morning."), chat.System("Answer in Irish from here on."), chat.User(wiretest.Question),
			}
		}),
		"multimodal": desk(sonnet, func(c *wire.Call) {
			c.Messages = []chat.Message{wiretest.Asked(
				chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
				chat.Image{URL: "https://harbour.example/plan.png"},
				chat.File{Name: "chart", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
				chat.Text{Text: "Which berth is marked?"},
			)}
		}),
		"structured": desk(sonnet, func(c *wire.Call) {
			c.Thinking.Effort = "low"
			c.Format = &wire.Format{Name: "berth", Strict: true, Schema: json.RawMessage(wiretest.PlanSchema)}
		}),
		"thinking-adaptive": desk(sonnet, func(c *wire.Call) {
			c.MaxTokens = 16000
			c.Thinking = wire.Thinking{Type: "adaptive", Display: "summarized", Effort: "high"}
		}),
		"thinking-between-tools": desk(sonnet, func(c *wire.Call) {
			c.Tools = wiretest.Tools(true)
			c.Thinking = wire.Thinking{Type: "between_tools", Effort: "medium"}
		}),
		"thinking-enabled": desk("claude-haiku-4-5", func(c *wire.Call) {
			c.MaxTokens = 6000
			c.Thinking = wire.Thinking{Type: "enabled", Budget: 4096}
		}),
		"tool-choice-any":         forced(t, toolchoice.Any(), false),
		"tool-choice-any-serial":  forced(t, toolchoice.Any(), true),
		"tool-choice-auto":        withChoice(t, toolchoice.Auto(), false),
		"tool-choice-auto-serial": withChoice(t, toolchoice.Auto(), true),
		"tool-choice-none":        withChoice(t, toolchoice.None(), false),
		"tool-choice-tool":        forced(t, toolchoice.Tool("get_tide"), false),
		"tool-choice-tool-serial": forced(t, toolchoice.Tool("get_tide"), true),
		"tool-results": desk(sonnet, func(c *wire.Call) {
			c.Tools = wiretest.Tools(true)
			c.Thinking.Type = "adaptive"
			turn := decode(t, wiretest.Read(t, "fixtures", "thinking-tool-call", "reply.json")).Message()
			second := wiretest.ToolCall("toolu_01F0vcfRECKrgC2cjYQump0E", "book_berth", wiretest.BerthArgs)
			turn.Parts = append(turn.Parts, second)
			c.Messages = append(c.Messages, turn, chat.Results(
				chat.TextResult("toolu_01HkQqDiajZzg8yTYEBB52Yw", `{"high_water":["05:52","18:14"]}`),
				chat.ToolResult{CallID: second.ID, IsError: true, Parts: []chat.Part{
					chat.Text{Text: "C-dock is full on that night"},
					chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
				}},
			), chat.User("Any other dock is fine."))
		}),
	}
}

// unsayable is what the vocabulary has no word for.
var unsayable = map[string]wiretest.Exception{
	"multimodal": {
		Why: "chat.File has no switch for citations",
		Change: func(t *testing.T, r any) {
			t.Helper()
			doc, _ := wiretest.At(t, r, "messages", 0, "content", 2).(map[string]any)
			delete(doc, "citations")
		},
	},
	"cache": {
		Why: "chat.PromptCache has one lifetime for all marks",
		Change: func(t *testing.T, r any) {
			t.Helper()
			hour := map[string]any{"type": "ephemeral", "ttl": "1h"}
			r.(map[string]any)["cache_control"] = hour
			wiretest.At(t, r, "tools", 1).(map[string]any)["cache_control"] = hour
		},
	},
}

func TestEncodesTheOfficialRequests(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, anthropic.Codec{}, sayable(t), unsayable)
}
