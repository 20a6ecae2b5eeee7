package bedrockconverse_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

// desk is a call in the story, changed by f.
func desk(f func(*wire.Call)) wire.Call {
	c := call(chat.User(wiretest.Question))
	c.System = wiretest.System
	f(&c)
	return c
}

func withChoice(t *testing.T, choice toolchoice.Choice) wire.Call {
	t.Helper()
	return desk(func(c *wire.Call) { c.Tools, c.Choice, c.ToolFormat = wiretest.Tools(true), choice, toolchoice.Bedrock })
}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	return map[string]wire.Call{
		"basic": desk(func(c *wire.Call) {
			c.MaxTokens, c.Temperature, c.TopP = 512, new(0.25), new(0.5)
			c.Stop = []string{"###"}
			c.Metadata = map[string]string{"desk": "4"}
		}),
		"cache": desk(func(c *wire.Call) { c.Cache = chat.PromptCache{System: true, TTL: time.Hour} }),
		"multimodal": call(wiretest.Asked(
			chat.Text{Text: "Which berth is marked?"},
			chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			chat.File{Name: "chart", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
		)),
		"structured": desk(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth_plan", Schema: json.RawMessage(wiretest.PlanSchema)}
		}),
		"thinking": desk(func(c *wire.Call) {
			c.MaxTokens = 6000
			c.Thinking = wire.Thinking{Type: "adaptive", Effort: "high"}
		}),
		"tool-choice-any":  withChoice(t, toolchoice.Any()),
		"tool-choice-auto": withChoice(t, toolchoice.Auto()),
		"tool-choice-tool": withChoice(t, toolchoice.Tool("get_tide")),
		"tool-results": desk(func(c *wire.Call) {
			c.Tools = wiretest.Tools(true)
			turn := decode(t, wiretest.Read(t, "fixtures", "thinking", "reply.json")).Message()
			calls := decode(t, wiretest.Read(t, "fixtures", "tool-calls-parallel", "reply.json")).ToolCalls()
			turn.Parts = []chat.Part{turn.Parts[0], calls[0], calls[1]}
			c.Messages = append(c.Messages, turn, chat.Results(
				chat.TextResult(calls[0].ID, `{"high_water":["05:52","18:14"]}`),
				chat.ErrorResult(calls[1].ID, "C-dock is full on that night"),
			))
		}),
	}
}

// unsayable is what the vocabulary has no word for.
var unsayable = map[string]wiretest.Exception{
	"tool-results": {
		Why: "a chat.ToolResult holds text, which stays text even where it is JSON",
		Change: func(t *testing.T, r any) {
			t.Helper()
			content, _ := wiretest.At(t, r, "messages", 2, "content", 0, "toolResult", "content").([]any)
			content[0] = map[string]any{"text": `{"high_water":["05:52","18:14"]}`}
		},
	},
}

func TestEncodesTheOfficialRequests(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, bedrockconverse.Codec{}, sayable(t), unsayable)
}
