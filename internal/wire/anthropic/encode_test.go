package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

// full uses every member there is.
func full() wire.Call {
	return wire.Call{
		Model: "m", Stream: true, System: "Be brief.", Messages: chat.Prompt("hi"),
		Tools: []chat.ToolDef{{Name: "now"}}, Choice: toolchoice.Any(), ToolFormat: toolchoice.Anthropic, ParallelTools: new(false),
		Format:    &wire.Format{Schema: json.RawMessage(`{"type":"object"}`)},
		Thinking:  wire.Thinking{Type: "adaptive", Effort: "low", Display: "omitted", Budget: 1024},
		MaxTokens: 2048, Temperature: new(0.0), TopP: new(0.5), Stop: []string{"###"},
		Cache:    chat.PromptCache{Auto: true, Tools: true, System: true, Messages: 1, Key: "k"},
		Metadata: map[string]string{"user_id": "u", "other": "x"},
		Extra:    []wire.Member{{Name: "service_tier", Value: json.RawMessage(`"auto"`)}, {Name: "top_k", Value: json.RawMessage("5")}},
	}
}

func TestWritesMembersInAFixedOrder(t *testing.T) {
	t.Parallel()
	const mark = `"cache_control":{"type":"ephemeral"}`
	want := strings.Join([]string{
		`{"model":"m","max_tokens":2048`,
		`"system":[{"type":"text","text":"Be brief.",` + mark + `}]`,
		`"messages":[{"role":"user","content":[{"type":"text","text":"hi",` + mark + `}]}]`,
		`"tools":[{"name":"now","input_schema":{"type":"object","properties":{}},` + mark + `}]`,
		`"tool_choice":{"type":"any","disable_parallel_tool_use":true}`,
		`"thinking":{"type":"adaptive","budget_tokens":1024,"display":"omitted"}`,
		`"output_config":{"effort":"low","format":{"type":"json_schema","schema":{"type":"object"}}}`,
		`"temperature":0,"top_p":0.5,"stop_sequences":["###"],"metadata":{"user_id":"u"}`,
		mark + `,"stream":true,"service_tier":"auto","top_k":5}`,
	}, ",")
	for range 3 {
		if got := encode(t, full()); got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
	}
}

func TestGoesToMessagesUnderThePinnedVersion(t *testing.T) {
	t.Parallel()
	e, err := anthropic.Codec{}.EncodeRequest(call(chat.User("hi")))
	if err != nil {
		t.Fatal(err)
	}
	if e.Path != "/v1/messages" || e.Header.Get("anthropic-version") != "2023-06-01" || len(e.Header) != 1 {
		t.Errorf("path %s, header %v", e.Path, e.Header)
	}
	if want := `{"model":"claude-sonnet-4-5","max_tokens":256,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`; string(e.Body) != want {
		t.Errorf("got %s", e.Body)
	}
}

func TestToolChoiceAndParallelCalls(t *testing.T) {
	t.Parallel()
	tool := []chat.ToolDef{{Name: "now"}}
	tests := map[string]struct {
		tools    []chat.ToolDef
		choice   toolchoice.Choice
		parallel *bool
		want     string
	}{
		"nothing said":                     {tools: tool},
		"parallel calls allowed":           {tools: tool, parallel: new(true)},
		"allowed beside a choice":          {tools: tool, choice: toolchoice.Auto(), parallel: new(true), want: `{"type":"auto"}`},
		"forbidden, no choice":             {tools: tool, parallel: new(false), want: `{"type":"auto","disable_parallel_tool_use":true}`},
		"forbidden beside any":             {tools: tool, choice: toolchoice.Any(), parallel: new(false), want: `{"type":"any","disable_parallel_tool_use":true}`},
		"forbidden beside a named tool":    {tools: tool, choice: toolchoice.Tool("now"), parallel: new(false), want: `{"type":"tool","name":"now","disable_parallel_tool_use":true}`},
		"forbidden without tools":          {parallel: new(false)},
		"none refuses the switch (C001)":   {tools: tool, choice: toolchoice.None(), parallel: new(false), want: `{"type":"none"}`},
		"a tool called none can be forced": {tools: tool, choice: toolchoice.Tool("none"), parallel: new(false), want: `{"type":"tool","name":"none","disable_parallel_tool_use":true}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(chat.User("hello"))
			c.Tools, c.Choice, c.ParallelTools, c.ToolFormat = tt.tools, tt.choice, tt.parallel, toolchoice.Anthropic
			body := encode(t, c)
			wiretest.WantAt(t, body, tt.want, "tool_choice")
			wiretest.WantAt(t, body, "", "parallel_tool_calls")
			wiretest.WantAt(t, body, "", "disable_parallel_tool_use")
		})
	}
}

func TestRefusesWhatTheWireCannotSay(t *testing.T) {
	t.Parallel()
	with := func(f func(*wire.Call)) wire.Call {
		c := call(chat.User("hi"))
		f(&c)
		return c
	}
	inResult := func(p chat.Part) wire.Call {
		return call(chat.Results(chat.ToolResult{CallID: "a", Parts: []chat.Part{p}}))
	}
	audio := chat.Audio{MediaType: "audio/wav", Data: []byte("RIFF")}
	tests := map[string]struct {
		call wire.Call
		says string
	}{
		"seed":                      {with(func(c *wire.Call) { c.Seed = new(int64(1)) }), "seed"},
		"subset of the tools":       {with(func(c *wire.Call) { c.Allowed = []string{"a"} }), "subset"},
		"place for thoughts":        {with(func(c *wire.Call) { c.Thinking.Format = "parsed" }), "thoughts"},
		"JSON without a schema":     {with(func(c *wire.Call) { c.Format = &wire.Format{Name: "x"} }), "without a schema"},
		"choice without a name":     {with(func(c *wire.Call) { c.Choice, c.ToolFormat = toolchoice.Tool(""), toolchoice.Anthropic }), "names no tool"},
		"choice without a form":     {with(func(c *wire.Call) { c.Choice, c.ToolFormat = toolchoice.Any(), toolchoice.Ollama }), "no wire form"},
		"audio":                     {call(wiretest.Asked(audio)), "chat.Audio"},
		"audio in a result":         {inResult(audio), "chat.Audio"},
		"call in a result":          {inResult(wiretest.ToolCall("a", "f", "{}")), "chat.ToolCall"},
		"broken image in a result":  {inResult(chat.Image{}), "image"},
		"image from the model":      {call(wiretest.Said(chat.Image{URL: "https://x.example/a.png"})), "assistant"},
		"call from the user":        {call(wiretest.Asked(wiretest.ToolCall("a", "f", "{}"))), "chat.ToolCall"},
		"thought of the user":       {call(wiretest.Asked(chat.Thinking{Text: "hm"})), "chat.Thinking"},
		"image as system text":      {call(chat.Message{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{URL: "u"}}}), "system"},
		"image in a later one":      {call(chat.User("hi"), chat.Message{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{URL: "u"}}}), "system"},
		"unknown role":              {call(chat.Message{Role: "critic", Parts: []chat.Part{chat.Text{Text: "no"}}}), "critic"},
		"image without anything":    {call(wiretest.Asked(chat.Image{})), "image"},
		"file without anything":     {call(wiretest.Asked(chat.File{Name: "x"})), "file"},
		"file of another kind":      {call(wiretest.Asked(chat.File{MediaType: "text/csv", Data: []byte("a,b")})), "text/csv"},
		"broken file, text as well": {call(wiretest.Asked(chat.Text{Text: "a"}, chat.File{})), "file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := anthropic.Codec{}.EncodeRequest(tt.call)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("error %v, want one about %q", err, tt.says)
			}
			if e.Body != nil {
				t.Errorf("a body beside the error: %s", e.Body)
			}
		})
	}
}

func TestMarksForTheCache(t *testing.T) {
	t.Parallel()
	const five, hour = `{"type":"ephemeral"}`, `{"type":"ephemeral","ttl":"1h"}`
	history := []chat.Message{
		chat.User("one"),
		wiretest.Said(chat.Text{Text: "two"}, wiretest.ToolCall("a", "now", "{}"), thought("three", "sig")),
		chat.Results(chat.TextResult("a", "four")),
		chat.User("five"),
		wiretest.Said(thought("six", "sig")),
	}
	last := func(m, b int) []any { return []any{"messages", m, "content", b, "cache_control"} }
	tests := map[string]struct {
		cache chat.PromptCache
		marks [][]any
		want  string
	}{
		"nothing":                              {},
		"all, once":                            {chat.PromptCache{Auto: true}, [][]any{{"cache_control"}}, five},
		"an hour":                              {chat.PromptCache{Auto: true, TTL: 2 * time.Hour}, [][]any{{"cache_control"}}, hour},
		"less than an hour":                    {chat.PromptCache{Auto: true, TTL: 59 * time.Minute}, [][]any{{"cache_control"}}, five},
		"the last tool":                        {chat.PromptCache{Tools: true}, [][]any{{"tools", 1, "cache_control"}}, five},
		"system":                               {chat.PromptCache{System: true}, [][]any{{"system", 0, "cache_control"}}, five},
		"the first message":                    {chat.PromptCache{Messages: 1}, [][]any{last(0, 0)}, five},
		"not on a thought":                     {chat.PromptCache{Messages: 2}, [][]any{last(1, 1)}, five},
		"in the middle of a merged turn":       {chat.PromptCache{Messages: 3}, [][]any{last(2, 0)}, five},
		"at the end of a merged turn":          {chat.PromptCache{Messages: 4, TTL: time.Hour}, [][]any{last(2, 1)}, hour},
		"a turn of thoughts: the one before":   {chat.PromptCache{Messages: 5}, [][]any{last(2, 1)}, five},
		"more messages than there are":         {chat.PromptCache{Messages: 99}, [][]any{last(2, 1)}, five},
		"everywhere is four times":             {chat.PromptCache{Auto: true, Tools: true, System: true, Messages: 1}, [][]any{{"cache_control"}, {"tools", 1, "cache_control"}, {"system", 0, "cache_control"}, last(0, 0)}, five},
		"a key alone has no place on the wire": {chat.PromptCache{Key: "k"}, nil, five},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(history...)
			c.System, c.Tools, c.Cache = "Be brief.", []chat.ToolDef{{Name: "now"}, {Name: "later"}}, tt.cache
			body := encode(t, c)
			for _, place := range tt.marks {
				wiretest.WantAt(t, body, tt.want, place...)
			}
			if n := strings.Count(body, "cache_control"); n != len(tt.marks) {
				t.Errorf("%d marks, want %d: %s", n, len(tt.marks), body)
			}
		})
	}
}

func TestNothingToMark(t *testing.T) {
	t.Parallel()
	c := call(wiretest.Said(thought("hm", "sig")))
	c.Cache = chat.PromptCache{Tools: true, System: true, Messages: 1}
	if body := encode(t, c); strings.Contains(body, "cache_control") {
		t.Error(body)
	}
}

func TestSystemMessages(t *testing.T) {
	t.Parallel()
	c := call(chat.System("Speak Irish."), chat.System(" \n"), chat.User("hi"), chat.System("Now Welsh."), chat.System("And rhyme."))
	c.System = "Be brief."
	c.Cache.Messages = 2
	body := encode(t, c)
	wiretest.WantAt(t, body, `[{"type":"text","text":"Be brief."},{"type":"text","text":"Speak Irish.","cache_control":{"type":"ephemeral"}}]`, "system")
	wiretest.WantAt(t, body, `[{"role":"user","content":[{"type":"text","text":"hi"}]},
		{"role":"system","content":[{"type":"text","text":"Now Welsh."},{"type":"text","text":"And rhyme."}]}]`, "messages")
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file chat.File
		want string
	}{
		"PDF":        {chat.File{MediaType: "application/pdf", Data: []byte("%PDF")}, `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="}}`},
		"plain text": {chat.File{Name: "log", MediaType: "text/plain; charset=utf-8", Data: []byte("a \"b\"\n")}, `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a \"b\"\n"},"title":"log"}`},
		"by URL":     {chat.File{URL: "https://x.example/a.pdf"}, `{"type":"document","source":{"type":"url","url":"https://x.example/a.pdf"}}`},
		"by id":      {chat.File{ID: "file_1"}, `{"type":"document","source":{"type":"file","file_id":"file_1"}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wiretest.WantAt(t, encode(t, call(wiretest.Asked(tt.file))), tt.want, "messages", 0, "content", 0)
			res := chat.Results(chat.ToolResult{CallID: "a", Parts: []chat.Part{tt.file}})
			wiretest.WantAt(t, encode(t, call(res)), tt.want, "messages", 0, "content", 0, "content", 0)
		})
	}
}
