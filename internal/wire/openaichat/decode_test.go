package openaichat_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// sse makes a stream of frames.
func sse(frames ...string) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString("data: " + f + "\n\n")
	}
	return b.String()
}

func delta(members string) string {
	return `{"id":"c1","model":"m","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func finished(reason string) string {
	return `{"id":"c1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func reply(message, reason string) []byte {
	return []byte(`{"id":"c1","model":"m","choices":[{"index":0,"message":{` + message + `},"finish_reason":"` + reason + `"}]}`)
}

// collected is the reply of a stream that must end well.
func collected(t *testing.T, frames ...string) *chat.Reply {
	t.Helper()
	r, _, err := wiretest.Stream(codec, strings.NewReader(sse(frames...)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMessages reads what servers put into a message. Each case is a whole
// reply and the same message as the only delta of a stream; they must agree.
func TestMessages(t *testing.T) {
	t.Parallel()
	think := func(s, kind, data string) chat.Thinking {
		return chat.Thinking{Text: s, Signature: chat.Signature{Kind: kind, Data: data}}
	}
	for _, tt := range []struct {
		name, message string
		finish        chat.FinishReason
		want          []chat.Part
	}{
		{"text", `"role":"assistant","content":"hi"`, "stop", []chat.Part{chat.Text{Text: "hi"}}},
		{"content null", `"content":null`, "stop", nil},
		{"escapes", `"content":"a\n\u00e9\ud83d\ude00"`, "stop", []chat.Part{chat.Text{Text: "a\né😀"}}},
		{"content of a kind nobody knows", `"content":7`, "stop", nil},
		{
			"content in parts, with thinking", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}]},` +
				`{"type":"text","text":"y"},{"type":"reference","reference_ids":[1]},{"text":"es"},"!"]`, "stop",
			[]chat.Part{chat.Thinking{Text: "hm"}, chat.Text{Text: "yes!"}},
		},
		{"thinking as a string", `"content":[{"type":"thinking","thinking":"hm"}]`, "stop", []chat.Part{chat.Thinking{Text: "hm"}}},
		{
			"reasoning_content is to be said back", `"content":"yes","reasoning_content":"hm"`, "stop",
			[]chat.Part{think("hm", "reasoning_content", ""), chat.Text{Text: "yes"}},
		},
		{"reasoning under both names", `"reasoning":"hm","reasoning_content":"hm","content":"yes"`, "stop", []chat.Part{chat.Thinking{Text: "hm"}, chat.Text{Text: "yes"}}},
		{
			"reasoning_details with their text", `"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s"}]`, "stop",
			[]chat.Part{think("hm", "reasoning_details", `[{"type":"reasoning.text","text":"hm","signature":"s"}]`)},
		},
		{
			"reasoning_details alone", `"reasoning_details":[{"type":"reasoning.summary","summary":"hm"},{"type":"reasoning.encrypted","data":"x"}]`, "stop",
			[]chat.Part{think("hm", "reasoning_details", `[{"type":"reasoning.summary","summary":"hm"},{"type":"reasoning.encrypted","data":"x"}]`)},
		},
		{"no reasoning_details", `"content":"a","reasoning_details":[]`, "stop", []chat.Part{chat.Text{Text: "a"}}},
		{"refusal", `"content":null,"refusal":"no"`, chat.FinishFiltered, []chat.Part{chat.Text{Text: "no"}}},
		{
			"old function_call", `"content":null,"function_call":{"name":"f","arguments":"{}"}`, chat.FinishToolCalls,
			[]chat.Part{chat.ToolCall{Name: "f", Arguments: json.RawMessage("{}")}},
		},
		{
			"custom tool", `"tool_calls":[{"id":"a","type":"custom","custom":{"name":"log","input":"06:40 open"}}]`, chat.FinishToolCalls,
			[]chat.Part{chat.ToolCall{ID: "a", Name: "log", Arguments: json.RawMessage("06:40 open"), Signature: chat.Signature{Kind: "custom"}}},
		},
		{
			"thought signature", `"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s="},"x":1}}]`,
			chat.FinishToolCalls,
			[]chat.Part{chat.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage("{}"), Signature: chat.Signature{Kind: "thought_signature", Data: "s="}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			whole, err := wiretest.Reply(codec, reply(tt.message, "stop"))
			if err != nil {
				t.Fatal(err)
			}
			stream := collected(t, delta(tt.message), finished("stop"), "[DONE]")
			for form, r := range map[string]*chat.Reply{"reply": whole, "stream": stream} {
				for i, p := range r.Parts {
					if c, ok := p.(chat.ToolCall); ok && len(c.ID) > 1 {
						c.ID = ""
						r.Parts[i] = c
					}
				}
				if !reflect.DeepEqual(r.Parts, tt.want) || r.Finish != tt.finish {
					t.Errorf("%s: got %#v (%s)\nwant %#v (%s)", form, r.Parts, r.Finish, tt.want, tt.finish)
				}
			}
		})
	}
}

// TestStreamOddities is about what stands around the text.
func TestStreamOddities(t *testing.T) {
	t.Parallel()
	used := chat.Usage{Input: 11, CachedInput: 8, Output: 3}
	const u = `"usage":{"prompt_tokens":11,"completion_tokens":3,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":8}}`
	for _, tt := range []struct {
		name   string
		frames []string
		text   string
		finish chat.FinishReason
		usage  chat.Usage
	}{
		{"chunks without choices", []string{
			`{"id":"","model":"","choices":[],"prompt_filter_results":[{}]}`, delta(`"role":"assistant","content":""`),
			delta(`"content":"ok"`), finished("stop"), `{"choices":[],` + u + `}`, "[DONE]",
		}, "ok", "stop", used},
		{"no end mark after the finish reason", []string{delta(`"content":"ok"`), finished("stop")}, "ok", "stop", chat.Usage{}},
		{"end mark without a finish reason", []string{delta(`"content":"ok"`), "[DONE]"}, "ok", "other", chat.Usage{}},
		{"nothing after the end mark counts", []string{delta(`"content":"ok"`), finished("stop"), "[DONE]", "garbage"}, "ok", "stop", chat.Usage{}},
		{"empty finish reason in each delta", []string{
			`{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}`, `{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`,
		}, "ab", "stop", chat.Usage{}},
		{"index after the delta", []string{`{"choices":[{"delta":{"content":"no"},"index":1},{"finish_reason":"length","delta":{"content":"ok"},"index":0}]}`}, "ok", "length", chat.Usage{}},
		{"usage counted up", []string{
			`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":11,"completion_tokens":1}}`,
			`{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],` + u + `}`, `{"choices":[],"usage":{"prompt_tokens":0}}`,
		}, "ab", "stop", used},
		{"usage inside the choice (Kimi)", []string{`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop",` + u + `}]}`}, "a", "stop", used},
		{"usage in x_groq", []string{`{"x_groq":{"id":"r",` + u + `},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`}, "a", "stop", used},
		{"the whole text beside each delta (Perplexity)", []string{
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"delta":{"content":"a"}}]}`,
			`{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"ab"},"delta":{"content":"b"}}]}`,
		}, "ab", "stop", chat.Usage{}},
		{"one frame with a whole message", []string{string(reply(`"content":"ok"`, "stop"))}, "ok", "stop", chat.Usage{}},
		{"a message after the deltas", []string{delta(`"content":"ok"`), string(reply(`"content":"ok"`, "stop"))}, "ok", "stop", chat.Usage{}},
		{"error null", []string{`{"error":null,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`}, "a", "stop", chat.Usage{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := collected(t, tt.frames...)
			if r.Text() != tt.text || r.Finish != tt.finish || r.Usage != tt.usage {
				t.Errorf("got %q, %s, %+v", r.Text(), r.Finish, r.Usage)
			}
		})
	}
}

// TestUsage reads the counts of several servers.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, usage string
		want        chat.Usage
	}{
		{"none", `null`, chat.Usage{}},
		{"OpenAI", `{"prompt_tokens":10,"completion_tokens":7,"total_tokens":17,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":2},"completion_tokens_details":{"reasoning_tokens":5}}`, chat.Usage{Input: 10, CachedInput: 4, CacheWrite: 2, Output: 7, Reasoning: 5}},
		{"DeepSeek", `{"prompt_tokens":10,"completion_tokens":7,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6}`, chat.Usage{Input: 10, CachedInput: 4, Output: 7}},
		{"Kimi", `{"prompt_tokens":10,"completion_tokens":7,"cached_tokens":4}`, chat.Usage{Input: 10, CachedInput: 4, Output: 7}},
		{"thinking counted apart", `{"prompt_tokens":10,"completion_tokens":7,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":5}}`, chat.Usage{Input: 10, Output: 12, Reasoning: 5}},
		{"nonsense", `{"prompt_tokens":-3,"completion_tokens":"7","prompt_tokens_details":null}`, chat.Usage{Output: 7}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := wiretest.Reply(codec, []byte(`{"choices":[{"message":{"content":"a"}}],"usage":`+tt.usage+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if r.Usage != tt.want {
				t.Errorf("got %+v, want %+v", r.Usage, tt.want)
			}
		})
	}
}

// TestFinish maps the words of several servers; the word itself is kept.
func TestFinish(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]chat.FinishReason{
		"stop": "stop", "eos": "stop", "eos_token": "stop", "stop_sequence": "stop_sequence", "length": "length",
		"model_length": "length", "max_tokens": "length", "content_filter": "content_filter", "error": "error",
		"insufficient_system_resource": "error", "tool_calls": "stop", "function_call": "stop", "tired": "other",
	} {
		r, err := wiretest.Reply(codec, reply(`"content":"a"`, word))
		if err != nil || r.Finish != want || r.RawFinish != word {
			t.Errorf("%s: got %s (%s), %v, want %s", word, r.Finish, r.RawFinish, err, want)
		}
	}
}

// TestReasoningDetails joins what a stream brings in pieces into the list that
// the reply would have had, and says it back.
func TestReasoningDetails(t *testing.T) {
	t.Parallel()
	piece := func(members string) string { return delta(`"reasoning_details":[{` + members + `}]`) }
	r := collected(t,
		piece(`"type":"reasoning.text","text":"h\"","format":"f","index":0,"signature":null`), piece(`"type":"reasoning.text","text":"m","index":0`),
		piece(`"type":"reasoning.text","signature":"s","index":0`), piece(`"type":"reasoning.encrypted","data":"x","index":1`),
		delta(`"content":"yes"`), finished("stop"), "[DONE]")
	const want = `[{"type":"reasoning.text","text":"h\"m","format":"f","index":0,"signature":"s"},{"type":"reasoning.encrypted","data":"x","index":1}]`
	th, ok := r.Parts[0].(chat.Thinking)
	if !ok || th.Text != `h"m` || th.Signature.Kind != "reasoning_details" || th.Signature.Data != want {
		t.Errorf("got %+v", r.Parts[0])
	}
	body := string(encode(t, wire.Call{Messages: []chat.Message{r.Message()}, Quirks: wire.Quirks{ReplayThinking: "reasoning"}}))
	if !strings.Contains(body, `"content":"yes","reasoning":"h\"m","reasoning_details":`+want) {
		t.Errorf("said back: %s", body)
	}
}

// TestCustomCallGoesBack says a custom call back as what it was.
func TestCustomCallGoesBack(t *testing.T) {
	t.Parallel()
	const call = `{"id":"a","type":"custom","custom":{"name":"log","input":"06:40 \"open\""}}`
	r, err := wiretest.Reply(codec, reply(`"tool_calls":[`+call+`]`, "tool_calls"))
	if err != nil {
		t.Fatal(err)
	}
	if r.ToolCalls()[0].Sound() {
		t.Error("free text passes for arguments")
	}
	if body := string(encode(t, wire.Call{Messages: []chat.Message{r.Message()}})); !strings.Contains(body, call) {
		t.Errorf("said back: %s", body)
	}
}

// TestTruncated: a stream that ends before its finish reason is an error that
// carries what was read, wherever it ends; so is one that ends inside a frame.
func TestTruncated(t *testing.T) {
	t.Parallel()
	whole := sse(delta(`"reasoning_content":"hm"`), delta(`"content":"Hello"`),
		delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"send","arguments":"{\"to\":\"a\"}"}}]`))
	for n := range len(whole) {
		reply, events, err := wiretest.Stream(codec, strings.NewReader(whole[:n]))
		e, ok := errors.AsType[*chat.Error](err)
		if !ok || !errors.Is(err, chat.ErrTruncated) || reply != nil {
			t.Fatalf("cut at %d: %v, %v", n, reply, err)
		}
		if len(events) > 0 && (e.Reply == nil || len(e.Reply.Parts) == 0) {
			t.Fatalf("cut at %d: %d events, but nothing beside the error", n, len(events))
		}
	}
}

// TestBadReplies are bodies that are no answer.
func TestBadReplies(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty": "", "HTML": "<html><title>Login</title></html>", "a string": `"hello"`, "a list": `[1]`, "cut": `{"choices":[{"mess`,
		"no choices": `{"id":"a"}`, "choices empty": `{"id":"a","choices":[]}`, "choices null": `{"id":"a","choices":null}`,
		"another choice only": `{"choices":[{"index":1,"message":{"content":"a"}}]}`, "more after it": `{"choices":[{"message":{}}]} x`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := wiretest.Reply(codec, []byte(body)); !errors.Is(err, chat.ErrBadReply) || r != nil {
				t.Errorf("reply: %v, %v", r, err)
			}
		})
	}
	for name, frames := range map[string][]string{
		"the end mark alone": {"[DONE]"}, "HTML": {"<html>"}, "a string": {`"x"`}, "usage alone": {`{"choices":[],"usage":{"prompt_tokens":1}}`, "[DONE]"},
	} {
		t.Run("stream of "+name, func(t *testing.T) {
			t.Parallel()
			if r, _, err := wiretest.Stream(codec, strings.NewReader(sse(frames...))); !errors.Is(err, chat.ErrBadReply) || r != nil {
				t.Errorf("stream: %v, %v", r, err)
			}
		})
	}
}

// TestLimits: what a stream may hold is bounded, and beside the error there are
// no events.
func TestLimits(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{Reply: 10, Arguments: 5})
	frames := []string{delta(`"content":"1234"`), delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":1}"}}]`)}
	if _, err := wire.ReadEvent(codec, a, frame.Frame{Data: []byte(frames[0])}); err != nil {
		t.Fatal(err)
	}
	if evs, err := wire.ReadEvent(codec, a, frame.Frame{Data: []byte(frames[1])}); !errors.Is(err, chat.ErrBadReply) || len(evs) > 0 {
		t.Errorf("%d events, %v", len(evs), err)
	}
}
