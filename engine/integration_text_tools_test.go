package engine_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// eachInWords runs a test for every engine whose tools travel in the text, by
// both ways to call.
func eachInWords(t *testing.T, test func(onEngine)) {
	t.Helper()
	eachCall(t, func(c onEngine) {
		if c.entry.Profile.Tools == toolchoice.Hermes {
			test(c)
		}
	})
}

// TestToolsInWords: the tools are in the system text, a call is read from the
// model's text, whole or streamed byte by byte, and goes back as text.
func TestToolsInWords(t *testing.T) {
	t.Parallel()
	eachInWords(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		d := entry.Profile.Dialect
		said := answer{text: "Let me look.", calls: []string{"place", "trip"}}.by(entry)
		answers := says(entry, answer{text: "Let me look.", calls: []string{"place", "trip"}})
		if streams(entry) {
			answers = respond(d, said.in(d, false), streamed(d, said.text))
		}
		m := mock(t, entry, engine.Config{APIKey: testKey}, answers)
		req := hello(entry)
		req.System, req.Tools = "Be brief.", matrixTools
		reply, err := call(t, m, req)
		if err != nil {
			t.Fatal(err)
		}
		v := lookAt(t, m)
		if system := asJSON(dig(v.messages, 0)); len(v.tools) > 0 || !strings.Contains(system, "place") || !strings.Contains(system, "Be brief.") {
			t.Errorf("tools %v, system text %s", v.tools, system)
		}
		calls := reply.ToolCalls()
		if reply.Text() != "Let me look." || len(calls) != 2 || reply.Finish != chat.FinishToolCalls || calls[0].ID == calls[1].ID ||
			calls[1].Name != "trip" || string(calls[0].Arguments) != placeArgs || calls[0].Synthetic {
			t.Errorf("reply %+v", reply)
		}
		req.Messages = append(slices.Clone(req.Messages), reply.Message(),
			chat.Results(chat.TextResult(calls[0].ID, "51.06 N"), chat.ErrorResult(calls[1].ID, "no train")))
		if _, err := call(t, m, req); err != nil {
			t.Fatal(err)
		}
		history := asJSON(lookAt(t, m).messages)
		for _, want := range []string{"Let me look.", "tool_call", "tool_response", "51.06 N", "no train"} {
			if !strings.Contains(history, want) {
				t.Errorf("the history lacks %q: %s", want, history)
			}
		}
	})
}

// lookAt is the latest request, as the provider sees it.
func lookAt(t *testing.T, m *mocked) wireView {
	t.Helper()
	last := m.last(t)
	v, err := look(m.entry.Profile.Dialect, last.address(t), last.body)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestToolsInWordsAgree: however a model writes its calls, the collected stream
// is the reply, and the events are those of calls.
func TestToolsInWordsAgree(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"call alone":          "<tool_call>\n{\"name\": \"place\", \"arguments\": {\"city\": \"Köln\"}}\n</tool_call>",
		"tag inside a string": `<tool_call>{"name":"place","arguments":{"city":"</tool_call>"}}</tool_call>`,
		"thoughts before":     "<think>\nWhere? <tool_call>\n</think>\n\nHm.\n<tool_call>{\"name\":\"place\",\"arguments\":{}}</tool_call>",
		"thoughts only":       "<think>never closed",
		"no call":             "Use `<tool_call>` for that, if 1 < 2.",
		"broken call":         "<tool_call>{\"name\": place}</tool_call>",
		"words around":        "A\n<tool_call>{\"name\":\"trip\",\"arguments\":{\"to\":\"Ghent\"}}</tool_call>\nB",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachStreaming(t, func(c onEngine) {
				t, entry := c.T, c.entry
				if entry.Profile.Tools != toolchoice.Hermes {
					return
				}
				d := entry.Profile.Dialect
				m := mock(t, entry, engine.Config{APIKey: testKey}, respond(d, answer{text: text}.in(d, false), streamed(d, text)))
				req := hello(entry)
				req.Tools = matrixTools
				reply, err := m.Chat(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				events, collected, err := collect(t.Context(), m, req)
				if err != nil {
					t.Fatal(err)
				}
				checkTwins(t, reply, collected)
				checkEvents(t, events, collected)
			})
		})
	}
}

// TestThinkTags: thoughts between tags at the beginning of a text are thoughts,
// on the engines whose servers leave them there, and text on all others.
func TestThinkTags(t *testing.T) {
	t.Parallel()
	const text = "<think>\nA castle.\n</think>\n\nIn Ghent."
	eachStreaming(t, func(c onEngine) {
		t, entry := c.T, c.entry
		d := entry.Profile.Dialect
		m := mock(t, entry, engine.Config{APIKey: testKey}, respond(d, answer{text: text}.in(d, false), streamed(d, text)))
		reply, err := m.Chat(t.Context(), hello(entry))
		if err != nil {
			t.Fatal(err)
		}
		wantText, wantThoughts := text, ""
		if entry.Profile.Quirks.ThinkTags {
			wantText, wantThoughts = "In Ghent.", "A castle."
		}
		if reply.Text() != wantText || reply.Thoughts() != wantThoughts {
			t.Errorf("text %q, thoughts %q", reply.Text(), reply.Thoughts())
		}
		events, collected, err := collect(t.Context(), m, hello(entry))
		if err != nil {
			t.Fatal(err)
		}
		checkTwins(t, reply, collected)
		checkEvents(t, events, collected)
	})
}

// TestHermesTemplate: a template of the caller's is written and read.
func TestHermesTemplate(t *testing.T) {
	t.Parallel()
	entry := entryOf(t, "hermes")
	entry.New = func(c engine.Config) engine.Engine {
		return engine.NewHermes(engine.HermesConfig{Config: c, Template: profile.HermesTemplate{
			Tools: "functions", Call: "function_call", Response: "function_result", Prompt: "Functions: {{tools}} Call between {{call_tag}} tags.",
		}})
	}
	d := entry.Profile.Dialect
	text := `<function_call>{"name":"place","arguments":` + placeArgs + `}</function_call>`
	for way, call := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			m := mock(t, entry, engine.Config{}, respond(d, answer{text: text}.in(d, false), streamed(d, text)))
			req := hello(entry)
			req.Tools, req.ToolChoice = matrixTools, toolchoice.Tool("place")
			reply, err := call(t, m, req)
			if err != nil {
				t.Fatal(err)
			}
			if calls := reply.ToolCalls(); len(calls) != 1 || calls[0].Name != "place" || reply.Text() != "" {
				t.Errorf("reply %+v", reply)
			}
			if said := asJSON(lookAt(t, m).messages); !strings.Contains(said, "Call between function_call tags.") || strings.Contains(said, "tool_call") {
				t.Errorf("sent %s", said)
			}
		})
	}
	_, err := engine.NewHermes(engine.HermesConfig{Template: profile.HermesTemplate{Prompt: "no place for tools"}}).
		Plan(&chat.Request{Model: "m", Messages: chat.Prompt("x"), Tools: matrixTools})
	if !errors.Is(err, chat.ErrUnsupported) && !errors.Is(err, chat.ErrInvalid) {
		t.Errorf("a template that can't be read back: error %v", err)
	}
}

// TestEngineWithoutStreams: Stream gives the events that a stream would have
// given, from a whole reply, and asks for no stream.
func TestEngineWithoutStreams(t *testing.T) {
	t.Parallel()
	found := 0
	for _, entry := range engine.Catalog() {
		if streams(entry) {
			continue
		}
		found++
		m := mock(t, entry, engine.Config{APIKey: testKey}, says(entry, answer{text: "Let me look.", calls: []string{"place"}}))
		req := hello(entry)
		req.Tools = matrixTools
		reply, err := m.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		events, collected, err := collect(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		checkTwins(t, reply, collected)
		checkEvents(t, events, collected)
		if len(m.sent) != 2 || !reflect.DeepEqual(m.sent[0].body, m.sent[1].body) || m.sent[0].url != m.sent[1].url {
			t.Errorf("sent %+v", m.sent)
		}
	}
	if found == 0 {
		t.Error("no such engine: this test proves nothing")
	}
}
