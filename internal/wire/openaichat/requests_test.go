package openaichat_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

var openAI = wire.Quirks{SystemRole: "developer"}

func asked(tools []chat.ToolDef, choice toolchoice.Choice) wire.Call {
	return wire.Call{
		Model: "gpt-5.4-mini", System: wiretest.System, Messages: chat.Prompt(wiretest.Question),
		Tools: tools, Choice: choice, ToolFormat: toolchoice.OpenAI, Quirks: openAI,
	}
}

// TestRequestFixtures builds each documented request from a call. In basic and
// stream, the members without a field (user, service_tier, store, verbosity,
// obfuscation) come from Extra.
func TestRequestFixtures(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, codec, requestFixtures(t), map[string]wiretest.Exception{
		"tool-choice-tool-custom": {Why: "custom tools take free text, sabir's tools have a schema"},
	})
}

func requestFixtures(t *testing.T) map[string]wire.Call {
	t.Helper()
	basic := asked(nil, toolchoice.Choice{})
	basic.MaxTokens, basic.Temperature, basic.TopP, basic.Seed = 512, new(0.2), new(0.9), new(int64(7))
	basic.Stop, basic.Metadata, basic.ParallelTools = []string{"\n\n###"}, map[string]string{"desk": "4"}, new(true)
	basic.Thinking.Effort, basic.Cache.Key = "none", "desk-4"
	basic.Extra = wiretest.Extra("service_tier", `"auto"`, "store", "false", "user", `"desk-4"`, "verbosity", `"low"`)

	object, structured := asked(nil, toolchoice.Choice{}), asked(nil, toolchoice.Choice{})
	object.Format = &wire.Format{}
	structured.Format = &wire.Format{Name: "berth_plan", Description: "A plan for one vessel.", Schema: json.RawMessage(wiretest.PlanSchema), Strict: true}

	stream := asked(nil, toolchoice.Choice{})
	stream.Stream, stream.Quirks.NoStreamOptions = true, true
	stream.Extra = wiretest.Extra("stream_options", `{"include_usage":true,"include_obfuscation":false}`)

	named := asked(wiretest.Tools(true), toolchoice.Tool("get_tide"))
	named.ParallelTools = new(false)
	allowed := asked(wiretest.Tools(true), toolchoice.Any())
	allowed.Allowed = []string{"get_tide"}

	results := asked(wiretest.Tools(true), toolchoice.Auto())
	results.Messages = append(results.Messages, calls(), chat.Results(
		chat.TextResult("call_Q56S2xz2KK2fBpba3xG7rUnK", `{"high_water":["05:52","18:14"]}`),
		chat.ErrorResult("call_uvEf4kUTnE1qo9c2hs4znwpb", "C-dock is full on that night")))

	mistral := wire.Call{Model: "mistral-large-latest", Messages: chat.Prompt(wiretest.Question), Tools: wiretest.Tools(true)[:1]}
	mistral.Choice, mistral.ToolFormat = toolchoice.Any(), toolchoice.Mistral
	mistral.Tools[0].Strict, mistral.Tools[0].Description = false, "High and low water."

	return map[string]wire.Call{
		"basic": basic, "json-object": object, "structured": structured, "stream": stream, "multimodal": multimodal(),
		"tool-choice-any": asked(wiretest.Tools(true), toolchoice.Any()), "tool-choice-auto": asked(wiretest.Tools(true), toolchoice.Auto()),
		"tool-choice-none": asked(wiretest.Tools(true), toolchoice.None()), "tool-choice-tool": named, "tool-choice-allowed": allowed,
		"tool-results": results, "mistral-any": mistral, "deepseek-replay": deepSeek(),
	}
}

func calls() chat.Message {
	return chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
		chat.ToolCall{ID: "call_Q56S2xz2KK2fBpba3xG7rUnK", Name: "get_tide", Arguments: json.RawMessage(wiretest.TideArgs)},
		chat.ToolCall{ID: "call_uvEf4kUTnE1qo9c2hs4znwpb", Name: "book_berth", Arguments: json.RawMessage(wiretest.BerthArgs)},
	}}
}

func multimodal() wire.Call {
	return wire.Call{Model: "gpt-5.4", Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{
		chat.Text{Text: "Which berth is marked?"},
		chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), Detail: "low"},
		chat.File{Name: "chart.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
		chat.Audio{MediaType: "audio/wav", Data: []byte("RIFF")},
	}}}}
}

func deepSeek() wire.Call {
	const id = "call_00_ANMnQQizcoA82PSTUEcd2a5G"
	turn := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
		chat.Thinking{
			Text:      "The visitor gave a date and a station. I need the tide table before offering a berth.",
			Signature: chat.Signature{Kind: "reasoning_content"},
		},
		chat.ToolCall{ID: id, Name: "get_tide", Arguments: json.RawMessage(wiretest.TideArgs)},
	}}
	return wire.Call{
		Model: "deepseek-v4-flash", System: wiretest.System,
		Messages: []chat.Message{chat.User(wiretest.Question), turn, chat.Results(chat.TextResult(id, "05:52 and 18:14"))},
		Quirks:   wire.Quirks{ReplayThinking: "reasoning_content", ReplayOnToolTurns: true},
	}
}

func encode(t *testing.T, c wire.Call) []byte {
	t.Helper()
	enc := wiretest.Encode(t, codec, c)
	if enc.Path != "/chat/completions" {
		t.Errorf("path %q", enc.Path)
	}
	return enc.Body
}
