package coherev2_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func TestPath(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		e, err := coherev2.Codec{}.EncodeRequest(wire.Call{Model: "m", Stream: stream, Messages: chat.Prompt("hi")})
		if err != nil || e.Path != "/v2/chat" {
			t.Errorf("got %s, %v", e.Path, err)
		}
	}
}

// Unset options stay off the wire; zero is a value.
func TestSettings(t *testing.T) {
	t.Parallel()
	if got := encode(t, call(chat.User("hi"))); got != `{"model":"command-a-03-2025","messages":[{"role":"user","content":"hi"}],"stream":false}` {
		t.Errorf("bare: %s", got)
	}
	c := call(chat.User("hi"))
	c.Temperature, c.TopP, c.Seed = new(0.0), new(0.0), new(int64(0))
	body := encode(t, c)
	wiretest.WantAt(t, body, "0", "temperature")
	wiretest.WantAt(t, body, "0", "p")
	wiretest.WantAt(t, body, "0", "seed")
}

// What the planner should have refused isn't sent in some other form.
func TestRefusesWhatTheWireCannotCarry(t *testing.T) {
	t.Parallel()
	with := func(ms ...chat.Message) func(*wire.Call) { return func(c *wire.Call) { c.Messages = ms } }
	result := func(p chat.Part) func(*wire.Call) {
		return with(chat.Results(chat.ToolResult{CallID: "a", Parts: []chat.Part{p}}))
	}
	thinking := func(th wire.Thinking) func(*wire.Call) { return func(c *wire.Call) { c.Thinking = th } }
	tests := map[string]struct {
		change func(*wire.Call)
		want   string
	}{
		"subset":               {func(c *wire.Call) { c.Allowed = []string{"f"} }, "subset"},
		"one call at a time":   {func(c *wire.Call) { c.ParallelTools = new(false) }, "one at a time"},
		"effort":               {thinking(wire.Thinking{Effort: "high"}), "thinking"},
		"adaptive thinking":    {thinking(wire.Thinking{Type: "adaptive"}), "adaptive"},
		"budget for what":      {thinking(wire.Thinking{Budget: 500}), "budget"},
		"file of the user":     {with(wiretest.Asked(chat.File{MediaType: "text/plain", Data: []byte("x")})), "chat.File"},
		"sound of the user":    {with(wiretest.Asked(chat.Audio{})), "chat.Audio"},
		"image of nothing":     {with(wiretest.Asked(chat.Text{Text: "a"}, chat.Image{})), "image"},
		"image in a result":    {result(chat.Image{URL: "https://x.example/a.png"}), "chat.Image"},
		"paper in a result":    {result(chat.File{MediaType: "application/pdf", Data: []byte("x")}), "application/pdf"},
		"image in the system":  {with(chat.Message{Role: chat.RoleSystem, Parts: []chat.Part{chat.Image{}}}), "chat.Image"},
		"image by the model":   {with(wiretest.Said(chat.Image{})), "chat.Image"},
		"text among results":   {with(chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Text{Text: "a"}}}), "chat.Text"},
		"call of a rewrite":    {with(wiretest.Said(chat.ToolCall{ID: "a", Name: "f", Synthetic: true})), "rewrite"},
		"role of another kind": {with(chat.Message{Role: "critic"}), "critic"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(chat.User("hi"))
			tt.change(&c)
			e, err := coherev2.Codec{}.EncodeRequest(c)
			if err == nil || !strings.Contains(err.Error(), tt.want) || e.Body != nil {
				t.Errorf("got %s, %v", e.Body, err)
			}
		})
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"))
	c.Tools = []chat.ToolDef{{Name: "now", Strict: true}, {Name: "then"}}
	c.ParallelTools = new(true)
	body := encode(t, c)
	wiretest.WantAt(t, body, `{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}`, "tools", 0)
	wiretest.WantAt(t, body, "", "strict_tools") // it would hold for both
}

func TestTurns(t *testing.T) {
	t.Parallel()
	const hi = `{"role":"user","content":"hi"}`
	tests := map[string]struct {
		messages []chat.Message
		want     string
	}{
		"the model begins":    {[]chat.Message{chat.Assistant("Hello."), chat.User("hi")}, `[{"role":"assistant","content":[{"type":"text","text":"Hello."}]},` + hi + `]`},
		"twice the user":      {[]chat.Message{chat.User("hi"), chat.User("hi")}, "[" + hi + "," + hi + "]"},
		"empty turns":         {[]chat.Message{chat.User("hi"), chat.Assistant(" \n"), chat.User(""), chat.System("\t"), wiretest.Said(thought("hm"), plan("so"))}, "[" + hi + "]"},
		"instruction later":   {[]chat.Message{chat.User("hi"), chat.System("in Irish")}, "[" + hi + `,{"role":"system","content":"in Irish"}]`},
		"blank among texts":   {[]chat.Message{wiretest.Asked(chat.Text{Text: "hi"}, chat.Text{Text: " "})}, "[" + hi + "]"},
		"result by the user":  {[]chat.Message{wiretest.Asked(chat.Text{Text: "hi"}, chat.TextResult("a", "x"))}, `[{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]},` + hi + "]"},
		"empty result":        {[]chat.Message{chat.Results(chat.TextResult("a", " "))}, `[{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"(no output)"}]}]`},
		"failure in silence":  {[]chat.Message{chat.Results(chat.ErrorResult("a", ""))}, `[{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"error: (no output)"}]}]`},
		"failure with a file": {[]chat.Message{chat.Results(chat.ToolResult{CallID: "a", IsError: true, Parts: []chat.Part{chat.File{MediaType: "application/json", Data: []byte("{}")}}})}, `[{"role":"tool","tool_call_id":"a","content":[{"type":"document","document":{"data":{"text":"{}"}}},{"type":"text","text":"error"}]}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wiretest.WantAt(t, encode(t, call(tt.messages...)), tt.want, "messages")
		})
	}
}

// The plan goes back as a plan; thoughts only where the profile says so, and
// never those of another origin.
func TestPlansAndThoughtsGoBack(t *testing.T) {
	t.Parallel()
	foreign := chat.Thinking{Text: "foreign", Signature: chat.Signature{Kind: "signature", Data: "x"}}
	c := call(chat.User("go"), wiretest.Said(plan("First "), foreign, thought("hm\n "), chat.Thinking{Text: "unmarked"}, plan("this."),
		chat.Text{Text: "Wait."}, wiretest.ToolCall("a", "f", `{"n":9007199254740993}`)))
	const calls = `"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":9007199254740993}"}}]`
	wiretest.WantAt(t, encode(t, c), `{"role":"assistant","content":[{"type":"text","text":"Wait."}],"tool_plan":"First this.",`+calls+`}`, "messages", 1)
	c.Quirks.ReplayThinking = "thinking"
	wiretest.WantAt(t, encode(t, c), `{"role":"assistant","content":[{"type":"thinking","thinking":"hm\n "},{"type":"text","text":"Wait."}],"tool_plan":"First this.",`+calls+`}`, "messages", 1)
}

// What was received is said back, member for member.
func TestSaysBackWhatItReceived(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"text", "thinking", "thinking-tool-call", "tool-call", "tool-calls-parallel", "structured-output"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, "fixtures", name, "reply.json")
			want, err := json.Marshal(wiretest.At(t, wiretest.Tree(t, body), "message"))
			if err != nil {
				t.Fatal(err)
			}
			c := call(chat.User("hi"), decode(t, body).Message())
			c.Quirks.ReplayThinking = "thinking"
			wiretest.WantAt(t, encode(t, c), string(want), "messages", 1)
		})
	}
}

func TestUnsoundArgumentsGoBackInAnObject(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ args, want string }{
		"sound":   {` {"a": 1}`, `"{\"a\": 1}"`},
		"nothing": {"", `"{}"`},
		"null":    {"null", `"{}"`},
		"cut off": {`{"level":"hi`, `"{\"INVALID_JSON\":\"{\\\"level\\\":\\\"hi\"}"`},
		"a list":  {`[1]`, `"{\"INVALID_JSON\":\"[1]\"}"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, call(chat.User("hi"), wiretest.Said(wiretest.ToolCall("a", "f", tt.args))))
			wiretest.WantAt(t, body, tt.want, "messages", 1, "tool_calls", 0, "function", "arguments")
		})
	}
}
