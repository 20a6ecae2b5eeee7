package gemini_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// Case C007: two calls of one tool without ids, the token on the first.
func TestParallelCallsSaidBack(t *testing.T) {
	t.Parallel()
	turn := decode(t, saying("STOP",
		`{"functionCall":{"name":"get_weather","args":{"city":"Oslo"}},"thoughtSignature":"c2lnLUE="}`,
		`{"functionCall":{"name":"get_weather","args":{"city":"Bergen"}}}`))
	calls := turn.ToolCalls()
	if len(calls) != 2 || calls[0].ID == calls[1].ID {
		t.Fatalf("got %+v", calls)
	}
	c := call(chat.User("weather in Oslo and Bergen"), turn.Message(),
		chat.Results(chat.TextResult(calls[1].ID, "7 C")), // the faster one
		chat.Results(chat.TextResult(calls[0].ID, "4 C")))
	c.Quirks.CallSignature = sentinel
	wiretest.WantAt(t, encode(t, c), `[
		{"role":"user","parts":[{"text":"weather in Oslo and Bergen"}]},
		{"role":"model","parts":[
			{"functionCall":{"name":"get_weather","args":{"city":"Oslo"}},"thoughtSignature":"c2lnLUE="},
			{"functionCall":{"name":"get_weather","args":{"city":"Bergen"}}}]},
		{"role":"user","parts":[
			{"functionResponse":{"name":"get_weather","response":{"output":"4 C"}}},
			{"functionResponse":{"name":"get_weather","response":{"output":"7 C"}}}]}]`, "contents")
}

// Every fixture's turn goes back with its tokens on their very parts.
func TestSaysBackWhatWasSigned(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"text", "structured-output", "thinking", "tool-call", "tool-call-with-text", "tool-calls-parallel", "tool-call-no-id",
		"max-tokens-thought-only",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := wiretest.Read(t, "fixtures", name, "reply.json")
			want, _ := json.Marshal(wiretest.At(t, wiretest.Tree(t, body), "candidates", 0, "content", "parts"))
			wiretest.WantAt(t, encode(t, call(chat.User("hi"), decode(t, body).Message())), string(want), "contents", 1, "parts")
		})
	}
}

func TestTokenOnAnEmptyPart(t *testing.T) {
	t.Parallel()
	parts := []string{
		`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"a"}`,
		`{"text":"","thoughtSignature":"b"}`,
		`{"text":"","thoughtSignature":"c"}`,
		`{"text":"hm","thought":true,"thoughtSignature":"d"}`,
		`{"text":"","thought":true,"thoughtSignature":"e"}`,
	}
	turn := decode(t, saying("STOP", parts...)).Message()
	wiretest.WantAt(t, encode(t, call(chat.User("hi"), turn)), "["+strings.Join(parts, ",")+"]", "contents", 1, "parts")
}

func TestCallsWithoutAToken(t *testing.T) {
	t.Parallel()
	foreign := func(id string) chat.ToolCall { return wiretest.ToolCall(id, "f", "{}") }
	result := func(id string) chat.Message { return chat.Results(chat.TextResult(id, "ok")) }
	for _, tt := range []struct {
		name string
		ms   []chat.Message
		want string // per call: its token, or a dash
	}{
		{"one step", []chat.Message{chat.User("x"), wiretest.Said(foreign("a")), result("a")}, sentinel},
		{"two steps", []chat.Message{chat.User("x"), wiretest.Said(foreign("a")), result("a"), wiretest.Said(foreign("b")), result("b")}, sentinel + " " + sentinel},
		{"side by side, only the first", []chat.Message{chat.User("x"), wiretest.Said(foreign("a"), foreign("b")), result("a"), result("b")}, sentinel + " -"},
		{"of an earlier turn", []chat.Message{chat.User("x"), wiretest.Said(foreign("a")), result("a"), chat.Assistant("ok"), chat.User("y")}, "-"},
		{"of this turn and an earlier one", []chat.Message{
			chat.User("x"), wiretest.Said(foreign("a")), result("a"), chat.Assistant("ok"), chat.User("y"), wiretest.Said(foreign("b")), result("b"),
		}, "- " + sentinel},
		{"words beside the result", []chat.Message{chat.User("x"), wiretest.Said(foreign("a")), result("a"), chat.User("hurry")}, sentinel},
		{"its own, then a foreign one", []chat.Message{chat.User("x"), wiretest.Said(signed("a", "f", "{}", "own")), result("a"), wiretest.Said(foreign("b")), result("b")}, "own " + sentinel},
		{"its own, the second without", []chat.Message{chat.User("x"), wiretest.Said(signed("a", "f", "{}", "own"), foreign("b")), result("a"), result("b")}, "own -"},
		{"no user before", []chat.Message{wiretest.Said(foreign("a")), result("a")}, sentinel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := call(tt.ms...)
			c.Quirks.CallSignature = sentinel
			if got := tokens(t, encode(t, c)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			c.Quirks.CallSignature = ""
			if got, want := tokens(t, encode(t, c)), strings.ReplaceAll(tt.want, sentinel, "-"); got != want {
				t.Errorf("without the quirk: got %s, want %s", got, want)
			}
		})
	}
}

// tokens lists the token of each call in a body.
func tokens(t *testing.T, body string) string {
	t.Helper()
	var out []string
	contents, _ := wiretest.At(t, wiretest.Tree(t, body), "contents").([]any)
	for _, content := range contents {
		parts, _ := wiretest.At(t, content, "parts").([]any)
		for _, p := range parts {
			if wiretest.At(t, p, "functionCall") == nil {
				continue
			}
			token, ok := wiretest.At(t, p, "thoughtSignature").(string)
			if !ok {
				token = "-"
			}
			out = append(out, token)
		}
	}
	return strings.Join(out, " ")
}

func TestForeignPartsStayHome(t *testing.T) {
	t.Parallel()
	other := chat.Signature{Kind: "signature", Data: "s"}
	c := wiretest.ToolCall("toolu_1", "f", `{"n":9007199254740993}`)
	c.Signature = other
	body := encode(t, call(
		chat.User("hi"),
		wiretest.Said(chat.Thinking{Text: "hm"}, chat.Thinking{Text: "hm", Signature: other}, chat.Text{Text: "so", Signature: other}, c),
		chat.Results(chat.TextResult("toolu_1", "ok")),
	))
	wiretest.WantAt(t, body, `[{"text":"so"},{"functionCall":{"name":"f","args":{"n":9007199254740993}}}]`, "contents", 1, "parts")
	wiretest.WantAt(t, body, `[{"functionResponse":{"name":"f","response":{"output":"ok"}}}]`, "contents", 2, "parts")
}

func TestTurnsAlternate(t *testing.T) {
	t.Parallel()
	body := encode(t, call(
		chat.System("Be brief."), chat.System(""), chat.System("Be kind."),
		chat.User("one"), chat.User(""), chat.User("two"),
		chat.Assistant(""), wiretest.Said(), // nothing said: the user goes on
		chat.System("Answer in Irish."), chat.User("three"),
		chat.Assistant("a haon"), chat.Assistant("a dó"), wiretest.Said(wiretest.ToolCall("x", "f", "")),
		chat.User("wait"), chat.Results(chat.ErrorResult("x", "")),
	))
	wiretest.WantAt(t, body, `{"role":"user","parts":[{"text":"Be brief."},{"text":"Be kind."}]}`, "systemInstruction")
	wiretest.WantAt(t, body, `[
		{"role":"user","parts":[{"text":"one"},{"text":"two"},{"text":"Answer in Irish."},{"text":"three"}]},
		{"role":"model","parts":[{"text":"a haon"},{"text":"a dó"},{"functionCall":{"name":"f","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":""}}},{"text":"wait"}]}]`, "contents")
}

func TestResults(t *testing.T) {
	t.Parallel()
	pdf := chat.File{MediaType: "application/pdf", URL: "gs://b/x.pdf"}
	text := func(s string) []chat.Part { return []chat.Part{chat.Text{Text: s}} }
	for _, tt := range []struct {
		name  string
		parts []chat.Part
		want  string // of functionResponse, behind its name
	}{
		{"words", text("05:52"), `"response":{"output":"05:52"}`},
		{"nothing", nil, `"response":{"output":""}`},
		{"several texts", []chat.Part{chat.Text{Text: "a"}, chat.Text{}, chat.Text{Text: "b"}}, `"response":{"output":"a\nb"}`},
		{"an object", text(` {"a":[1.5,"}{"],"b":"12345678901234567890"} `), `"response":{"output":{"a":[1.5,"}{"],"b":"12345678901234567890"}}`},
		{"a list", text(`[1,"\"12345678901234567"]`), `"response":{"output":[1,"\"12345678901234567"]}`},
		{"a number alone stays text", text(`12`), `"response":{"output":"12"}`},
		{"digits that a float loses", text(`{"id":9007199254740993}`), `"response":{"output":"{\"id\":9007199254740993}"}`},
		{"nearly JSON", text(`{"a":1,}`), `"response":{"output":"{\"a\":1,}"}`},
		{"nested too deeply", text(strings.Repeat("[", 60) + strings.Repeat("]", 60)), `"response":{"output":"` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `"}`},
		{"a picture", []chat.Part{chat.Image{MediaType: "image/png", Data: []byte{1}}}, `"response":{"output":""},"parts":[{"inlineData":{"mimeType":"image/png","data":"AQ=="}}]`},
		{
			"words, a file, a sound",
			[]chat.Part{pdf, chat.Text{Text: "see"}, chat.Audio{MediaType: "audio/wav", Data: []byte{1}}},
			`"response":{"output":"see"},"parts":[{"fileData":{"mimeType":"application/pdf","fileUri":"gs://b/x.pdf"}},{"inlineData":{"mimeType":"audio/wav","data":"AQ=="}}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, call(chat.User("x"), wiretest.Said(wiretest.ToolCall("a", "f", "{}")), chat.Results(chat.ToolResult{CallID: "a", Parts: tt.parts})))
			wiretest.WantAt(t, body, `{"name":"f",`+tt.want+`}`, "contents", 2, "parts", 0, "functionResponse")
		})
	}
}

func TestResultNamesItsTool(t *testing.T) {
	t.Parallel()
	named := chat.ToolResult{CallID: "gone", Name: "g", Parts: []chat.Part{chat.Text{Text: "x"}}}
	body := encode(t, call(chat.User("x"), wiretest.Said(wiretest.ToolCall("a", "f", "{}")), chat.Results(named, chat.TextResult("a", "y"))))
	wiretest.WantAt(t, body, `[{"functionResponse":{"name":"f","response":{"output":"y"}}},
		{"functionResponse":{"name":"g","response":{"output":"x"}}}]`, "contents", 2, "parts")
}

// The API takes nothing but an object as arguments.
func TestUnsoundArgumentsGoWrapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{``, `{}`},
		{`null`, `{}`},
		{` {"a":1} `, `{"a":1}`},
		{`{"a":"fir`, `{"INVALID_JSON":"{\"a\":\"fir"}`},
		{`[1]`, `{"INVALID_JSON":"[1]"}`},
		{`"x"`, `{"INVALID_JSON":"\"x\""}`},
	} {
		body := encode(t, call(chat.User("x"), wiretest.Said(wiretest.ToolCall("a", "f", tt.args)), chat.Results(chat.TextResult("a", "y"))))
		wiretest.WantAt(t, body, tt.want, "contents", 1, "parts", 0, "functionCall", "args")
	}
}

func TestMedia(t *testing.T) {
	t.Parallel()
	body := encode(t, call(wiretest.Asked(
		chat.Image{URL: "https://harbour.example/plan.png"},
		chat.Image{MediaType: "image/png", URL: "gs://b/plan.png", Detail: "low"},
		chat.File{MediaType: "text/plain", Data: []byte("hi")},
		chat.File{ID: "files/1", URL: "ignored"},
	)))
	wiretest.WantAt(t, body, `[{"fileData":{"fileUri":"https://harbour.example/plan.png"}},
		{"fileData":{"mimeType":"image/png","fileUri":"gs://b/plan.png"}},
		{"inlineData":{"mimeType":"text/plain","data":"aGk="}},
		{"fileData":{"fileUri":"files/1"}}]`, "contents", 0, "parts")
}

// A reply that was broken off goes on from the contents that it answered.
func TestResumesABrokenOffReply(t *testing.T) {
	t.Parallel()
	first := decode(t, wiretest.Read(t, "fixtures", "continuation", "reply.json"))
	if first.Finish != chat.FinishPaused || first.Text() != "Kittiwake can lie on C7 tonig" {
		t.Fatalf("got %s %q", first.Finish, first.Text())
	}
	const token = `"CLOCsvLvFif6iX8vnURclIMdg2i1g5IM0T6n6H3zh50lUIM7uD7dS9uo6jqcl28V"`
	second := wiretest.Said(chat.Text{Text: "ht; the lock"}, chat.Thinking{Signature: chat.Signature{Kind: "continuation_token", Data: "second"}})
	for _, tt := range []struct {
		name     string
		ms       []chat.Message
		contents string
		token    string
	}{
		{"once", []chat.Message{chat.User("hi"), first.Message()}, `[{"role":"user","parts":[{"text":"hi"}]}]`, token},
		{"twice: the latest token", []chat.Message{chat.User("hi"), first.Message(), second}, `[{"role":"user","parts":[{"text":"hi"}]}]`, `"second"`},
		{"not at all", []chat.Message{chat.User("hi"), first.Message(), chat.User("never mind")}, `[
			{"role":"user","parts":[{"text":"hi"}]}, {"role":"model","parts":[{"text":"Kittiwake can lie on C7 tonig"}]},
			{"role":"user","parts":[{"text":"never mind"}]}]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := encode(t, call(tt.ms...))
			wiretest.WantAt(t, body, tt.contents, "contents")
			wiretest.WantAt(t, body, tt.token, "continuationToken")
		})
	}
}

func TestTextSurvivesTheWire(t *testing.T) {
	t.Parallel()
	text := "<b>&\u2028 “é” \U0001F600 \x00\x1f\\ \"" + strings.Repeat("long ", 1000)
	body := encode(t, call(chat.User(text)))
	if got := wiretest.At(t, wiretest.Tree(t, body), "contents", 0, "parts", 0, "text"); got != text {
		t.Errorf("got %q", got)
	}
}

// A call is the caller's: encoding leaves it as it was.
func TestLeavesTheCallAlone(t *testing.T) {
	t.Parallel()
	c, want := withResults(), withResults()
	encode(t, c)
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
}

// withResults is a call whose results stand in another order than their calls.
func withResults() wire.Call {
	c := full()
	c.Messages = append(c.Messages, wiretest.Said(wiretest.ToolCall("a", "f", "{}"), wiretest.ToolCall("b", "f", "{}")),
		chat.Results(chat.TextResult("b", "2"), chat.TextResult("a", "1")))
	return c
}

func TestTheZeroCall(t *testing.T) {
	t.Parallel()
	if got := encode(t, wire.Call{}); got != `{"contents":[]}` {
		t.Errorf("got %s", got)
	}
}
