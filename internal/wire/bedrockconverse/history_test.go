package bedrockconverse_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// A turn is received, whole or streamed, and said back: block for block the
// same.
func TestSaysBackWhatItReceived(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"text", "thinking", "thinking-redacted", "tool-call", "tool-calls-parallel"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, "fixtures", name, "reply.json")
			want, err := json.Marshal(wiretest.At(t, wiretest.Tree(t, body), "output", "message", "content"))
			if err != nil {
				t.Fatal(err)
			}
			again := encode(t, toolCalls(chat.User("hi"), decode(t, body).Message()))
			wiretest.WantAt(t, again, string(want), "messages", 1, "content")
		})
	}
}

// Reasoning goes back as it came and in its place, the blob as well as the
// token; what isn't signed stays here.
func TestReasoningGoesBack(t *testing.T) {
	t.Parallel()
	body := encode(t, toolCalls(
		chat.User("weather in Oslo"),
		wiretest.Said(
			thought("Need the tool.\n  ", "EqQB+/==x"), redacted("EmwK=="), thought("", "only-a-token"),
			chat.Thinking{Text: "unsigned"}, chat.Thinking{Text: "foreign", Signature: chat.Signature{Kind: "reasoning_content", Data: "x"}},
			chat.Text{Text: "Checking."}, wiretest.ToolCall("t1", "f", `{"city":"Oslo"}`),
		),
		chat.Results(chat.TextResult("t1", "4 C")),
	))
	wiretest.WantAt(t, body, `[
		{"reasoningContent":{"reasoningText":{"text":"Need the tool.\n  ","signature":"EqQB+/==x"}}},
		{"reasoningContent":{"redactedContent":"EmwK=="}},
		{"reasoningContent":{"reasoningText":{"text":"","signature":"only-a-token"}}},
		{"text":"Checking."},
		{"toolUse":{"toolUseId":"t1","name":"f","input":{"city":"Oslo"}}}]`, "messages", 1, "content")
}

func TestUnsoundArgumentsGoBackInAnObject(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ args, want string }{
		"sound":      {` {"a": 1}`, `{"a":1}`},
		"big number": {`{"n":9007199254740993}`, `{"n":9007199254740993}`},
		"nothing":    {"", `{}`},
		"null":       {"null", `{}`},
		"cut off":    {`{"level":"hi`, `{"INVALID_JSON":"{\"level\":\"hi"}`},
		"a list":     {`[1]`, `{"INVALID_JSON":"[1]"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, toolCalls(chat.User("turn it up"), wiretest.Said(wiretest.ToolCall("t1", "act", tt.args))))
			wiretest.WantAt(t, body, tt.want, "messages", 1, "content", 0, "toolUse", "input")
		})
	}
}

// Turns alternate: results come as one message, in front of what else the user
// says and in the order of the calls.
func TestResultsOfATurnAreOneMessage(t *testing.T) {
	t.Parallel()
	turn := wiretest.Said(wiretest.ToolCall("t1", "f", `{}`), wiretest.ToolCall("t2", "f", `{}`))
	one, two := chat.TextResult("t1", "4 C"), chat.ErrorResult("t2", "offline")
	short := chat.User("in short please")
	const (
		result1 = `{"toolResult":{"toolUseId":"t1","content":[{"text":"4 C"}],"status":"success"}}`
		result2 = `{"toolResult":{"toolUseId":"t2","content":[{"text":"offline"}],"status":"error"}}`
		lost    = `{"toolResult":{"toolUseId":"t9","content":[{"text":"(no output)"}],"status":"success"}}`
		brief   = `{"text":"in short please"}`
	)
	tests := map[string]struct {
		history []chat.Message
		want    string
	}{
		"one message each":        {[]chat.Message{chat.Results(one), chat.Results(two), short}, result1 + "," + result2 + "," + brief},
		"in the order of calls":   {[]chat.Message{chat.Results(two), chat.Results(one)}, result1 + "," + result2},
		"user speaks in between":  {[]chat.Message{chat.Results(two), short, chat.Results(one)}, result1 + "," + result2 + "," + brief},
		"in the user's message":   {[]chat.Message{wiretest.Asked(chat.Text{Text: "in short please"}, two, one)}, result1 + "," + result2 + "," + brief},
		"without a call, at last": {[]chat.Message{chat.Results(chat.TextResult("t9", " "), two, one)}, result1 + "," + result2 + "," + lost},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, toolCalls(append([]chat.Message{chat.User("weather in both"), turn}, tt.history...)...))
			wiretest.WantAt(t, body, `"user"`, "messages", 2, "role")
			wiretest.WantAt(t, body, "["+tt.want+"]", "messages", 2, "content")
			if n := len(wiretest.At(t, wiretest.Tree(t, body), "messages").([]any)); n != 3 {
				t.Errorf("%d messages: %s", n, body)
			}
		})
	}
}

func TestToolReturnsPictureAndPaper(t *testing.T) {
	t.Parallel()
	body := encode(t, toolCalls(chat.User("show"), wiretest.Said(wiretest.ToolCall("t1", "f", "{}")), chat.Results(chat.ToolResult{
		CallID: "t1", IsError: true, Parts: []chat.Part{
			chat.Text{Text: "captured"},
			chat.Text{},
			chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			chat.File{Name: "log.txt", MediaType: "text/plain; charset=utf-8", Data: []byte("x")},
		},
	})))
	wiretest.WantAt(t, body, `{"toolUseId":"t1","status":"error","content":[{"text":"captured"},
		{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}},
		{"document":{"format":"txt","name":"log","source":{"bytes":"eA=="}}}]}`, "messages", 2, "content", 0, "toolResult")
}

// Models that take no status are told of a failure in words.
func TestResultsWithoutAStatus(t *testing.T) {
	t.Parallel()
	c := toolCalls(chat.User("go"), wiretest.Said(wiretest.ToolCall("t1", "f", "{}"), wiretest.ToolCall("t2", "f", "{}"), wiretest.ToolCall("t3", "f", "{}")),
		chat.Results(chat.TextResult("t1", "fine"), chat.ErrorResult("t2", "offline"), chat.ErrorResult("t3", "")))
	c.Quirks = wire.Quirks{NoResultStatus: true}
	wiretest.WantAt(t, encode(t, c), `[
		{"toolResult":{"toolUseId":"t1","content":[{"text":"fine"}]}},
		{"toolResult":{"toolUseId":"t2","content":[{"text":"error:"},{"text":"offline"}]}},
		{"toolResult":{"toolUseId":"t3","content":[{"text":"error:"}]}}]`, "messages", 2, "content")
}

// Blank text is refused by the API, and turns have to alternate and to begin
// with the user.
func TestTurns(t *testing.T) {
	t.Parallel()
	const hi = `{"role":"user","content":[{"text":"hi"}]}`
	tests := map[string]struct {
		messages []chat.Message
		want     string
	}{
		"the model begins":  {[]chat.Message{chat.Assistant("Hello."), chat.User("hi")}, `[{"role":"user","content":[{"text":"(The assistant begins.)"}]},{"role":"assistant","content":[{"text":"Hello."}]},` + hi + `]`},
		"twice the user":    {[]chat.Message{chat.User("hi"), chat.User("there")}, `[{"role":"user","content":[{"text":"hi"},{"text":"there"}]}]`},
		"empty turns":       {[]chat.Message{chat.User("hi"), chat.Assistant(" \n"), chat.User(""), wiretest.Said(chat.Thinking{Text: "hm"})}, "[" + hi + "]"},
		"instruction later": {[]chat.Message{chat.User("hi"), chat.System("in Irish"), chat.System(" ")}, `[{"role":"user","content":[{"text":"hi"},{"text":"<system>\nin Irish\n</system>"}]}]`},
		"instruction first": {[]chat.Message{chat.System("in Irish"), chat.User("hi")}, "[" + hi + "]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wiretest.WantAt(t, encode(t, call(tt.messages...)), tt.want, "messages")
		})
	}
}

func TestInstructionsInTheMiddleWhereTheModelTakesThem(t *testing.T) {
	t.Parallel()
	c := call(chat.User("hi"), chat.Assistant("hello"), chat.System("in Irish"), chat.User("again"))
	c.Quirks.SystemRole = "system"
	body := encode(t, c)
	wiretest.WantAt(t, body, `{"role":"system","content":[{"text":"in Irish"}]}`, "messages", 2)
	wiretest.WantAt(t, body, "", "system")
}

func TestSystemAtTheStart(t *testing.T) {
	t.Parallel()
	c := call(chat.System("two"), chat.System(" "), chat.System("three"), chat.User("hi"))
	c.System = "one"
	c.Cache.Messages = 2
	wiretest.WantAt(t, encode(t, c), `[{"text":"one"},{"text":"two"},{"text":"three"},{"cachePoint":{"type":"default"}}]`, "system")
}

// Ids from elsewhere are given a form that the API takes, calls and results
// alike; those that have it stay.
func TestToolCallIDs(t *testing.T) {
	t.Parallel()
	ids := func(short bool, in ...string) []string {
		parts := make([]chat.Part, 0, len(in))
		results := make([]chat.ToolResult, 0, len(in))
		for _, id := range in {
			parts = append(parts, wiretest.ToolCall(id, "f", "{}"))
			results = append(results, chat.TextResult(id, "x"))
		}
		c := toolCalls(chat.User("go"), wiretest.Said(parts...), chat.Results(results...))
		c.Quirks.ShortToolIDs = short
		body := wiretest.Tree(t, encode(t, c))
		out := make([]string, len(in))
		seen := map[string]bool{}
		for i := range in {
			out[i], _ = wiretest.At(t, body, "messages", 1, "content", i, "toolUse", "toolUseId").(string)
			if r := wiretest.At(t, body, "messages", 2, "content", i, "toolResult", "toolUseId"); r != out[i] {
				t.Errorf("call %s is answered as %v", out[i], r)
			}
			if seen[out[i]] {
				t.Errorf("%s twice", out[i])
			}
			seen[out[i]] = true
		}
		return out
	}
	long := "functions.get_weather:0"
	got := ids(false, "tooluse_3h1bZsKA6ueciPjLZdDreY", "a-b_C9", long, "x y", "")
	if got[0] != "tooluse_3h1bZsKA6ueciPjLZdDreY" || got[1] != "a-b_C9" {
		t.Errorf("changed without need: %q", got)
	}
	for _, id := range got[2:] {
		if len(id) != 32 {
			t.Errorf("made %q", id)
		}
	}
	if again := ids(false, long); again[0] != got[2] {
		t.Errorf("another id in another request: %q, %q", again[0], got[2])
	}
	short := ids(true, "abcdefgh9", "tooluse_1", "tooluse_22", long)
	if short[0] != "abcdefgh9" {
		t.Errorf("changed without need: %q", short)
	}
	for _, id := range short {
		if len(id) != 9 {
			t.Errorf("made %q", id)
		}
	}
}
