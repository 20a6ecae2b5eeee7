package openaichat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/wire/wiretest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// textFrames is a stream of n deltas as OpenAI sends them, some 310 bytes each.
func textFrames(n int) []frame.Frame {
	const f = `{"id":"chatcmpl-PcVGuyfL2Y4AqRW07NSNyoa7DaBHB","object":"chat.completion.chunk","created":1796040012,` +
		`"model":"gpt-5.4-mini-2026-03-17","service_tier":"default","system_fingerprint":"fp_5aef96240b","choices":[{"index":0,` +
		`"delta":{"content":"wo\nd%d"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"RDfiJJf7"}`
	out := make([]frame.Frame, n)
	for i := range out {
		out[i] = frame.Frame{Data: fmt.Appendf(nil, f, i%10)}
	}
	return out
}

// argFrames is one call whose arguments come eight bytes at a time.
func argFrames(size int) []frame.Frame {
	const f = `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[` +
		`{"index":0,"function":{"arguments":"%s"}}]},"finish_reason":null}]}`
	out := make([]frame.Frame, 0, size/8+1)
	out = append(out, frame.Frame{Data: []byte(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"{\"text\":\""}}]}}]}`)})
	for range size / 8 {
		out = append(out, frame.Frame{Data: fmt.Appendf(nil, f, "abcdefgh")})
	}
	return out
}

// TestDecodeCost: one allocation per delta (the event; the race detector adds
// some, hence two), and arguments in pieces cost in proportion to their length.
//
//nolint:paralleltest // allocations are counted for the whole process
func TestDecodeCost(t *testing.T) {
	texts, short, long := textFrames(2000), argFrames(16<<10), argFrames(256<<10)
	if n := testing.AllocsPerRun(5, func() { wiretest.Feed(t, codec, texts) }) / float64(len(texts)); n > 2 {
		t.Errorf("%.2f allocations per text delta", n)
	}
	few := testing.AllocsPerRun(1, func() { wiretest.Feed(t, codec, short) }) / float64(len(short))
	many := testing.AllocsPerRun(1, func() { wiretest.Feed(t, codec, long) }) / float64(len(long))
	if few > 2 || many > 2 {
		t.Errorf("%.2f and %.2f allocations per fragment of arguments", few, many)
	}
}

func BenchmarkTextStream(b *testing.B) {
	frames := textFrames(20_000)
	wiretest.BenchFeed(b, codec, frames)
}

func BenchmarkToolArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			frames := argFrames(size)
			wiretest.BenchFeed(b, codec, frames)
		})
	}
}

func BenchmarkReply(b *testing.B) {
	body := reply(`"role":"assistant","content":"`+strings.Repeat("Kittiwake can lie on C7 tonight. ", 8)+`"`, "stop")
	wiretest.BenchReply(b, codec, body)
}

// bigCall is a conversation of 100 messages with tools, some 118 KB.
func bigCall() wire.Call {
	prose := strings.Repeat("The lock at Port Sorrel opens at 06:40, weather permitting, and the berth master's \"office\" is open from nine until the last boat is in.\n", 17)
	c := wire.Call{Model: "gpt-5.4-mini", System: wiretest.System, Tools: wiretest.Tools(true), Quirks: openAI}
	for i := range 25 {
		id := fmt.Sprintf("call_%d", i)
		c.Messages = append(c.Messages, chat.User(prose),
			chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: id, Name: "get_tide", Arguments: json.RawMessage(wiretest.TideArgs)}}},
			chat.Results(chat.TextResult(id, "05:52 and 18:14")), chat.Assistant(prose))
	}
	return c
}

// The structs that a plain client would marshal for bigCall.
type (
	plainFunction struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Arguments   string          `json:"arguments,omitempty"`
		Strict      bool            `json:"strict,omitempty"`
	}
	plainCall struct {
		ID       string        `json:"id,omitempty"`
		Type     string        `json:"type"`
		Function plainFunction `json:"function"`
	}
	plainMessage struct {
		Role       string      `json:"role"`
		ToolCallID string      `json:"tool_call_id,omitempty"`
		Content    *string     `json:"content"`
		ToolCalls  []plainCall `json:"tool_calls,omitempty"`
	}
	plainRequest struct {
		Model    string         `json:"model"`
		Messages []plainMessage `json:"messages"`
		Tools    []plainCall    `json:"tools"`
	}
)

func plainOf(tb testing.TB, body []byte) plainRequest {
	tb.Helper()
	var r plainRequest
	if err := json.Unmarshal(body, &r); err != nil {
		tb.Fatal(err)
	}
	return r
}

func BenchmarkEncode(b *testing.B) {
	call := bigCall()
	enc, err := codec.EncodeRequest(call)
	if err != nil {
		b.Fatal(err)
	}
	same := plainOf(b, enc.Body)
	b.Run("sabir", func(b *testing.B) { wiretest.BenchEncode(b, codec, call) })
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(enc.Body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(same); err != nil {
				b.Fatal(err)
			}
		}
	})
}
