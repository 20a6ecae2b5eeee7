package ollama_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
	"github.com/sabir-go/sabir/toolchoice"
)

func TestThinking(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		thinking wire.Thinking
		want     string
	}{
		"not stated":       {wire.Thinking{}, ""},
		"on":               {wire.Thinking{Type: "enabled"}, "true"},
		"off":              {wire.Thinking{Type: "disabled"}, "false"},
		"off by effort":    {wire.Thinking{Effort: "none"}, "false"},
		"a level":          {wire.Thinking{Effort: "low"}, `"low"`},
		"on with a level":  {wire.Thinking{Type: "enabled", Effort: "max"}, `"max"`},
		"off in two words": {wire.Thinking{Type: "disabled", Effort: "none"}, "false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := asked()
			c.Thinking = tt.thinking
			if got := member(t, encode(t, c), "think"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestRefused: what the wire can't carry is an error that says what it is.
func TestRefused(t *testing.T) {
	t.Parallel()
	user := func(p ...chat.Part) []chat.Message { return []chat.Message{{Role: chat.RoleUser, Parts: p}} }
	turn := func(p ...chat.Part) []chat.Message { return []chat.Message{{Role: chat.RoleAssistant, Parts: p}} }
	for name, tt := range map[string]struct {
		change func(c *wire.Call)
		want   string
	}{
		"a choice":           {func(c *wire.Call) { c.Choice = toolchoice.None() }, "tool choice"},
		"a subset":           {func(c *wire.Call) { c.Allowed = []string{"get_tide"} }, "subset"},
		"parallel calls":     {func(c *wire.Call) { c.ParallelTools = new(true) }, "parallel"},
		"a cache key":        {func(c *wire.Call) { c.Cache.Key = "k" }, "cache key"},
		"metadata":           {func(c *wire.Call) { c.Metadata = map[string]string{"a": "b"} }, "metadata"},
		"a budget":           {func(c *wire.Call) { c.Thinking.Budget = 9 }, "budget"},
		"adaptive thinking":  {func(c *wire.Call) { c.Thinking.Type = "adaptive" }, "adaptive"},
		"off, but hard":      {func(c *wire.Call) { c.Thinking = wire.Thinking{Type: "disabled", Effort: "high"} }, "high"},
		"on, but not at all": {func(c *wire.Call) { c.Thinking = wire.Thinking{Type: "enabled", Effort: "none"} }, "contradicts"},
		"a strict tool":      {func(c *wire.Call) { c.Tools = harbour(); c.Tools[1].Strict = true }, "book_berth: strict"},
		"an image by URL":    {func(c *wire.Call) { c.Messages = user(chat.Image{URL: "https://example.com/a.png"}) }, "URL"},
		"a file":             {func(c *wire.Call) { c.Messages = user(chat.File{ID: "f"}) }, "chat.File"},
		"audio":              {func(c *wire.Call) { c.Messages = user(chat.Audio{Data: []byte("x")}) }, "chat.Audio"},
		"an image in a system message": {func(c *wire.Call) {
			c.Messages = []chat.Message{{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{Data: []byte("x")}}}}
		}, "system"},
		"an image of the model's": {func(c *wire.Call) { c.Messages = turn(chat.Image{Data: []byte("x")}) }, "assistant"},
		"a call of a rewrite":     {func(c *wire.Call) { c.Messages = turn(chat.ToolCall{ID: "c1", Name: "f", Synthetic: true}) }, "c1"},
		"a result without a call": {func(c *wire.Call) { c.Messages = []chat.Message{chat.Results(chat.TextResult("c2", "x"))} }, "c2"},
		"text in a tool message": {func(c *wire.Call) {
			c.Messages = []chat.Message{{Role: chat.RoleTool, Parts: []chat.Part{chat.Text{Text: "x"}}}}
		}, "chat.Text"},
		"a role of its own":    {func(c *wire.Call) { c.Messages = []chat.Message{{Role: "critic"}} }, "critic"},
		"an option of ours":    {func(c *wire.Call) { c.Extra = options(`{"num_ctx":1,"seed":2}`) }, "seed"},
		"options that are not": {func(c *wire.Call) { c.Extra = options(`[1]`) }, "no object"},
		"options cut":          {func(c *wire.Call) { c.Extra = options(`{"num_ctx":`) }, "options"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := asked()
			tt.change(&c)
			enc, err := codec.EncodeRequest(c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || enc.Body != nil {
				t.Errorf("got %s, %v", enc.Body, err)
			}
		})
	}
}

func options(value string) []wire.Member {
	return []wire.Member{{Name: "options", Value: json.RawMessage(value)}}
}

// TestOptions: the caller's options follow ours, in one object and in order.
func TestOptions(t *testing.T) {
	t.Parallel()
	c := asked()
	c.Extra = options(`{"num_ctx": 8192, "mirostat": {"tau": 5.0}, "a\"b": null}`)
	if got := member(t, encode(t, c), "options"); got != `{"num_ctx":8192,"mirostat":{"tau": 5.0},"a\"b":null}` {
		t.Errorf("extra alone: %s", got)
	}
	c.Seed, c.MaxTokens = new(int64(0)), 5
	if got := member(t, encode(t, c), "options"); got != `{"num_predict":5,"seed":0,"num_ctx":8192,"mirostat":{"tau": 5.0},"a\"b":null}` {
		t.Errorf("both: %s", got)
	}
	if got := member(t, encode(t, asked()), "options"); got != "" {
		t.Errorf("none: %s", got)
	}
}

// TestConversation: texts of one message are joined, system text may stand in
// the middle, and a picture that a tool returned follows the turn's results.
func TestConversation(t *testing.T) {
	t.Parallel()
	picture := chat.ToolResult{CallID: "b", Parts: []chat.Part{chat.Image{MediaType: "image/png", Data: []byte("png")}}}
	c := wire.Call{Model: "m", Messages: []chat.Message{
		{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "one"}, chat.Text{}, chat.Text{Text: "two"}}},
		{Role: chat.RoleAssistant, Parts: []chat.Part{
			chat.Text{Text: "I'll look."},
			chat.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(` {"n": 12345678901234567890}`)},
			chat.ToolCall{ID: "b", Name: "camera"},
		}},
		chat.Results(chat.TextResult("a", "1"), picture),
		chat.Results(chat.ToolResult{CallID: "a", Name: "given", Parts: []chat.Part{chat.Text{Text: "2"}, chat.Text{Text: "3"}}}),
		chat.System("Be kind."),
		chat.User("Go on."),
		chat.Assistant(""),
	}}
	body := encode(t, c)
	wiretest.SameJSON(t, []byte(member(t, body, "messages")), []byte(`[
		{"role":"user","content":"one\ntwo"},
		{"role":"assistant","content":"I'll look.","tool_calls":[
			{"id":"a","function":{"index":0,"name":"f","arguments":{"n":12345678901234567890}}},
			{"id":"b","function":{"index":1,"name":"camera","arguments":{}}}]},
		{"role":"tool","content":"1","tool_name":"f","tool_call_id":"a"},
		{"role":"tool","content":"The result is attached below.","tool_name":"camera","tool_call_id":"b"},
		{"role":"tool","content":"2\n3","tool_name":"given","tool_call_id":"a"},
		{"role":"user","content":"Attached to the result of tool call b:","images":["cG5n"]},
		{"role":"system","content":"Be kind."},
		{"role":"user","content":"Go on."},
		{"role":"assistant","content":""}]`))
	if !strings.Contains(string(body), `{"n": 12345678901234567890}`) {
		t.Errorf("arguments were rewritten: %s", body)
	}
}

// TestUnsoundArguments: the server refuses a whole request for arguments that
// are no object, so what a cut call held goes back inside of one.
func TestUnsoundArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{`{"a":`, `{"INVALID_JSON":"{\"a\":"}`},
		{`[1]`, `{"INVALID_JSON":"[1]"}`},
		{`null`, `{}`},
		{``, `{}`},
		{` {} `, `{}`},
	} {
		c := wire.Call{Model: "m", Messages: []chat.Message{{Role: chat.RoleAssistant, Parts: []chat.Part{
			chat.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage(tt.args)},
		}}}}
		wiretest.SameJSON(t, []byte(member(t, encode(t, c), "messages")), []byte(`[{"role":"assistant","content":"","tool_calls":[`+
			`{"id":"a","function":{"index":0,"name":"f","arguments":`+tt.want+`}}]}]`))
	}
}

// TestEmptySchema: a tool without parameters has an object of none.
func TestEmptySchema(t *testing.T) {
	t.Parallel()
	c := asked()
	c.Tools = []chat.ToolDef{{Name: "now"}}
	wiretest.SameJSON(t, []byte(member(t, encode(t, c), "tools")),
		[]byte(`[{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}]`))
}
