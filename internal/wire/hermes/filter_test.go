package hermes_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/hermes"
	"github.com/sabir-go/sabir/internal/wire/thinktags"
)

// read is what becomes of a text that comes in pieces. An empty finish means
// that the stream broke off.
func read(finish chat.FinishReason, filters []wire.TextFilter, pieces ...string) (*chat.Reply, []chat.Event) {
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(filters...)
	events := make([]chat.Event, 0, len(pieces))
	for _, p := range pieces {
		b := []byte(p)
		a.Text(wire.TextSlot, b)
		events = append(events, a.Drain()...)
		clear(b) // the piece is gone once Text has returned
	}
	if finish != "" {
		a.Finish(finish, string(finish))
		a.End()
	}
	events = append(events, a.Flush()...)
	return a.Reply(), events
}

func both() []wire.TextFilter {
	return []wire.TextFilter{thinktags.NewFilter(), hermes.NewFilter(hermes.Template{})}
}

// outcome is a reply in one line: thoughts, text, calls and how it ended.
func outcome(r *chat.Reply) string {
	var b strings.Builder
	if t := r.Thoughts(); t != "" {
		fmt.Fprintf(&b, "(%s)", t)
	}
	fmt.Fprintf(&b, "%q", r.Text())
	for _, c := range r.ToolCalls() {
		fmt.Fprintf(&b, " %s%s", c.Name, c.Arguments)
	}
	return b.String() + " " + string(r.Finish)
}

// seen is what a reader of the events alone makes of them.
func seen(t *testing.T, events []chat.Event) (text string, calls []string) {
	t.Helper()
	for _, ev := range events {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.ToolCallStart:
			if ev.Index != len(calls) || ev.ID == "" || ev.Name == "" {
				t.Errorf("start of call %d as %+v", len(calls), ev)
			}
			calls = append(calls, ev.Name)
		case chat.ToolCallDelta:
			calls[ev.Index] += ev.Arguments
		case chat.ThinkingDelta, chat.ToolCallDone, chat.Done:
		}
	}
	return text, calls
}

// everySplit reads a text whole, byte by byte and cut in two at every place.
// The outcome must be the same, and the events must say what the reply says.
func everySplit(t *testing.T, finish chat.FinishReason, text string) string {
	t.Helper()
	r, events := read(finish, both(), text)
	want := outcome(r)
	check := func(how string, r *chat.Reply, events []chat.Event) {
		t.Helper()
		if got := outcome(r); got != want {
			t.Errorf("%s: %s, whole: %s", how, got, want)
		}
		said, calls := seen(t, events)
		if said != r.Text() {
			t.Errorf("%s: text deltas %q, reply %q", how, said, r.Text())
		}
		for i, c := range r.ToolCalls() {
			if i >= len(calls) || calls[i] != c.Name+string(c.Arguments) && calls[i]+"{}" != c.Name+string(c.Arguments) {
				t.Errorf("%s: call deltas %v, reply %s", how, calls, want)
			}
		}
	}
	check("whole", r, events)
	r, events = read(finish, both(), strings.Split(text, "")...)
	check("letter by letter", r, events)
	for i := range len(text) {
		r, events = read(finish, both(), text[:i], text[i:])
		check(fmt.Sprint("cut at ", i), r, events)
	}
	return want
}

const tide = `{"name": "tide", "arguments": {"at": "Sorrel Bar"}}`

func TestFilter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"no tags":           {" Kittiwake < C7 <tool> \n", `" Kittiwake < C7 <tool> \n" stop`},
		"only white space":  {" \n ", `" \n " stop`},
		"one call":          {"<tool_call>\n" + tide + "\n</tool_call>", `"" tide{"at": "Sorrel Bar"} tool_calls`},
		"text before":       {"Looking. \n\n<tool_call>" + tide + "</tool_call>\n", `"Looking." tide{"at": "Sorrel Bar"} tool_calls`},
		"text after":        {" <tool_call>" + tide + "</tool_call>\n\nLooking.\n", `"Looking.\n" tide{"at": "Sorrel Bar"} tool_calls`},
		"text on all sides": {"A\n<tool_call>" + tide + "</tool_call>\n\nB <tool_call>" + tide + "</tool_call>C", `"A\nB C" tide{"at": "Sorrel Bar"} tide{"at": "Sorrel Bar"} tool_calls`},
		"two calls": {
			"<tool_call>" + tide + "</tool_call>\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>",
			`"" tide{"at": "Sorrel Bar"} now{} tool_calls`,
		},
		"two in one tag": {
			"<tool_call>" + tide + "\n{\"name\":\"now\"}\n</tool_call>", `"" tide{"at": "Sorrel Bar"} now{} tool_calls`,
		},
		"a list": {
			"<tool_call>[" + tide + ",\n{\"name\":\"now\"}]</tool_call>", `"" tide{"at": "Sorrel Bar"} now{} tool_calls`,
		},
		"closing tag inside of a string": {
			"Writing.\n<tool_call>\n{\"name\": \"write\", \"arguments\": {\"text\": \"ends with </tool_call> and {\\\"x\\\": 1}\"}}\n</tool_call>\n<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>",
			`"Writing." write{"text": "ends with </tool_call> and {\"x\": 1}"} now{} tool_calls`,
		},
		"opening tag inside of a string": {
			`<tool_call>{"name":"f","arguments":{"a":"<tool_call>{\"name\":\"g\"}"}}</tool_call>`,
			`"" f{"a":"<tool_call>{\"name\":\"g\"}"} tool_calls`,
		},
		"arguments as a string":    {`<tool_call>{"name":"f","arguments":"{\"a\": [1]}"}</tool_call>`, `"" f{"a": [1]} tool_calls`},
		"arguments of words":       {`<tool_call>{"name":"f","arguments":"a lot"}</tool_call>`, `"" f"a lot" tool_calls`},
		"arguments null":           {`<tool_call>{"arguments":null,"name":"f"}</tool_call>`, `"" f{} tool_calls`},
		"parameters":               {`<tool_call>{"name":"f","parameters":{"a":1}}</tool_call>`, `"" f{"a":1} tool_calls`},
		"wrapped as OpenAI does":   {`<tool_call>{"type":"function","function":{"name":"f","arguments":{"a":1}}}</tool_call>`, `"" f{"a":1} tool_calls`},
		"a big number and unicode": {`<tool_call>{"name":"f","arguments":{"z":12345678901234567890,"a":"é\u00e9"}}</tool_call>`, `"" f{"z":12345678901234567890,"a":"é\u00e9"} tool_calls`},
		"a bracket too many":       {"<tool_call>" + tide + "}\n</tool_call>", `"" tide{"at": "Sorrel Bar"} tool_calls`},
		"words behind the JSON":    {"<tool_call>" + tide + " I'll wait.</tool_call>", `"I'll wait." tide{"at": "Sorrel Bar"} tool_calls`},
		"never closed":             {"Looking. <tool_call>" + tide, `"Looking." tide{"at": "Sorrel Bar"} tool_calls`},
		"half closed":              {"<tool_call>" + tide + "\n</tool_c", `"" tide{"at": "Sorrel Bar"} tool_calls`},
		"opened instead of closed": {"<tool_call>" + tide + "<tool_call>" + tide + "<tool_call>", `"<tool_call>" tide{"at": "Sorrel Bar"} tide{"at": "Sorrel Bar"} malformed_call`},
		"half a tag at the end":    {"a <tool_cal", `"a <tool_cal" stop`},
		"a tag in backticks":       {"Write `<tool_call>` and {} between `</tool_call>`.", "\"Write `<tool_call>` and {} between `</tool_call>`.\" stop"},
		"a tag as a word":          {"The <tool_call> tag opens a call.", `"The <tool_call> tag opens a call." stop`},
		"a word, then a call":      {"I use <tool_call> now: <tool_call>" + tide + "</tool_call>", `"I use <tool_call> now:" tide{"at": "Sorrel Bar"} tool_calls`},
		"a closing tag alone":      {"a </tool_call> b", `"a </tool_call> b" stop`},
		"thoughts first":           {"<think>\nCall <tool_call>" + tide + "</tool_call>?\n</think>\n\nNo.", `(Call <tool_call>` + tide + `</tool_call>?)"No." stop`},
		"thoughts, then a call":    {"<think>hm</think>\n<tool_call>" + tide + "</tool_call>", `(hm)"" tide{"at": "Sorrel Bar"} tool_calls`},
		"thoughts in the middle": {
			"Well.\n <think>or <tool_call>" + tide + "</tool_call></think>\n<tool_call>{\"name\":\"now\"}</tool_call>",
			`"Well.\n <think>or <tool_call>{\"name\": \"tide\", \"arguments\": {\"at\": \"Sorrel Bar\"}}</tool_call></think>" now{} tool_calls`,
		},
		"the word think": {"The <think> tag. <tool_call>" + tide + "</tool_call>", `"The <think> tag." tide{"at": "Sorrel Bar"} tool_calls`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := everySplit(t, chat.FinishStop, tt.text); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestMalformed: a call that can't be read stays text, and the finish says so.
func TestMalformed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no name":             `<tool_call>{"arguments":{}}</tool_call>`,
		"an empty name":       `<tool_call>{"name":"","arguments":{}}</tool_call>`,
		"a name that is none": `<tool_call>{"name":7,"arguments":{}}</tool_call>`,
		"one of a list":       `<tool_call>[{"name":"f"},{}]</tool_call>`,
		"an empty list":       `<tool_call>[]</tool_call>`,
		"a list of words":     `<tool_call>["f"]</tool_call>`,
		"no JSON":             `<tool_call>f(a=1)</tool_call>`,
		"nothing":             `<tool_call> </tool_call>`,
		"nothing at the end":  `<tool_call>`,
		"broken":              `<tool_call>{"name":"f","arguments":{"a":}}</tool_call>`,
		"single quotes":       `<tool_call>{'name':'f'}</tool_call>`,
		"a bracket too few":   `<tool_call>{"name":"f","arguments":{"a":1}</tool_call>`,
		"a line in a string":  "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"b\nc\"}}</tool_call>",
		"a string left open":  `<tool_call>{"name":"f","arguments":{"a":"b}}</tool_call>`,
		"half of it":          `<tool_call>{"name":"f","argum`,
		"another kind of tag": `<tool_call><function=f></function></tool_call>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, want := everySplit(t, chat.FinishStop, text), fmt.Sprintf("%q malformed_call", text); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			around := "Well. " + text + "</tool_call> Done."
			if got := everySplit(t, chat.FinishToolCalls, around); !strings.HasPrefix(got, `"Well. `) || !strings.HasSuffix(got, " malformed_call") {
				t.Errorf("in a text: %s", got)
			}
			with := "<tool_call>" + tide + "</tool_call> " + text
			if got := everySplit(t, chat.FinishStop, with); !strings.Contains(got, ` tide{"at": "Sorrel Bar"}`) || !strings.HasSuffix(got, " malformed_call") {
				t.Errorf("beside a call: %s", got)
			}
		})
	}
}

// TestCut: where the reply breaks off inside of a call, that is no fault of the
// model's. The call is there as far as it goes, and can't be run.
func TestCut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"in the arguments":          {`Saving. <tool_call>{"name":"save","arguments":{"text":"first li`, `"Saving." save{"text":"first li`},
		"in arguments as a string":  {`<tool_call>{"name":"save","arguments":"{\"text\":`, `"" save"{\"text\":`},
		"behind the arguments":      {`<tool_call>{"name":"save","arguments":{"text":"x"}`, `"" save{"text":"x"}`},
		"arguments before the name": {`<tool_call>{"arguments":{"text":"x"},"na`, `"<tool_call>{\"arguments\":{\"text\":\"x\"},\"na"`},
		"in the name":               {`<tool_call>{"name":"sa`, `"<tool_call>{\"name\":\"sa"`},
		"behind the name":           {`<tool_call>{"name":"save","arguments":`, `"<tool_call>{\"name\":\"save\",\"arguments\":"`},
		"in the tag":                {`a <tool_c`, `"a <tool_c"`},
		"behind the tag":            {`a <tool_call>`, `"a <tool_call>"`},
		"in a list":                 {`<tool_call>[{"name":"f"},`, `"<tool_call>[{\"name\":\"f\"},"`},
		"in what is broken anyway":  {`<tool_call>{"name":"f" <b`, `"<tool_call>{\"name\":\"f\" <b"`},
		"behind a call":             {`<tool_call>{"name":"f"}</tool_call> an`, `"an" f{}`},
		"in another call":           {`<tool_call>{"name":"f"}</tool_call><tool_call>{"name":"g","arguments":{`, `"" f{} g{`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := everySplit(t, chat.FinishLength, tt.text); got != tt.want+" length" {
				t.Errorf("\n got %s\nwant %s length", got, tt.want)
			}
			r, _ := read("", both(), tt.text) // a stream that ended too soon
			if got := outcome(r); !strings.HasPrefix(got, tt.want) || r.Finish == chat.FinishMalformed {
				t.Errorf("broken off: %s", got)
			}
			for _, c := range r.ToolCalls() {
				if strings.HasPrefix(name, "in the arg") && c.Sound() {
					t.Errorf("%s%s looks as if it could be run", c.Name, c.Arguments)
				}
			}
		})
	}
}

// TestReportedAtOnce: text and calls are passed on as soon as they are sure.
func TestReportedAtOnce(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(hermes.NewFilter(hermes.Template{}))
	for _, step := range []struct {
		piece string
		want  []chat.Event
	}{
		{"Look", []chat.Event{chat.TextDelta{Text: "Look"}}},
		{"ing ", []chat.Event{chat.TextDelta{Text: "ing"}}},
		{"now", []chat.Event{chat.TextDelta{Text: " now"}}},
		{".\n<tool", []chat.Event{chat.TextDelta{Text: "."}}},
		{`_call>{"name":"f"`, nil},
		{`}`, []chat.Event{chat.ToolCallStart{Name: "f"}}},
		{"</tool_call>\n", nil},
	} {
		a.Text(wire.TextSlot, []byte(step.piece))
		got := slices.Clone(a.Drain())
		for i, ev := range got {
			if s, ok := ev.(chat.ToolCallStart); ok {
				s.ID = ""
				got[i] = s
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("after %q: %+v, want %+v", step.piece, got, step.want)
		}
	}
	if left := a.Flush(); len(left) > 0 {
		t.Errorf("left at the end: %+v", left)
	}
}

func TestOtherTags(t *testing.T) {
	t.Parallel()
	f := hermes.NewFilter(hermes.Template{Call: "call", Think: "ponder"})
	r, _ := read(chat.FinishStop, []wire.TextFilter{f},
		"<ponder><call>{\"name\":\"a\"}</call></ponder><call>{\"name\":\"b\"}</call><tool_call>{}</tool_call>")
	if got := outcome(r); got != `"<ponder><call>{\"name\":\"a\"}</call></ponder><tool_call>{}</tool_call>" b{} tool_calls` {
		t.Errorf("got %s", got)
	}
}

// TestNativeCallsBeside: calls that the server read itself and calls in words
// don't get into each other's way.
func TestNativeCallsBeside(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(hermes.NewFilter(hermes.Template{}))
	a.Args(a.CallSlot(wire.CallKey{HasIndex: true, ID: []byte("x"), Name: []byte("native")}), []byte(`{"n":1}`))
	a.Text(wire.TextSlot, []byte(`<tool_call>{"name":"worded","arguments":{}}</tool_call>`))
	a.Finish(chat.FinishStop, "stop")
	a.End()
	if got := outcome(a.Reply()); got != `"" native{"n":1} worded{} tool_calls` {
		t.Errorf("got %s", got)
	}
}

// TestLimit: what a filter holds back is bounded as the reply is.
func TestLimit(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{Reply: 1000})
	a.Filter(hermes.NewFilter(hermes.Template{}))
	a.Text(wire.TextSlot, []byte(`<tool_call>{"name":"f","arguments":{"a":"`))
	for range 100 {
		a.Text(wire.TextSlot, []byte("eleven more"))
	}
	if a.Err() == nil {
		t.Error("1100 bytes are held where 1000 are allowed")
	}
}

// TestLinear reads the worst that can be thought of, ten megabytes of each, in
// small pieces. What isn't linear would take hours.
func TestLinear(t *testing.T) {
	t.Parallel()
	const size = 10 << 20
	for name, unit := range map[string]string{
		"beginnings of tags":        "<tool_cal",
		"opening tags":              "<tool_call>",
		"calls":                     `<tool_call>{"name":"f","arguments":{"a":"` + strings.Repeat("0123456789", 200) + `"}}</tool_call>`,
		"strings with closing tags": `<tool_call>{"</tool_call>"`,
		"brackets":                  "<tool_call>{[",
		"white space":               " \n",
		"white space and thoughts":  "\n<think>\n",
		"broken calls":              `<tool_call>{"name":"f" </tool_call> `,
		"closing tags":              "</tool_call>",
	} {
		start := time.Now()
		text := strings.Repeat(unit, size/len(unit))
		r, _ := read(chat.FinishStop, both(), slices.Collect(chunks(text, 1021))...)
		if d := time.Since(start); d > time.Minute || r == nil {
			t.Errorf("%s: %v", name, d)
		}
	}
}

// chunks cuts a text into pieces of n bytes.
func chunks(s string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(s) > n {
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
		yield(s)
	}
}
