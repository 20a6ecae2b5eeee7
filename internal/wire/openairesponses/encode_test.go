package openairesponses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestEncodeMembers looks at single members: what is written and what isn't.
func TestEncodeMembers(t *testing.T) {
	t.Parallel()
	const include = `"include":["reasoning.encrypted_content"],`
	for _, tt := range []struct {
		name string
		call wire.Call
		want string // the body around "store":false, from after the input
	}{
		{"nothing stated", wire.Call{}, `@`},
		{"zero temperature is a value", wire.Call{Temperature: new(0.0), TopP: new(1.0)}, `@,"temperature":0,"top_p":1`},
		{"limit", wire.Call{MaxTokens: 9}, `@,"max_output_tokens":9`},
		{"stream", wire.Call{Stream: true}, `@,"stream":true`},
		{"effort", wire.Call{Thinking: wire.Thinking{Effort: "max"}}, `"reasoning":{"effort":"max"},` + include + `@`},
		{"no effort", wire.Call{Thinking: wire.Thinking{Effort: "none"}}, `"reasoning":{"effort":"none"},@`},
		{"summary", wire.Call{Thinking: wire.Thinking{Display: "summarized"}}, `"reasoning":{"summary":"auto"},` + include + `@`},
		{"no summary", wire.Call{Thinking: wire.Thinking{Effort: "low", Display: "omitted"}}, `"reasoning":{"effort":"low"},` + include + `@`},
		{"thinks unasked", wire.Call{Thinking: wire.Thinking{Replay: true}}, include + `@`},
		{
			"caller's part of reasoning",
			wire.Call{Thinking: wire.Thinking{Effort: "low"}, Extra: wiretest.Extra("reasoning", `{"mode":"pro","context":"current_turn"}`)},
			`"reasoning":{"effort":"low","mode":"pro","context":"current_turn"},` + include + `@`,
		},
		{
			"tool that says it isn't strict",
			wire.Call{Tools: []chat.ToolDef{{Name: "now", Schema: json.RawMessage(`{"type":"object"}`)}}},
			`"tools":[{"type":"function","name":"now","parameters":{"type":"object"},"strict":false}],@`,
		},
		{
			"tool without schema",
			wire.Call{Tools: []chat.ToolDef{{Name: "now", Description: "The time.", Strict: true}}},
			`"tools":[{"type":"function","name":"now","description":"The time.",` +
				`"parameters":{"type":"object","properties":{},"required":[],"additionalProperties":false},"strict":true}],@`,
		},
		{
			"subset, model decides",
			wire.Call{Allowed: []string{"a", "b"}},
			`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}]},@`,
		},
		{"none beside a subset", wire.Call{Allowed: []string{"a"}, Choice: toolchoice.None(), ToolFormat: toolchoice.Responses}, `"tool_choice":"none",@`},
		{"any object", wire.Call{Format: &wire.Format{}}, `"text":{"format":{"type":"json_object"}},@`},
		{
			"schema beside the caller's part of text",
			wire.Call{
				Format: &wire.Format{Name: "out", Description: "d", Schema: json.RawMessage(`{}`)},
				Extra:  wiretest.Extra("text", `{"verbosity":"high"}`),
			},
			`"text":{"format":{"type":"json_schema","name":"out","description":"d","schema":{},"strict":false},"verbosity":"high"},@`,
		},
		{"metadata in order", wire.Call{Metadata: map[string]string{"b": "2", "a": "1", "c\"": "3"}}, `@,"metadata":{"a":"1","b":"2","c\"":"3"}`},
		{"extra comes last", wire.Call{Stream: true, Extra: wiretest.Extra("x", "{}", "y", "[1]")}, `@,"stream":true,"x":{},"y":[1]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := `{"model":"","input":[],` + strings.Replace(tt.want, "@", `"store":false`, 1) + "}"
			if got := string(encode(t, tt.call)); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// TestEncodeRefuses what the planner should have refused.
func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	says := func(m ...chat.Message) wire.Call { return wire.Call{Messages: m} }
	tool := func(parts ...chat.Part) wire.Call { return says(chat.Message{Role: chat.RoleTool, Parts: parts}) }
	adds := func(name, value string) wire.Call { return wire.Call{Extra: wiretest.Extra(name, value)} }
	for name, tt := range map[string]struct {
		call wire.Call
		want string // a part of the error
	}{
		"stop":                 {wire.Call{Stop: []string{"x"}}, "stop"},
		"seed":                 {wire.Call{Seed: new(int64(0))}, "seed"},
		"budget":               {wire.Call{Thinking: wire.Thinking{Budget: 1}}, "budget of 1"},
		"thinking type":        {wire.Call{Thinking: wire.Thinking{Type: "enabled"}}, `"enabled"`},
		"display":              {wire.Call{Thinking: wire.Thinking{Display: "loud"}}, `"loud"`},
		"audio":                {says(wiretest.Asked(chat.Audio{MediaType: "audio/wav"})), "audio"},
		"image without a type": {says(wiretest.Asked(chat.Image{Data: []byte("x")})), "media type"},
		"user calls":           {says(wiretest.Asked(call("a", "", "{}"))), "chat.ToolCall"},
		"user thinks":          {says(wiretest.Asked(chat.Thinking{})), "chat.Thinking"},
		"system shows":         {says(chat.Message{Role: chat.RoleSystem, Parts: []chat.Part{png}}), "chat.Image"},
		"model shows":          {says(wiretest.Said(png)), "chat.Image"},
		"tool says":            {tool(chat.Text{Text: "x"}), "chat.Text"},
		"audio from a tool":    {tool(chat.ToolResult{CallID: "a", Parts: []chat.Part{chat.Audio{}}}), "audio"},
		"nobody's":             {says(chat.Message{Role: "ghost"}), `message 0 has role "ghost"`},
		"a call nobody made":   {says(wiretest.Said(chat.ToolCall{ID: "a", Synthetic: true})), "rewrite"},
		"owned in text":        {adds("text", `{"format":{}}`), `"format" of "text"`},
		"owned in reasoning":   {adds("reasoning", `{"effort":"low"}`), `"effort" of "reasoning"`},
		"text is no object":    {adds("text", `"x"`), "no object"},
		"text is no JSON":      {adds("text", `{"verbosity":"low"`), "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enc, err := codec.EncodeRequest(tt.call)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "openai-responses: encode: ") {
				t.Errorf("got %v for %s", err, enc.Body)
			}
		})
	}
}

// TestEncodeConversation looks at the items that messages become.
func TestEncodeConversation(t *testing.T) {
	t.Parallel()
	custom := chat.ToolCall{ID: "c9", Name: "log", Arguments: json.RawMessage("06:40 open"), Signature: signed("custom_item", "ctc_1")}
	for name, tt := range map[string]struct {
		messages []chat.Message
		want     string
	}{
		"system in the middle": {
			[]chat.Message{chat.User("hi"), chat.System("In Irish.")},
			`[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},
			  {"type":"message","role":"system","content":[{"type":"input_text","text":"In Irish."}]}]`,
		},
		"nothing said": {[]chat.Message{wiretest.Asked(), wiretest.Said(), wiretest.Said(chat.Text{}), chat.Results()}, `[]`},
		"pictures and files": {
			[]chat.Message{wiretest.Asked(
				chat.Image{URL: "https://x.example/a.png"}, chat.File{ID: "file_1"}, chat.File{URL: "https://x.example/a.pdf"},
				chat.File{MediaType: "application/pdf", Data: []byte("%")}, chat.File{MediaType: "text/plain", Data: []byte("x")},
			)},
			`[{"type":"message","role":"user","content":[
				{"type":"input_image","image_url":"https://x.example/a.png"},{"type":"input_file","file_id":"file_1"},
				{"type":"input_file","file_url":"https://x.example/a.pdf"},
				{"type":"input_file","filename":"file.pdf","file_data":"data:application/pdf;base64,JQ=="},
				{"type":"input_file","filename":"file.txt","file_data":"data:text/plain;base64,eA=="}]}]`,
		},
		"results": {
			[]chat.Message{wiretest.Said(call("a", "", "")), chat.Results(
				chat.ErrorResult("a", "offline"),
				chat.ToolResult{CallID: "b", IsError: true, Parts: []chat.Part{png}},
				chat.ToolResult{CallID: "c", IsError: true, Parts: []chat.Part{chat.Text{Text: "half"}, png}},
				chat.ToolResult{CallID: "d", Parts: []chat.Part{chat.Text{Text: "1"}, chat.Text{Text: "2"}}},
				chat.ToolResult{CallID: "e"},
				chat.ToolResult{CallID: "f", Parts: []chat.Part{chat.File{ID: "file_1"}}},
			)},
			`[{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
			  {"type":"function_call_output","call_id":"a","output":"error: offline"},
			  {"type":"function_call_output","call_id":"b","output":[{"type":"input_text","text":"error: see below"},
				{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}]},
			  {"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"error: half"},
				{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}]},
			  {"type":"function_call_output","call_id":"d","output":"1\n2"},
			  {"type":"function_call_output","call_id":"e","output":""},
			  {"type":"function_call_output","call_id":"f","output":[{"type":"input_file","file_id":"file_1"}]}]`,
		},
		"custom call": {
			[]chat.Message{wiretest.Said(custom), chat.Results(chat.TextResult("c9", "ok"))},
			`[{"type":"custom_tool_call","id":"ctc_1","call_id":"c9","name":"log","input":"06:40 open"},
			  {"type":"custom_tool_call_output","call_id":"c9","output":"ok"}]`,
		},
		"arguments stay as they were written": {
			[]chat.Message{wiretest.Said(call("a", "", `{"n":9007199254740993, "ü":"\u00e9"}`), call("b", "", `{"cut`))},
			`[{"type":"function_call","call_id":"a","name":"f","arguments":"{\"n\":9007199254740993, \"ü\":\"\\u00e9\"}"},
			  {"type":"function_call","call_id":"b","name":"f","arguments":"{\"cut"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantInput(t, input(t, tt.messages...), tt.want)
		})
	}
}

func TestSystemRole(t *testing.T) {
	t.Parallel()
	c := wire.Call{Messages: []chat.Message{chat.System("x")}, Quirks: wire.Quirks{SystemRole: "developer"}}
	if body := string(encode(t, c)); !strings.Contains(body, `"role":"developer"`) {
		t.Error(body)
	}
}
