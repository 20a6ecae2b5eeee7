package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func thought(text, signature string) chat.Thinking {
	return chat.Thinking{Text: text, Signature: chat.Signature{Kind: "signature", Data: signature}}
}

func redacted(data string) chat.Thinking {
	return chat.Thinking{Signature: chat.Signature{Kind: "redacted", Data: data}}
}

// A turn is received and said back: block for block the same, but for what is
// no part of the model's words.
func TestSaysBackWhatItReceived(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"text", "thinking", "thinking-omitted", "thinking-redacted", "thinking-tool-call", "thinking-between-tools",
		"tool-call", "tool-call-no-args", "tool-call-with-text", "tool-calls-parallel",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, "fixtures", name, "reply.json")
			want := wiretest.At(t, wiretest.Tree(t, body), "content")
			for _, b := range want.([]any) { // members that only replies have
				delete(b.(map[string]any), "citations")
				delete(b.(map[string]any), "caller")
			}
			text, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			again := encode(t, call(chat.User("hi"), decode(t, body).Message()))
			wiretest.WantAt(t, again, string(text), "messages", 1, "content")
		})
	}
}

// Case C006: in a tool turn, thoughts go back as they came, and in front.
func TestThoughtsOfAToolTurnGoBackUnchanged(t *testing.T) {
	t.Parallel()
	c := call(
		chat.User("weather in Oslo"),
		wiretest.Said(thought("Need the tool.\n  ", "EqQBCkYIARgC=="), redacted("EmwKAhgBEgy3=="), chat.Text{Text: "Checking."},
			wiretest.ToolCall("toolu_1", "get_weather", `{"city":"Oslo"}`)),
		chat.Results(chat.TextResult("toolu_1", "4 C")),
	)
	body := encode(t, c)
	wiretest.WantAt(t, body, `[
		{"type":"thinking","thinking":"Need the tool.\n  ","signature":"EqQBCkYIARgC=="},
		{"type":"redacted_thinking","data":"EmwKAhgBEgy3=="},
		{"type":"text","text":"Checking."},
		{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]`, "messages", 1, "content")
	wiretest.WantAt(t, body, `"user"`, "messages", 2, "role")
	wiretest.WantAt(t, body, `"toolu_1"`, "messages", 2, "content", 0, "tool_use_id")
}

func TestThoughtsThatCannotGoBackAreLeftOut(t *testing.T) {
	t.Parallel()
	foreign := chat.Thinking{Text: "hm", Signature: chat.Signature{Kind: "reasoning_content"}}
	body := encode(t, call(
		chat.User("one"),
		wiretest.Said(chat.Thinking{Text: "unsigned"}, foreign, chat.Text{Text: "two"}),
		chat.User("three"),
		wiretest.Said(chat.Thinking{Text: "nothing but this"}),
		chat.User("four"),
	))
	wiretest.WantAt(t, body, `[
		{"role":"user","content":[{"type":"text","text":"one"}]},
		{"role":"assistant","content":[{"type":"text","text":"two"}]},
		{"role":"user","content":[{"type":"text","text":"three"},{"type":"text","text":"four"}]}]`, "messages")
}

// Case C021: what the model wrote is no JSON, but an object has to go back.
func TestUnsoundArgumentsGoBackInAnObject(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ args, want string }{
		"sound":          {` {"a": 1}`, `{"a":1}`},
		"big number":     {`{"n":9007199254740993}`, `{"n":9007199254740993}`},
		"nothing":        {"", `{}`},
		"blank":          {" \n", `{}`},
		"null":           {"null", `{}`},
		"missing quote":  {`{"level": high"}`, `{"INVALID_JSON":"{\"level\": high\"}"}`},
		"cut off":        {`{"level":"hi`, `{"INVALID_JSON":"{\"level\":\"hi"}`},
		"a list":         {`[1]`, `{"INVALID_JSON":"[1]"}`},
		"bare text":      {`"high"`, `{"INVALID_JSON":"\"high\""}`},
		"more than one":  {`{}{}`, `{"INVALID_JSON":"{}{}"}`},
		"not even UTF-8": {"{\xff", `{"INVALID_JSON":"{�"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, call(chat.User("turn it up"), wiretest.Said(wiretest.ToolCall("toolu_1", "act", tt.args))))
			wiretest.WantAt(t, body, tt.want, "messages", 1, "content", 0, "input")
		})
	}
}

// Case C037: results that come as messages of their own all belong into the
// one message that follows the calls, in front of whatever else is in it.
func TestResultsOfATurnAreOneMessage(t *testing.T) {
	t.Parallel()
	ask, turn := chat.User("weather in both"), wiretest.Said(
		wiretest.ToolCall("toolu_1", "get_weather", `{"city":"Oslo"}`), wiretest.ToolCall("toolu_2", "get_weather", `{"city":"Bergen"}`),
	)
	one, two := chat.TextResult("toolu_1", "4 C"), chat.ErrorResult("toolu_2", "station offline")
	short := chat.User("in short please")
	image := wiretest.Asked(chat.Image{URL: "https://x.example/map.png"})
	const (
		result1 = `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"4 C"}]}`
		result2 = `{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"station offline"}],"is_error":true}`
		brief   = `{"type":"text","text":"in short please"}`
	)
	tests := map[string]struct {
		history []chat.Message
		want    string
	}{
		"one message each":        {[]chat.Message{chat.Results(one), chat.Results(two), short}, result1 + "," + result2 + "," + brief},
		"one message":             {[]chat.Message{chat.Results(one, two), short}, result1 + "," + result2 + "," + brief},
		"in the order of calls":   {[]chat.Message{chat.Results(two), chat.Results(one)}, result1 + "," + result2},
		"user speaks in between":  {[]chat.Message{chat.Results(two), short, chat.Results(one)}, result1 + "," + result2 + "," + brief},
		"in the user's message":   {[]chat.Message{wiretest.Asked(chat.Text{Text: "in short please"}, two, one)}, result1 + "," + result2 + "," + brief},
		"without a call, at last": {[]chat.Message{chat.Results(chat.TextResult("toolu_9", ""), two, one)}, result1 + "," + result2 + `,{"type":"tool_result","tool_use_id":"toolu_9"}`},
		"an image comes after":    {[]chat.Message{image, chat.Results(one, two)}, result1 + "," + result2 + `,{"type":"image","source":{"type":"url","url":"https://x.example/map.png"}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, call(append([]chat.Message{ask, turn}, tt.history...)...))
			wiretest.WantAt(t, body, `"user"`, "messages", 2, "role")
			wiretest.WantAt(t, body, "["+tt.want+"]", "messages", 2, "content")
			if n := len(wiretest.At(t, wiretest.Tree(t, body), "messages").([]any)); n != 3 {
				t.Errorf("%d messages: %s", n, body)
			}
		})
	}
}

// Each turn's results are put in the order of that turn's calls.
func TestResultsFollowTheirOwnTurn(t *testing.T) {
	t.Parallel()
	body := encode(t, call(
		chat.User("go"),
		wiretest.Said(wiretest.ToolCall("a", "f", "{}"), wiretest.ToolCall("b", "f", "{}")), chat.Results(chat.TextResult("b", "1"), chat.TextResult("a", "2")),
		wiretest.Said(wiretest.ToolCall("b2", "f", "{}"), wiretest.ToolCall("a2", "f", "{}")), chat.Results(chat.TextResult("a2", "3"), chat.TextResult("b2", "4")),
	))
	for i, want := range map[int][]string{2: {"a", "b"}, 4: {"b2", "a2"}} {
		for j, id := range want {
			wiretest.WantAt(t, body, `"`+id+`"`, "messages", i, "content", j, "tool_use_id")
		}
	}
}

// Case C038: blocks without visible text are refused, even those that the API
// wrote itself.
func TestEmptyTextIsLeftOut(t *testing.T) {
	t.Parallel()
	body := encode(t, call(
		wiretest.Asked(chat.Text{Text: "clear it"}, chat.Text{Text: " \n\t"}),
		wiretest.Said(chat.Text{}, wiretest.ToolCall("toolu_1", "clear", "{}")),
		chat.Results(chat.TextResult("toolu_1", "")),
		wiretest.Said(chat.Text{Text: "\n\n"}),
		chat.User(""),
		chat.Results(chat.ErrorResult("toolu_2", " ")),
	))
	wiretest.WantAt(t, body, `[
		{"role":"user","content":[{"type":"text","text":"clear it"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"clear","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"},{"type":"tool_result","tool_use_id":"toolu_2","is_error":true}]}]`,
		"messages")
}

// Case C039: a picture from a tool is sent as a picture.
func TestToolReturnsAnImage(t *testing.T) {
	t.Parallel()
	png := []byte("\x89PNG\r\n\x1a\n")
	body := encode(t, call(
		chat.User("take a screenshot"),
		wiretest.Said(wiretest.ToolCall("toolu_1", "shot", "{}")),
		chat.Results(chat.ToolResult{CallID: "toolu_1", Parts: []chat.Part{
			chat.Text{Text: "captured"}, chat.Text{}, chat.Image{MediaType: "image/png", Data: png},
		}}),
	))
	wiretest.WantAt(t, body, `[{"type":"text","text":"captured"},
		{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]`, "messages", 2, "content", 0, "content")
}

func TestConversationThatBeginsWithTheModel(t *testing.T) {
	t.Parallel()
	body := encode(t, call(chat.Assistant("Hello."), chat.User("hi")))
	wiretest.WantAt(t, body, `"assistant"`, "messages", 0, "role")
}

func TestTextSurvivesTheWire(t *testing.T) {
	t.Parallel()
	text := "<b>&\u2028 “é” \U0001F600 \x00\x1f\\ \"" + strings.Repeat("long ", 1000)
	body := encode(t, call(chat.User(text)))
	if got := wiretest.At(t, wiretest.Tree(t, body), "messages", 0, "content", 0, "text"); got != text {
		t.Errorf("got %q", got)
	}
}
