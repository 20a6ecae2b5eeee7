package bedrockconverse_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

func TestPath(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		model  string
		stream bool
		want   string
	}{
		"a model":           {"amazon.nova-lite-v1:0", false, "/model/amazon.nova-lite-v1%3A0/converse"},
		"streamed":          {"us.anthropic.claude-sonnet-4-5", true, "/model/us.anthropic.claude-sonnet-4-5/converse-stream"},
		"an ARN":            {"arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x", false, "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.x/converse"},
		"unreserved":        {"aZ09-._~", false, "/model/aZ09-._~/converse"},
		"what has no place": {"../é ?#%", false, "/model/..%2F%C3%A9%20%3F%23%25/converse"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := bedrockconverse.Codec{}.EncodeRequest(wire.Call{Model: tt.model, Stream: tt.stream, Messages: chat.Prompt("hi")})
			if err != nil || e.Path != tt.want {
				t.Errorf("got %s, %v", e.Path, err)
			}
		})
	}
}

// What the planner should have refused isn't sent in some other form.
func TestRefusesWhatTheWireCannotCarry(t *testing.T) {
	t.Parallel()
	result := func(p chat.Part) chat.Message {
		return chat.Results(chat.ToolResult{CallID: "t1", Parts: []chat.Part{p}})
	}
	with := func(ms ...chat.Message) func(*wire.Call) { return func(c *wire.Call) { c.Messages = ms } }
	extra := func(value string) func(*wire.Call) {
		return func(c *wire.Call) {
			c.Extra = []wire.Member{{Name: "additionalModelRequestFields", Value: json.RawMessage(value)}}
		}
	}
	tests := map[string]struct {
		change func(*wire.Call)
		want   string
	}{
		"no model":           {func(c *wire.Call) { c.Model = "" }, "no model"},
		"seed":               {func(c *wire.Call) { c.Seed = new(int64(1)) }, "seed"},
		"subset":             {func(c *wire.Call) { c.Allowed = []string{"f"} }, "subset"},
		"place for thoughts": {func(c *wire.Call) { c.Thinking.Format = "parsed" }, "thoughts"},
		"JSON of any kind":   {func(c *wire.Call) { c.Format = &wire.Format{} }, "schema"},
		"calls without tools": {func(c *wire.Call) {
			c.Tools, c.Messages = nil, []chat.Message{wiretest.Said(wiretest.ToolCall("t1", "f", "{}"))}
		}, "definitions"},
		"results without tools": {func(c *wire.Call) { c.Tools, c.Messages = nil, []chat.Message{result(chat.Text{})} }, "definitions"},
		"image by URL":          {with(wiretest.Asked(chat.Image{MediaType: "image/png", URL: "https://x.example/a.png"})), "URL"},
		"image of nothing":      {with(wiretest.Asked(chat.Image{MediaType: "image/png"})), "without data"},
		"image of a kind":       {with(wiretest.Asked(chat.Image{MediaType: "image/tiff", Data: []byte("x")})), "image/tiff"},
		"file of a kind":        {with(wiretest.Asked(chat.File{MediaType: "application/zip", Data: []byte("x")})), "application/zip"},
		"file by id":            {with(wiretest.Asked(chat.File{ID: "file_1"})), "id"},
		"audio of a kind":       {with(wiretest.Asked(chat.Audio{MediaType: "audio/x", Data: []byte("x")})), "audio/x"},
		"image in the system":   {with(chat.Message{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{}}}), "chat.Image"},
		"image by the model":    {with(chat.User("a"), wiretest.Said(chat.Image{})), "chat.Image"},
		"call by the user":      {with(wiretest.Asked(wiretest.ToolCall("t1", "f", "{}"))), "chat.ToolCall"},
		"thought of the user":   {with(wiretest.Asked(thought("a", "b"))), "chat.Thinking"},
		"text among results":    {with(chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Image{}}}), "chat.Image"},
		"sound in a result":     {with(chat.User("a"), wiretest.Said(wiretest.ToolCall("t1", "f", "{}")), result(chat.Audio{})), "chat.Audio"},
		"call of a rewrite":     {with(chat.User("a"), wiretest.Said(chat.ToolCall{ID: "t1", Name: "f", Synthetic: true})), "chat.ToolCall"},
		"thinking in extra":     {extra(`{"thinking":{"type":"enabled"}}`), "additionalModelRequestFields.thinking"},
		"choice in extra":       {extra(`{"tool_choice":{"type":"any"}}`), "ToolChoice"},
		"extra is no object":    {extra(`[1]`), "no object"},
		"extra is broken":       {extra(`{"a":`), "additionalModelRequestFields"},
		"none":                  {func(c *wire.Call) { c.Choice, c.ToolFormat = toolchoice.None(), toolchoice.Bedrock }, "no wire form"},
		"no name, one call":     {func(c *wire.Call) { c.ParallelTools, c.Choice = new(false), toolchoice.Tool("") }, "names no tool"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := toolCalls(chat.User("hi"))
			tt.change(&c)
			e, err := bedrockconverse.Codec{}.EncodeRequest(c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || e.Body != nil {
				t.Errorf("got %s, %v", e.Body, err)
			}
		})
	}
}

// Unset options stay off the wire; zero is a value.
func TestSettings(t *testing.T) {
	t.Parallel()
	bare := encode(t, call(chat.User("hi")))
	if bare != `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}` {
		t.Errorf("bare: %s", bare)
	}
	c := call(chat.User("hi"))
	c.Temperature, c.TopP = new(0.0), new(0.0)
	wiretest.WantAt(t, encode(t, c), `{"temperature":0,"topP":0}`, "inferenceConfig")

	c = call(chat.User("hi"))
	c.Metadata = map[string]string{"b": "2", "a": "1"}
	c.Extra = []wire.Member{{Name: "guardrailConfig", Value: json.RawMessage(`{"guardrailIdentifier":"g"}`)}}
	if got := encode(t, c); !strings.Contains(got, `"requestMetadata":{"a":"1","b":"2"},"guardrailConfig":{"guardrailIdentifier":"g"}}`) {
		t.Errorf("got %s", got)
	}
}

func TestThinkingAndExtraFields(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"))
	c.Thinking = wire.Thinking{Type: "enabled", Budget: 2048, Display: "summarized"}
	c.Extra = []wire.Member{{Name: "additionalModelRequestFields", Value: json.RawMessage(`{"top_k": 40, "anthropic_beta":["x"]}`)}}
	body := encode(t, c)
	wiretest.WantAt(t, body, `{"thinking":{"type":"enabled","budget_tokens":2048,"display":"summarized"},"top_k":40,"anthropic_beta":["x"]}`, "additionalModelRequestFields")
	if strings.Count(body, "additionalModelRequestFields") != 1 {
		t.Errorf("twice: %s", body)
	}
	c.Thinking = wire.Thinking{}
	wiretest.WantAt(t, encode(t, c), `{"top_k":40,"anthropic_beta":["x"]}`, "additionalModelRequestFields")
}

// Calls one by one: Claude's own choice takes the place of the dialect's.
func TestOneCallAtATime(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		choice        toolchoice.Choice
		spelled, want string
	}{
		"unset": {toolchoice.Choice{}, "", `{"type":"auto","disable_parallel_tool_use":true}`},
		"auto":  {toolchoice.Auto(), `{"auto":{}}`, `{"type":"auto","disable_parallel_tool_use":true}`},
		"any":   {toolchoice.Any(), `{"any":{}}`, `{"type":"any","disable_parallel_tool_use":true}`},
		"named": {toolchoice.Tool("f"), `{"tool":{"name":"f"}}`, `{"type":"tool","name":"f","disable_parallel_tool_use":true}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := toolCalls(chat.User("hi"))
			c.Choice, c.ToolFormat, c.ParallelTools = tt.choice, toolchoice.Bedrock, new(false)
			body := encode(t, c)
			wiretest.WantAt(t, body, tt.want, "additionalModelRequestFields", "tool_choice")
			wiretest.WantAt(t, body, "", "toolConfig", "toolChoice")
			c.ParallelTools = new(true)
			body = encode(t, c)
			wiretest.WantAt(t, body, "", "additionalModelRequestFields")
			wiretest.WantAt(t, body, tt.spelled, "toolConfig", "toolChoice")
		})
	}
	c := call(chat.User("hi")) // without tools there is nothing to forbid
	c.ParallelTools = new(false)
	wiretest.WantAt(t, encode(t, c), "", "additionalModelRequestFields")
}

func TestToolWithoutWords(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"))
	c.Tools = []chat.ToolDef{{Name: "now", Description: " "}}
	wiretest.WantAt(t, encode(t, c), `[{"toolSpec":{"name":"now","inputSchema":{"json":{"type":"object","properties":{}}}}}]`, "toolConfig", "tools")
}

func TestOutput(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"))
	c.Format = &wire.Format{Description: "a plan", Schema: json.RawMessage("{ \"type\": \"object\" }"), Strict: true}
	wiretest.WantAt(t, encode(t, c), `{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{\"type\":\"object\"}","description":"a plan"}}}}`, "outputConfig")
}

func TestCachePoints(t *testing.T) {
	t.Parallel()
	const point, hour = `{"cachePoint":{"type":"default"}}`, `{"cachePoint":{"type":"default","ttl":"1h"}}`
	c := desk(func(c *wire.Call) {
		c.Tools = wiretest.Tools(true)[:1]
		c.Messages = []chat.Message{
			chat.User("one"), wiretest.Said(wiretest.ToolCall("t1", "get_tide", "{}"), thought("hm", "sig")), chat.Results(chat.TextResult("t1", "x")),
		}
		c.Cache = chat.PromptCache{Tools: true, System: true, Auto: true, Messages: 2}
	})
	body := encode(t, c)
	wiretest.WantAt(t, body, point, "system", 1)
	wiretest.WantAt(t, body, point, "toolConfig", "tools", 1)
	wiretest.WantAt(t, body, point, "messages", 1, "content", 1) // behind the last block that can be marked
	wiretest.WantAt(t, body, point, "messages", 2, "content", 1)
	if n := strings.Count(body, "cachePoint"); n != 4 {
		t.Errorf("%d marks: %s", n, body)
	}
	c.Cache = chat.PromptCache{Auto: true, Messages: 3, TTL: time.Hour} // the same place
	body = encode(t, c)
	wiretest.WantAt(t, body, hour, "messages", 2, "content", 1)
	if n := strings.Count(body, "cachePoint"); n != 1 {
		t.Errorf("%d marks: %s", n, body)
	}
}

func TestMedia(t *testing.T) {
	t.Parallel()
	file := func(name string) chat.File {
		return chat.File{Name: name, MediaType: "text/csv", Data: []byte("a")}
	}
	body := encode(t, call(wiretest.Asked(
		chat.Image{URL: "s3://bucket/a.JPG"}, chat.Image{MediaType: "image/webp", URL: "s3://bucket/b"},
		chat.File{Name: "x", URL: "s3://bucket/c.docx"},
		chat.Audio{MediaType: "audio/mpeg", Data: []byte("a")},
		file("Q3 report_final.v2.csv"), file("Q3  report final-v2"), file(""), file("日本.pdf"), file("a (1) [b]"),
	)))
	for i, want := range []string{
		`{"image":{"format":"jpeg","source":{"s3Location":{"uri":"s3://bucket/a.JPG"}}}}`,
		`{"image":{"format":"webp","source":{"s3Location":{"uri":"s3://bucket/b"}}}}`,
		`{"document":{"format":"docx","name":"x","source":{"s3Location":{"uri":"s3://bucket/c.docx"}}}}`,
		`{"audio":{"format":"mp3","source":{"bytes":"YQ=="}}}`,
	} {
		wiretest.WantAt(t, body, want, "messages", 0, "content", i)
	}
	for i, want := range []string{"Q3 report final-v2", "Q3 report final-v2 (2)", "document", "document (2)", "a (1) [b]"} {
		if got := wiretest.At(t, wiretest.Tree(t, body), "messages", 0, "content", 4+i, "document", "name"); got != want {
			t.Errorf("document %d is called %v, want %s", i, got, want)
		}
	}
}
