package openaichat_test

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
	for _, tt := range []struct {
		name string
		call wire.Call
		want string // the body from after the messages
	}{
		{"nothing stated", wire.Call{}, ``},
		{"zero temperature is a value", wire.Call{Temperature: new(0.0), TopP: new(1.0)}, `"temperature":0,"top_p":1`},
		{"limit", wire.Call{MaxTokens: 9}, `"max_completion_tokens":9`},
		{"limit, old name", wire.Call{MaxTokens: 9, Quirks: wire.Quirks{MaxTokensKey: "max_tokens"}}, `"max_tokens":9`},
		{"seed, Mistral's name", wire.Call{Seed: new(int64(-1)), Quirks: wire.Quirks{SeedKey: "random_seed"}}, `"random_seed":-1`},
		{"stream", wire.Call{Stream: true}, `"stream":true,"stream_options":{"include_usage":true}`},
		{"stream without options", wire.Call{Stream: true, Quirks: wire.Quirks{NoStreamOptions: true}}, `"stream":true`},
		{
			"thinking object",
			wire.Call{Thinking: wire.Thinking{Type: "enabled", Effort: "high", Budget: 64}, Quirks: wire.Quirks{ThinkingObject: true}},
			`"reasoning_effort":"high","thinking":{"type":"enabled","budget_tokens":64}`,
		},
		{"reasoning format", wire.Call{Thinking: wire.Thinking{Format: "parsed"}}, `"reasoning_format":"parsed"`},
		{
			"tool without schema or description",
			wire.Call{Tools: []chat.ToolDef{{Name: "now"}}},
			`"tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}]`,
		},
		{
			"subset, model decides",
			wire.Call{Allowed: []string{"a", "b"}},
			`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` +
				`{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]}}`,
		},
		{"none beside a subset", wire.Call{Allowed: []string{"a"}, Choice: toolchoice.None(), ToolFormat: toolchoice.OpenAI}, `"tool_choice":"none"`},
		{
			"schema without strict",
			wire.Call{Format: &wire.Format{Name: "out", Schema: json.RawMessage(`{}`)}},
			`"response_format":{"type":"json_schema","json_schema":{"name":"out","schema":{}}}`,
		},
		{"metadata in order", wire.Call{Metadata: map[string]string{"b": "2", "a": "1", "c\"": "3"}}, `"metadata":{"a":"1","b":"2","c\"":"3"}`},
		{"extra comes last", wire.Call{Stream: true, Extra: wiretest.Extra("x", "{}", "y", "[1]")}, `"stream":true,"stream_options":{"include_usage":true},"x":{},"y":[1]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := strings.TrimSuffix(`{"model":"","messages":[],`+tt.want, ",") + "}"
			if got := string(encode(t, tt.call)); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// TestEncodeMessages looks at the conversation.
func TestEncodeMessages(t *testing.T) {
	t.Parallel()
	call := func(id, args string) chat.ToolCall {
		return chat.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage(args)}
	}
	turn := func(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleAssistant, Parts: parts} }
	user := func(parts ...chat.Part) chat.Message { return chat.Message{Role: chat.RoleUser, Parts: parts} }
	replay := wire.Quirks{ReplayThinking: "reasoning_content", ReplayOnToolTurns: true}
	for _, tt := range []struct {
		name     string
		quirks   wire.Quirks
		messages []chat.Message
		want     string
	}{
		{
			"system text keeps its place",
			wire.Quirks{SystemRole: "developer"},
			[]chat.Message{chat.User("a"), chat.System("now in French"), chat.User("b")},
			`{"role":"user","content":"a"},{"role":"developer","content":"now in French"},{"role":"user","content":"b"}`,
		},
		{
			"two texts are two parts",
			wire.Quirks{},
			[]chat.Message{user(chat.Text{Text: "a"}, chat.Text{Text: "b"})},
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		},
		{
			"two texts where content is text only",
			wire.Quirks{TextOnlyContent: true},
			[]chat.Message{user(chat.Text{Text: "a"}, chat.Text{Text: "b"})},
			`{"role":"user","content":"a\nb"}`,
		},
		{
			"nothing said",
			wire.Quirks{},
			[]chat.Message{user(), turn()},
			`{"role":"user","content":""},{"role":"assistant","content":""}`,
		},
		{
			"picture by URL and file by id",
			wire.Quirks{},
			[]chat.Message{user(chat.Image{URL: "https://example.com/a.png"}, chat.File{ID: "file-1"})},
			`{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"file","file":{"file_id":"file-1"}}]}`,
		},
		{
			"text beside a call",
			wire.Quirks{},
			[]chat.Message{turn(chat.Text{Text: "one "}, chat.Text{Text: "two"}, call("c", `{}`))},
			`{"role":"assistant","content":"one two","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		},
		{
			"arguments are sent as they came",
			wire.Quirks{},
			[]chat.Message{turn(call("a", `{"n":9007199254740993, "s":"é"}`), call("b", `{"cut":"he`), call("c", ""))},
			`{"role":"assistant","content":null,"tool_calls":[` +
				`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":9007199254740993, \"s\":\"é\"}"}},` +
				`{"id":"b","type":"function","function":{"name":"f","arguments":"{\"cut\":\"he"}},` +
				`{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		},
		{
			"thoughts stay here without the quirk",
			wire.Quirks{},
			[]chat.Message{turn(chat.Thinking{Text: "hm"}, chat.Text{Text: "yes"})},
			`{"role":"assistant","content":"yes"}`,
		},
		{
			"thoughts go back on every turn", replay,
			[]chat.Message{turn(chat.Thinking{Text: "hm"}, chat.Text{Text: "yes"})},
			`{"role":"assistant","content":"yes","reasoning_content":"hm"}`,
		},
		{
			"an empty thought on tool turns only", replay,
			[]chat.Message{turn(chat.Text{Text: "yes"}), turn(call("c", "{}"))},
			`{"role":"assistant","content":"yes"},{"role":"assistant","content":"","reasoning_content":"",` +
				`"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		},
		{
			"thought signature of a call",
			wire.Quirks{},
			[]chat.Message{turn(chat.ToolCall{ID: "c", Name: "f", Signature: chat.Signature{Kind: "thought_signature", Data: "rf/0="}})},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},` +
				`"extra_content":{"google":{"thought_signature":"rf/0="}}}]}`,
		},
		{
			"results of a turn, pictures after all of them",
			wire.Quirks{},
			[]chat.Message{
				chat.Results(
					chat.ToolResult{CallID: "a", Parts: []chat.Part{chat.Image{URL: "https://example.com/a.png"}}},
					chat.ToolResult{CallID: "b", Parts: []chat.Part{chat.Text{Text: "x"}, chat.Text{Text: "y"}}},
				),
				chat.Results(chat.ToolResult{CallID: "c"}, chat.ErrorResult("d", "broken")), chat.User("go on"),
			},
			`{"role":"tool","tool_call_id":"a","content":"The result is attached below."},{"role":"tool","tool_call_id":"b","content":"x\ny"},` +
				`{"role":"tool","tool_call_id":"c","content":""},{"role":"tool","tool_call_id":"d","content":"error: broken"},` +
				`{"role":"user","content":[{"type":"text","text":"Attached to the result of tool call a:"},` +
				`{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]},{"role":"user","content":"go on"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := `{"model":"m","messages":[` + tt.want + `]}`
			if got := string(encode(t, wire.Call{Model: "m", Messages: tt.messages, Quirks: tt.quirks})); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// TestEncodeRefuses lists what the planner must not let through.
func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	with := func(role chat.Role, parts ...chat.Part) wire.Call {
		return wire.Call{Messages: []chat.Message{{Role: role, Parts: parts}}}
	}
	for name, call := range map[string]wire.Call{
		"picture from the model":        with(chat.RoleAssistant, chat.Image{URL: "u"}),
		"picture in a system text":      with(chat.RoleSystem, chat.Image{URL: "u"}),
		"call from the user":            with(chat.RoleUser, chat.ToolCall{ID: "a", Name: "f"}),
		"text from a tool":              with(chat.RoleTool, chat.Text{Text: "x"}),
		"unknown role":                  with("narrator", chat.Text{Text: "x"}),
		"file by URL":                   with(chat.RoleUser, chat.File{URL: "u"}),
		"picture without a type":        with(chat.RoleUser, chat.Image{Data: []byte("x")}),
		"audio of another type":         with(chat.RoleUser, chat.Audio{MediaType: "audio/ogg"}),
		"call that was made up":         with(chat.RoleAssistant, chat.ToolCall{ID: "a", Name: "f", Synthetic: true}),
		"thinking type without object":  {Thinking: wire.Thinking{Type: "enabled"}},
		"thinking that can't be hidden": {Thinking: wire.Thinking{Display: "omitted"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if enc, err := codec.EncodeRequest(call); err == nil || enc.Body != nil {
				t.Errorf("got %s, %v, want an error alone", enc.Body, err)
			}
		})
	}
}

// TestShortToolIDs sends ids in Mistral's form: same id, same short id, in the
// call and in its result; ids that fit stay; no two become one.
func TestShortToolIDs(t *testing.T) {
	t.Parallel()
	ids := []string{"call_Q56S2xz2KK2fBpba3xG7rUnK", "SFAtXSRFE", "", "call_2", "ümlaut123"}
	turn, results := chat.Message{Role: chat.RoleAssistant}, chat.Message{Role: chat.RoleTool}
	for _, id := range ids {
		turn.Parts = append(turn.Parts, chat.ToolCall{ID: id, Name: "f"})
		results.Parts = append(results.Parts, chat.TextResult(id, "ok"))
	}
	body := encode(t, wire.Call{Messages: []chat.Message{turn, results}, Quirks: wire.Quirks{ShortToolIDs: true}})
	var sent struct {
		Messages []struct {
			ToolCalls []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, c := range sent.Messages[0].ToolCalls {
		if len(c.ID) != 9 || strings.Trim(c.ID, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || seen[c.ID] {
			t.Errorf("id %q for %q", c.ID, ids[i])
		}
		if got := sent.Messages[i+1].ToolCallID; got != c.ID {
			t.Errorf("result of %q goes to %q, the call is %q", ids[i], got, c.ID)
		}
		seen[c.ID] = true
	}
	if !seen["SFAtXSRFE"] {
		t.Error("an id that fits was changed")
	}
}
