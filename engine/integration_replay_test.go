package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// TestSaidBack: what a model thought and signed keeps its tokens, names its
// origin, and goes back to the provider as it came.
func TestSaidBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		engine, reply string
		model         string
		think         chat.ThinkingConfig
		thoughts      bool // readable ones go back as well
	}{
		{"anthropic", "thinking-tool-call", "claude-sonnet-4-5", chat.ThinkingConfig{Budget: 2048}, true},
		{"bedrock", "thinking", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", chat.ThinkingConfig{Budget: 2048}, true},
		{"openai-responses", "thinking-tool-call", "gpt-5.6", chat.ThinkingConfig{}, false},
		{"gemini", "tool-call", "gemini-3.8-flash", chat.ThinkingConfig{}, false},
		{"vertex", "tool-calls-parallel", "gemini-3.8-flash", chat.ThinkingConfig{}, false},
		{"cohere", "tool-call", "command-a-03-2025", chat.ThinkingConfig{}, true},
		{"ollama", "thinking", "qwen3.5", chat.ThinkingConfig{}, true},
	} {
		for way, call := range ways {
			t.Run(tt.engine+"/"+way, func(t *testing.T) {
				t.Parallel()
				entry := entryOf(t, tt.engine)
				m := mock(t, entry, engine.Config{APIKey: testKey}, canned(t, entry.Profile.Dialect, tt.reply))
				req := &chat.Request{Model: tt.model, Messages: chat.Prompt("Where?"), Tools: harbour, Thinking: tt.think}
				reply, err := call(t, m, req)
				if err != nil {
					t.Fatal(err)
				}
				if tt.thoughts != (reply.Thoughts() != "") {
					t.Fatalf("thoughts %q", reply.Thoughts())
				}
				req.Messages = stored(t, goOn(req.Messages, reply))
				if _, err := call(t, m, req); err != nil {
					t.Fatal(err)
				}
				checkSaidBack(t, reply, m, tt.model)
			})
		}
	}
}

// goOn answers a reply's calls, and says something after it if there are none.
func goOn(msgs []chat.Message, reply *chat.Reply) []chat.Message {
	msgs = append(slices.Clone(msgs), reply.Message())
	results := make([]chat.ToolResult, 0, len(reply.ToolCalls()))
	for _, c := range reply.ToolCalls() {
		results = append(results, chat.TextResult(c.ID, "2.1 m"))
	}
	if len(results) == 0 {
		return append(msgs, chat.User("And?"))
	}
	return append(msgs, chat.Results(results...))
}

func checkSaidBack(t *testing.T, reply *chat.Reply, m *mocked, model string) {
	t.Helper()
	said := asJSON(lookAt(t, m).messages)
	quoted := func(s string) string { return strings.Trim(asJSON(s), `"`) }
	for _, part := range reply.Parts {
		var sig chat.Signature
		switch p := part.(type) {
		case chat.Text:
			sig = p.Signature
		case chat.ToolCall:
			sig = p.Signature
		case chat.Thinking:
			if sig = p.Signature; !strings.Contains(said, quoted(p.Text)) {
				t.Errorf("the thought %q did not go back: %s", p.Text, said)
			}
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
		}
		if !sig.IsZero() && (sig.Engine != m.Name() || sig.Model != model) {
			t.Errorf("%T says it is of %s, %s", part, sig.Engine, sig.Model)
		}
		if sig.Data != "" && !strings.HasPrefix(sig.Data, "{") && !strings.Contains(said, quoted(sig.Data)) {
			t.Errorf("the token of %T did not go back: %s", part, said)
		}
	}
}

// TestReasoningGoesBack: where the wire has a member for thoughts they go back
// in it.
func TestReasoningGoesBack(t *testing.T) {
	t.Parallel()
	entry := entryOf(t, "deepseek")
	message := `{"role":"assistant","content":null,"reasoning_content":"A castle, surely.",` +
		`"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"place","arguments":"{}"}}]}`
	m := mock(t, entry, engine.Config{APIKey: testKey}, scripted{entry, message}.RoundTrip)
	req := hello(entry)
	req.Tools = matrixTools
	for _, call := range ways {
		reply, err := call(t, m, req)
		if err != nil {
			t.Fatal(err)
		}
		next := *req
		next.Messages = goOn(req.Messages, reply)
		if _, err := call(t, m, &next); err != nil {
			t.Fatal(err)
		}
		if last := string(m.last(t).body); !strings.Contains(last, `"reasoning_content":"A castle, surely."`) {
			t.Errorf("sent %s", last)
		}
	}
}
