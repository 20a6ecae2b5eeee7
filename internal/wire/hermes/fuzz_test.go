package hermes_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/hermes"
	"github.com/sabir-go/sabir/toolchoice"
)

// FuzzFilter: however a text is cut into pieces, the reply is the same, and the
// events say what the reply says. A text without tags comes out as it went in.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		"plain", "A\n<tool_call>" + tide + "</tool_call> B", "<think>\nhm</think>\n\nyes", "`<tool_call>` <tool_call>{", "</tool_call",
		"<tool_call>[{\"name\":\"f\"}]]</tool_call>\n<tool_call>{\"name\":\"g\",\"arguments\":\"{}\"}", "\n<think>a<tool_call>",
		`<tool_call>{"name":"f","arguments":{"a":"</tool_call>"}} x</tool_call><tool_call>{"na`,
	} {
		for _, finish := range []string{"stop", "length", ""} {
			f.Add(s, finish, uint(3), uint(11))
		}
	}
	f.Fuzz(func(t *testing.T, text, finish string, i, j uint) {
		if finish != "" && finish != "length" {
			finish = "stop"
		}
		n := uint(len(text)) + 1
		i, j = min(i%n, j%n), max(i%n, j%n)
		whole, events := read(chat.FinishReason(finish), both(), text)
		agree(t, whole, events)
		for _, pieces := range [][]string{{text[:i], text[i:j], text[j:]}, cut(text, 1+int(i)), cut(text, 1)} {
			r, events := read(chat.FinishReason(finish), both(), pieces...)
			agree(t, r, events)
			if got, want := outcome(r), outcome(whole); got != want {
				t.Errorf("in %d pieces: %s, whole: %s", len(pieces), got, want)
			}
		}
		if !strings.Contains(text, "<") && whole.Text() != text {
			t.Errorf("got %q for %q", whole.Text(), text)
		}
	})
}

func cut(s string, n int) []string {
	var out []string
	for piece := range chunks(s, n) {
		out = append(out, piece)
	}
	return out
}

func agree(t *testing.T, r *chat.Reply, events []chat.Event) {
	t.Helper()
	text, calls := seen(t, events)
	if text != r.Text() || len(calls) != len(r.ToolCalls()) {
		t.Errorf("events say %q and %q, the reply %s", text, calls, outcome(r))
	}
}

// FuzzRoundTrip: whatever a call and its result hold, the model's own way to
// write them is read back as the same call, and no tag in it ends it early.
func FuzzRoundTrip(f *testing.F) {
	f.Add("f", `{"a":"</tool_call>"}`, "<tool_response>x</tool_response>")
	f.Add("g\"", `[1, "<tool_call>"]`, "{\"a\":\"</tool_response>\"}")
	f.Add("h", `{"cut`, "\x00")
	f.Fuzz(func(t *testing.T, name, args, result string) {
		if name == "" || !utf8.ValidString(name) || !utf8.ValidString(args) {
			return
		}
		call := chat.ToolCall{ID: "c", Name: name, Arguments: json.RawMessage(args)}
		c, err := hermes.Rewrite(wire.Call{Messages: []chat.Message{
			{Role: chat.RoleAssistant, Parts: []chat.Part{call}}, chat.Results(chat.TextResult("c", result)),
		}}, toolchoice.Choice{}, hermes.Template{})
		if err != nil {
			t.Fatal(err)
		}
		if said := c.Messages[1].Text(); strings.Count(said, "</tool_response>") != 1 || !strings.HasSuffix(said, "\n</tool_response>") {
			t.Errorf("a result as %s", said)
		}
		r, _ := read(chat.FinishStop, []wire.TextFilter{hermes.NewFilter(hermes.Template{})}, c.Messages[0].Text())
		calls := r.ToolCalls()
		if len(calls) != 1 || calls[0].Name != name || r.Text() != "" {
			t.Fatalf("%s read as %s", c.Messages[0].Text(), outcome(r))
		}
		if call.Sound() && !sameValue(calls[0].Arguments, call.Arguments) {
			t.Errorf("arguments %s read as %s", args, calls[0].Arguments)
		}
	})
}

func sameValue(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}
