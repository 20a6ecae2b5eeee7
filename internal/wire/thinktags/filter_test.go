package thinktags_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/openaichat"
	"github.com/sabir-go/sabir/internal/wire/thinktags"
)

var opened = thinktags.Tags{Opened: true}

// read is what becomes of a text that comes in pieces: thoughts, then text.
func read(tags []thinktags.Tags, pieces ...string) (outcome string, events []chat.Event) {
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(thinktags.NewFilter(tags...))
	for _, p := range pieces {
		b := []byte(p)
		a.Text(wire.TextSlot, b)
		events = append(events, a.Drain()...)
		clear(b) // the piece is gone once Text has returned
	}
	events = append(events, a.Flush()...)
	r := a.Reply()
	return fmt.Sprintf("(%s)%s", r.Thoughts(), r.Text()), events
}

// deltas is what a reader of the events alone makes of them.
func deltas(events []chat.Event) string {
	var text, thought string
	for _, ev := range events {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.ThinkingDelta:
			thought += ev.Text
		case chat.ToolCallStart, chat.ToolCallDelta, chat.ToolCallDone, chat.Done:
		}
	}
	return fmt.Sprintf("(%s)%s", thought, text)
}

func TestFilter(t *testing.T) {
	t.Parallel()
	two := []thinktags.Tags{{}, {Open: "[THINK]", Close: "[/THINK]"}}
	for name, tt := range map[string]struct {
		tags []thinktags.Tags
		text string
		want string
	}{
		"no tags":                     {nil, " a < b ", "() a < b "},
		"nothing":                     {nil, "", "()"},
		"white space":                 {nil, " \n", "() \n"},
		"thoughts first":              {nil, "<think>hm</think>yes", "(hm)yes"},
		"white space around":          {nil, "\n <think>\n hm\n\nwell \n</think>\n\n yes \n", "(hm\n\nwell)yes \n"},
		"empty thoughts":              {nil, "<think>\n\n</think>\n\nyes", "()yes"},
		"never closed":                {nil, "<think>\nhm </thi", "(hm </thi)"},
		"nothing after":               {nil, "<think>hm</think>\n", "(hm)"},
		"opened, nothing more":        {nil, "<think>", "()"},
		"a tag like it":               {nil, "<thinking>hm</thinking>", "()<thinking>hm</thinking>"},
		"half a tag":                  {nil, "\n<thi", "()\n<thi"},
		"tags later are text":         {nil, "Yes. <think>hm</think>", "()Yes. <think>hm</think>"},
		"once only":                   {nil, "<think>a</think><think>b</think>", "(a)<think>b</think>"},
		"an opening tag inside":       {nil, "<think>a<think>b</think>c", "(a<think>b)c"},
		"a closing tag alone":         {nil, "hm</think>yes", "()hm</think>yes"},
		"opened by the prompt":        {[]thinktags.Tags{opened}, "hm\n</think>\n\nyes", "(hm)yes"},
		"opened by both":              {[]thinktags.Tags{opened}, "<think>\nhm</think>yes", "(hm)yes"},
		"opened by the prompt, later": {[]thinktags.Tags{opened}, " a <think>b</think>c", "(a <think>b)c"},
		"opened and never closed":     {[]thinktags.Tags{opened}, "hm <", "(hm <)"},
		"opened, half a tag":          {[]thinktags.Tags{opened}, "<th", "(<th)"},
		"opened, nothing":             {[]thinktags.Tags{opened}, "\n", "()"},
		"one of two":                  {two, "[THINK]a</think>[/THINK]b", "(a</think>)b"},
		"the other of two":            {two, "<think>a[/THINK]</think>b", "(a[/THINK])b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, events := read(tt.tags, tt.text)
			if got != tt.want || deltas(events) != tt.want {
				t.Errorf("got %q, deltas %q, want %q", got, deltas(events), tt.want)
			}
			for i := range len(tt.text) {
				if got, events := read(tt.tags, tt.text[:i], tt.text[i:]); got != tt.want || deltas(events) != tt.want {
					t.Errorf("cut at %d: got %q, deltas %q, want %q", i, got, deltas(events), tt.want)
				}
			}
			if got, _ := read(tt.tags, strings.Split(tt.text, "")...); got != tt.want {
				t.Errorf("letter by letter: got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestPassedOnAtOnce: nothing is held back but what may be a tag, and white
// space.
func TestPassedOnAtOnce(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(thinktags.NewFilter())
	for _, step := range []struct{ piece, want string }{
		{"<thi", "()"},
		{"nk>I", "(I)"},
		{" need ", "( need)"},
		{"a </thought", "( a </thought)"},
		{" </think", "()"},
		{">\n", "()"},
		{"\nYes", "()Yes"},
		{" \n", "() \n"},
		{"<think>", "()<think>"},
	} {
		a.Text(wire.TextSlot, []byte(step.piece))
		if got := deltas(a.Drain()); got != step.want {
			t.Errorf("after %q: %q, want %q", step.piece, got, step.want)
		}
	}
}

// TestStream reads a server's stream whose tags are split between deltas.
func TestStream(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/stream-think-tags.sse")
	if err != nil {
		t.Fatal(err)
	}
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(thinktags.NewFilter())
	frames := frame.NewSSE(bytes.NewReader(body), 0)
	defer frames.Release()
	var events []chat.Event
	for !a.Stopped() {
		f, err := frames.Next()
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.ReadEvent(openaichat.Codec{}, a, f)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, got...)
	}
	events = append(events, a.Flush()...)
	const want = "(The visitor gave a date and a station. I need the tide table before offering a berth.)" +
		"Kittiwake can lie on C7 tonight; the lock opens at 06:40."
	if r := a.Reply(); deltas(events) != want || fmt.Sprintf("(%s)%s", r.Thoughts(), r.Text()) != want || r.Finish != chat.FinishStop {
		t.Errorf("got %q, %+v", deltas(events), r)
	}
}

// TestWholeReply reads the same answer as one document.
func TestWholeReply(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(thinktags.NewFilter())
	r, err := wire.ReadReply(openaichat.Codec{}, a, []byte(`{"choices":[{"index":0,"message":{"content":"<think>\nhm\n</think>\n\nyes"},"finish_reason":"stop"}]}`))
	if err != nil || r.Thoughts() != "hm" || r.Text() != "yes" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestCost: text behind the thoughts costs what it costs without a filter, and
// ten megabytes of anything are read in one go.
func TestCost(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{"white space": " \n", "beginnings": "<thin", "thoughts": "<think>a </thi", "prose": "Yes. "} {
		start := time.Now()
		text := strings.Repeat(unit, 10<<20/len(unit))
		a := wire.NewAssembly(wire.Limits{})
		a.Filter(thinktags.NewFilter())
		for ; len(text) > 1021; text = text[1021:] {
			a.Text(wire.TextSlot, []byte(text[:1021]))
		}
		a.Flush()
		if d := time.Since(start); d > time.Minute || a.Err() != nil {
			t.Errorf("%s: %v, %v", name, d, a.Err())
		}
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("\n<think>\nhm\n</think>\n\nyes", false, uint(3))
	f.Add("hm</think>", true, uint(7))
	f.Add("<think>a<think></think", true, uint(0))
	f.Fuzz(func(t *testing.T, text string, inside bool, i uint) {
		tags := []thinktags.Tags{{Opened: inside}}
		i %= uint(len(text)) + 1
		want, events := read(tags, text)
		if deltas(events) != want {
			t.Errorf("deltas %q, reply %q", deltas(events), want)
		}
		if got, _ := read(tags, text[:i], text[i:]); got != want {
			t.Errorf("cut at %d: %q, whole: %q", i, got, want)
		}
		if got, _ := read(tags, strings.SplitAfter(text, "<")...); got != want {
			t.Errorf("cut behind brackets: %q, whole: %q", got, want)
		}
		if !inside && !strings.Contains(text, "<think>") && want != "()"+text {
			t.Errorf("%q for %q", want, text)
		}
	})
}
