package gemini_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

// desk is a call in the story, changed by f.
func desk(f func(*wire.Call)) wire.Call {
	c := wire.Call{Model: "gemini-3.8-flash", System: wiretest.System, Messages: chat.Prompt(wiretest.Question)}
	f(&c)
	return c
}

// choosing is a call with tools and a choice, changed by f.
func choosing(t *testing.T, choice toolchoice.Choice, f func(*wire.Call)) wire.Call {
	t.Helper()
	return desk(func(c *wire.Call) {
		c.Tools, c.Choice, c.ToolFormat = wiretest.Tools(false), choice, toolchoice.Gemini
		f(c)
	})
}

func asItIs(*wire.Call) {}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	png := []byte("\x89PNG\r\n\x1a\n")
	return map[string]wire.Call{
		"basic": desk(func(c *wire.Call) {
			c.MaxTokens, c.Temperature, c.TopP, c.Stop, c.Seed = 512, new(0.25), new(0.5), []string{"###"}, new(int64(7))
			c.Thinking = wire.Thinking{Effort: "low", Display: "summarized"}
			c.Extra = []wire.Member{
				{Name: "generationConfig.topK", Value: json.RawMessage("40")},
				{Name: "serviceTier", Value: json.RawMessage(`"standard"`)},
			}
		}),
		"multimodal": call(wiretest.Asked(
			chat.Text{Text: "Which berth is marked?"},
			chat.Image{MediaType: "image/png", Data: png},
			chat.File{Name: "chart.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
			chat.Audio{MediaType: "audio/wav", Data: []byte("RIFF")},
			chat.File{MediaType: "video/mp4", ID: "https://generativelanguage.googleapis.com/v1beta/files/abc-123"},
		)),
		"structured": desk(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth", Strict: true, Schema: json.RawMessage(wiretest.PlanSchema)}
		}),
		"thinking-budget": desk(func(c *wire.Call) {
			c.Thinking = wire.Thinking{Type: "enabled", Budget: 1024, Display: "summarized"}
		}),
		"tool-choice-allowed": choosing(t, toolchoice.Any(), func(c *wire.Call) { c.Allowed = []string{"get_tide", "book_berth"} }),
		"tool-choice-any":     choosing(t, toolchoice.Any(), asItIs),
		"tool-choice-auto":    choosing(t, toolchoice.Auto(), asItIs),
		"tool-choice-none":    choosing(t, toolchoice.None(), asItIs),
		"tool-choice-tool":    choosing(t, toolchoice.Tool("get_tide"), asItIs),
		"tool-choice-validated": choosing(t, toolchoice.Auto(), func(c *wire.Call) {
			for i := range c.Tools {
				c.Tools[i].Strict = true
			}
		}),
		"tool-results": desk(func(c *wire.Call) {
			c.Tools = wiretest.Tools(false)
			c.Quirks.CallSignature = sentinel
			c.Messages = append(c.Messages, decode(t, wiretest.Read(t, "fixtures", "tool-calls-parallel", "reply.json")).Message(), chat.Results(
				chat.ToolResult{CallID: "clbpddx0", IsError: true, Parts: []chat.Part{
					chat.Text{Text: "C-dock is full on that night"}, chat.Image{MediaType: "image/png", Data: png},
				}},
				chat.TextResult("orgv31v8", `{"high_water":["05:52","18:14"]}`),
			))
		}),
		"tool-results-foreign-history": desk(func(c *wire.Call) {
			c.Tools = wiretest.Tools(false)
			c.Quirks.CallSignature = sentinel
			c.Messages = append(c.Messages,
				wiretest.Said(wiretest.ToolCall("toolu_1", "get_tide", wiretest.TideArgs)),
				chat.Results(chat.TextResult("toolu_1", "05:52")))
		}),
	}
}

func TestEncodesTheOfficialRequests(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, codec, sayable(t), nil)
}
