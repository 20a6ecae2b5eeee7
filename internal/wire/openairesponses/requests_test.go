package openairesponses_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

const (
	tideCall  = "call_Q9Tzggv72ZFJB5PhohMWpr2z"
	berthCall = "call_MbKdjvyYQ95mYxX9H6bn8pie"
)

var png = chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), Detail: "low"}

// asked is a call in the story of the fixtures, changed by f.
func asked(f func(c *wire.Call)) wire.Call {
	c := wire.Call{Model: "gpt-6-sol", System: wiretest.System, Messages: chat.Prompt(wiretest.Question)}
	f(&c)
	return c
}

func choosing(t *testing.T, choice toolchoice.Choice, f func(c *wire.Call)) wire.Call {
	t.Helper()
	return asked(func(c *wire.Call) {
		c.Tools, c.Choice, c.ToolFormat = wiretest.Tools(true), choice, toolchoice.Responses
		f(c)
	})
}

func asIs(*wire.Call) {}

// sayable is each request fixture as a call. In basic, the members without a
// field come from Extra.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	return map[string]wire.Call{
		"basic": asked(func(c *wire.Call) {
			c.MaxTokens, c.ParallelTools, c.Cache.Key = 512, new(true), "desk-4"
			c.Metadata = map[string]string{"desk": "4"}
			c.Thinking = wire.Thinking{Effort: "low", Display: "summarized"}
			c.Extra = wiretest.Extra("safety_identifier", `"desk-4"`, "service_tier", `"auto"`, "text", `{"verbosity":"low"}`)
		}),
		"multimodal": {Model: "gpt-6-sol", Messages: []chat.Message{wiretest.Asked(
			chat.Text{Text: "Which berth is marked?"}, png,
			chat.File{Name: "chart.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
		)}},
		"replay-reasoning": asked(func(c *wire.Call) {
			c.Tools = wiretest.Tools(true)
			said := decoded(t, wiretest.Read(t, "openai", "thinking-tool-call", "reply.json")).Message()
			c.Messages = append(c.Messages, said, chat.Results(chat.TextResult(tideCall, `{"high_water":["05:52","18:14"]}`)))
		}),
		"structured": asked(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth_plan", Schema: json.RawMessage(wiretest.PlanSchema), Strict: true}
		}),
		"tool-choice-allowed": choosing(t, toolchoice.Any(), func(c *wire.Call) { c.Allowed = []string{"get_tide"} }),
		"tool-choice-any":     choosing(t, toolchoice.Any(), asIs),
		"tool-choice-auto":    choosing(t, toolchoice.Auto(), asIs),
		"tool-choice-none":    choosing(t, toolchoice.None(), asIs),
		"tool-choice-tool":    choosing(t, toolchoice.Tool("get_tide"), func(c *wire.Call) { c.ParallelTools = new(false) }),
		"tool-results": asked(func(c *wire.Call) {
			c.Tools = wiretest.Tools(true)
			said := decoded(t, wiretest.Read(t, "openai", "tool-calls-parallel", "reply.json")).Message()
			c.Messages = append(c.Messages, said, chat.Results(
				chat.TextResult(tideCall, `{"high_water":["05:52","18:14"]}`),
				chat.ToolResult{CallID: berthCall, Parts: []chat.Part{chat.Text{Text: "C-dock is full on that night"}, png}},
			))
		}),
	}
}

// unsayable are the fixtures that sabir doesn't send, or not like that, on
// purpose.
var unsayable = map[string]wiretest.Exception{
	"multimodal": {
		Why: "it leaves store to the provider, which would store",
		Change: func(_ *testing.T, r any) {
			r.(map[string]any)["store"] = false
		},
	},
	"previous-response":       {Why: "the conversation is sent whole, nothing is stored at the provider"},
	"tool-choice-hosted":      {Why: "tools of the provider have no place in chat.Request.Tools"},
	"tool-choice-mcp":         {Why: "tools of the provider have no place in chat.Request.Tools"},
	"tool-choice-tool-custom": {Why: "custom tools take free text, sabir's tools have a schema"},
}

func TestRequestFixtures(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, codec, sayable(t), unsayable)
}
