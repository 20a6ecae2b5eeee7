package chat_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
)

func TestSound(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		`{}`: true, ` {"a":1} `: true, "\n\t\r{\"a\":{\"b\":[1,{}]}}": true, `{"n":123456789012345678901234567890}`: true,
		``: false, ` `: false, `null`: false, `[]`: false, `"{}"`: false, `7`: false, `{`: false, `{"a":1`: false,
		`{} {}`: false, `{}x`: false, `{'a':1}`: false, "\xef\xbb\xbf{}": false, `<tool_call>{}`: false,
	} {
		if got := (chat.ToolCall{Arguments: []byte(args)}).Sound(); got != want {
			t.Errorf("Sound of %q is %t", args, got)
		}
	}
	if (chat.ToolCall{}).Sound() {
		t.Error("a call without arguments is sound")
	}
}

func TestMessageHelpers(t *testing.T) {
	t.Parallel()
	text := []chat.Part{chat.Text{Text: "hi"}}
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"Prompt", chat.Prompt("hi"), []chat.Message{{Role: chat.RoleUser, Parts: text}}},
		{"User", chat.User("hi"), chat.Message{Role: chat.RoleUser, Parts: text}},
		{"Assistant", chat.Assistant("hi"), chat.Message{Role: chat.RoleAssistant, Parts: text}},
		{"System", chat.System("hi"), chat.Message{Role: chat.RoleSystem, Parts: text}},
		{"TextResult", chat.TextResult("c", "hi"), chat.ToolResult{CallID: "c", Parts: text}},
		{"ErrorResult", chat.ErrorResult("c", "hi"), chat.ToolResult{CallID: "c", Parts: text, IsError: true}},
		{"Results", chat.Results(chat.TextResult("c", "hi"), chat.ErrorResult("d", "no")), chat.Message{
			Role: chat.RoleTool, Parts: []chat.Part{chat.TextResult("c", "hi"), chat.ErrorResult("d", "no")},
		}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s gives %+v, want %+v", tt.name, tt.got, tt.want)
		}
	}
}

// TestAskFor: the wish names the tool and is a part of a user message.
func TestAskFor(t *testing.T) {
	t.Parallel()
	m := chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "Where is it? "}, chat.AskFor("place")}}
	if text := m.Text(); !strings.HasPrefix(text, "Where is it? ") || !strings.Contains(text, " place ") {
		t.Errorf("%q", text)
	}
	if chat.AskFor("place") == chat.AskFor("trip") {
		t.Error("the wish doesn't depend on the tool")
	}
}

func TestReplyHelpers(t *testing.T) {
	t.Parallel()
	a, b := chat.ToolCall{ID: "a", Name: "place"}, chat.ToolCall{ID: "b", Name: "trip"}
	r := &chat.Reply{Parts: []chat.Part{
		chat.Thinking{Text: "hm, "}, chat.Text{Text: "In "}, a, chat.Thinking{Text: "well"}, chat.Text{Text: "Ghent."}, b,
	}}
	if r.Text() != "In Ghent." || r.Thoughts() != "hm, well" {
		t.Errorf("text %q, thoughts %q", r.Text(), r.Thoughts())
	}
	if calls := r.ToolCalls(); !reflect.DeepEqual(calls, []chat.ToolCall{a, b}) {
		t.Errorf("calls %+v", calls)
	}
	m := r.Message()
	if m.Role != chat.RoleAssistant || !reflect.DeepEqual(m.Parts, r.Parts) || m.Text() != r.Text() || len(m.ToolCalls()) != 2 {
		t.Errorf("said back as %+v", m)
	}
	empty := &chat.Reply{}
	if empty.Text()+empty.Thoughts() != "" || empty.ToolCalls() != nil || empty.Message().Parts != nil {
		t.Errorf("an empty reply says something: %+v", empty.Message())
	}
}

func TestDeltas(t *testing.T) {
	t.Parallel()
	r := &chat.Reply{Parts: []chat.Part{
		chat.Thinking{},
		chat.Thinking{Text: "hm"},
		chat.Text{},
		chat.ToolCall{ID: "a", Name: "place", Arguments: json.RawMessage("{}")},
		chat.Image{},
		chat.Text{Text: "In Ghent."},
		chat.ToolCall{ID: "b", Name: "trip"},
	}}
	want := []chat.Event{
		chat.ThinkingDelta{Text: "hm"},
		chat.ToolCallStart{ID: "a", Name: "place"},
		chat.ToolCallDelta{Arguments: "{}"},
		chat.TextDelta{Text: "In Ghent."},
		chat.ToolCallStart{Index: 1, ID: "b", Name: "trip"},
	}
	for most := range len(want) {
		var got []chat.Event
		for ev := range chat.Deltas(r) {
			if got = append(got, ev); len(got) > most {
				break
			}
		}
		if !reflect.DeepEqual(got, want[:most+1]) {
			t.Errorf("left after %d: %+v", most+1, got)
		}
	}
	if got := slices.Collect(chat.Deltas(r)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	sum := chat.Usage{Input: 1, CachedInput: 2, CacheWrite: 3, Output: 4, Reasoning: 5}
	sum.Add(chat.Usage{Input: 10, CachedInput: 20, CacheWrite: 30, Output: 40, Reasoning: 50})
	if want := (chat.Usage{Input: 11, CachedInput: 22, CacheWrite: 33, Output: 44, Reasoning: 55}); sum != want || sum.Total() != 55 {
		t.Errorf("%+v, %d in all", sum, sum.Total())
	}
}

func TestZeroValues(t *testing.T) {
	t.Parallel()
	if !(chat.Signature{}).IsZero() || (chat.Signature{Kind: "redacted"}).IsZero() {
		t.Error("Signature.IsZero")
	}
	if !(chat.PromptCache{}).IsZero() || (chat.PromptCache{Key: "k"}).IsZero() || (chat.PromptCache{Tools: true}).IsZero() {
		t.Error("Cache.IsZero")
	}
}
