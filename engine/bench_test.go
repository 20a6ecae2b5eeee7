package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// constant answers every request with the same bytes, without network.
type constant struct {
	kind string
	body []byte
}

func (c constant) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}}, Request: r,
		ContentLength: int64(len(c.body)), Body: io.NopCloser(bytes.NewReader(c.body)),
	}, nil
}

func benchEngine(c constant) engine.Engine {
	return engine.NewOpenAI(engine.Config{APIKey: "k", Model: "gpt-4.1", HTTPClient: &http.Client{Transport: c}})
}

func textStream(deltas int) []byte {
	var b bytes.Buffer
	for range deltas {
		b.WriteString(`data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1796040300,"model":"gpt-4.1","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"abcdefgh"}` + "\n\n")
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

// callStream is one call whose arguments come in pieces of 8 bytes.
func callStream(size int) []byte {
	var b bytes.Buffer
	piece := func(id, args string) {
		fmt.Fprintf(&b, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0%s,"function":{"arguments":%q}}]}}]}`+"\n\n", id, args)
	}
	piece(`,"id":"c1","type":"function"`, `{"a":"`)
	for range size / 8 {
		piece("", "12345678")
	}
	piece("", `"}`)
	body := strings.Replace(b.String(), `"function":{`, `"function":{"name":"place",`, 1)
	return []byte(body + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
}

// BenchmarkStreamText is a stream of 20,000 deltas through the whole engine;
// floor reads the same with bufio and encoding/json.
func BenchmarkStreamText(b *testing.B) {
	const deltas = 20_000
	body := textStream(deltas)
	b.Run("sabir", func(b *testing.B) {
		eng := benchEngine(constant{"text/event-stream", body})
		req := &chat.Request{Messages: chat.Prompt("x")}
		b.ReportAllocs()
		for b.Loop() {
			drain(b, eng, req)
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			floorText(b, body)
		}
	})
}

// BenchmarkStreamArguments shows that arguments are put together in linear
// time: four times the size costs about four times the time.
func BenchmarkStreamArguments(b *testing.B) {
	for _, kb := range []int{64, 256, 1024} {
		body := callStream(kb << 10)
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			eng := benchEngine(constant{"text/event-stream", body})
			req := &chat.Request{Messages: chat.Prompt("x"), Tools: matrixTools}
			b.ReportAllocs()
			b.SetBytes(int64(kb << 10))
			for b.Loop() {
				drain(b, eng, req)
			}
		})
	}
}

// BenchmarkChat is one call; floor does the same with net/http and
// encoding/json by hand.
func BenchmarkChat(b *testing.B) {
	body := []byte(`{"id":"chatcmpl-9","object":"chat.completion","created":1796040300,"model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("word ", 80) + `","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":80,"total_tokens":90}}`)
	server := constant{"application/json", body}
	b.Run("sabir", func(b *testing.B) {
		eng := benchEngine(server)
		req := &chat.Request{Messages: chat.Prompt("x"), Tools: matrixTools}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := eng.Chat(b.Context(), req); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		client := &http.Client{Transport: server}
		b.ReportAllocs()
		for b.Loop() {
			floorChat(b.Context(), b, client)
		}
	})
}

func drain(b *testing.B, eng engine.Engine, req *chat.Request) {
	b.Helper()
	for _, err := range eng.Stream(b.Context(), req) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

type floorChunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
	} `json:"choices"`
}

func floorText(b *testing.B, body []byte) {
	b.Helper()
	var text strings.Builder
	lines := bufio.NewScanner(bytes.NewReader(body))
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var c floorChunk
		if err := json.Unmarshal(data, &c); err != nil {
			b.Fatal(err)
		}
		text.WriteString(c.Choices[0].Delta.Content)
	}
}

func floorChat(ctx context.Context, b *testing.B, client *http.Client) {
	b.Helper()
	type function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	tools := make([]tool, 0, len(matrixTools))
	for _, t := range matrixTools {
		tools = append(tools, tool{"function", function{t.Name, t.Schema}})
	}
	body, err := json.Marshal(map[string]any{"model": "gpt-4.1", "messages": []map[string]string{{"role": "user", "content": "x"}}, "tools": tools})
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer k")
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var reply floorChunk
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		b.Fatal(err)
	}
}
