package rawjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/rawjson"
)

type chunkStruct struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Choices []struct {
		Index int64 `json:"index"`
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens int64 `json:"prompt_tokens"`
	} `json:"usage"`
}

// BenchmarkChunk reads one Chat Completions chunk: walked without keeping
// anything, read into strings, and with encoding/json.
func BenchmarkChunk(b *testing.B) {
	data := []byte(chunk)
	b.Run("walk", func(b *testing.B) {
		var s rawjson.Scanner
		skim(b, &s, data)
		b.ReportAllocs()
		for b.Loop() {
			skim(b, &s, data)
		}
	})
	b.Run("strings", func(b *testing.B) {
		var s rawjson.Scanner
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readChunk(&s, data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var c chunkStruct
			if err := json.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type bigMessage struct {
	Role      string    `json:"role"`
	Content   string    `json:"content"`
	ToolCalls []bigCall `json:"tool_calls,omitempty"`
}

type bigCall struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type bigRequest struct {
	Model       string          `json:"model"`
	Messages    []bigMessage    `json:"messages"`
	Tools       json.RawMessage `json:"tools"`
	Temperature float64         `json:"temperature"`
	Stream      bool            `json:"stream"`
}

const prose = "The harbour master said that the \"early\" tide would carry both ships past the breakwater before noon, " +
	"weather permitting, and naïvely believed it.\n"

// bigConversation has 100 messages; encoded, it is about 118 KB.
func bigConversation() *bigRequest {
	tool := `{"type":"function","function":{"name":"get_weather","description":"The weather in a place","parameters":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}}}`
	r := &bigRequest{Model: "test-model", Temperature: 0.2, Stream: true, Tools: json.RawMessage("[" + strings.Repeat(tool+",", 19) + tool + "]")}
	for i := range 100 {
		m := bigMessage{Role: "user", Content: strings.Repeat(prose, 7)}
		if i%4 == 1 {
			m.Role = "assistant"
			m.ToolCalls = []bigCall{{ID: fmt.Sprint("call_", i), Type: "function", Name: "get_weather", Arguments: `{"place":"Tunis"}`}}
		}
		r.Messages = append(r.Messages, m)
	}
	return r
}

func encodeBig(r *bigRequest, size int) []byte {
	w := rawjson.Writer{Buf: make([]byte, 0, size)}
	w.Object()
	w.Key("model")
	w.String(r.Model)
	w.Key("messages")
	w.Array()
	for i := range r.Messages {
		encodeMessage(&w, &r.Messages[i])
	}
	w.EndArray()
	w.Key("tools")
	w.Raw(r.Tools)
	w.Key("temperature")
	w.Float(r.Temperature)
	w.Key("stream")
	w.Bool(r.Stream)
	w.EndObject()
	return w.Buf
}

func encodeMessage(w *rawjson.Writer, m *bigMessage) {
	w.Object()
	w.Key("role")
	w.String(m.Role)
	w.Key("content")
	w.String(m.Content)
	if len(m.ToolCalls) > 0 {
		w.Key("tool_calls")
		w.Array()
		for _, c := range m.ToolCalls {
			w.Object()
			w.Key("id")
			w.String(c.ID)
			w.Key("type")
			w.String(c.Type)
			w.Key("name")
			w.String(c.Name)
			w.Key("arguments")
			w.String(c.Arguments)
			w.EndObject()
		}
		w.EndArray()
	}
	w.EndObject()
}

func TestBigRequestIsTheSame(t *testing.T) {
	t.Parallel()
	r := bigConversation()
	if got := encodeBig(r, 0); string(got) != standard(t, r) {
		t.Errorf("differs: %.300s", got)
	}
}

func BenchmarkBigRequest(b *testing.B) {
	r := bigConversation()
	size := len(encodeBig(r, 0))
	b.Run("writer", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		for b.Loop() {
			encodeBig(r, size)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		for b.Loop() {
			if _, err := json.Marshal(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json-no-html", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(size))
		for b.Loop() {
			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	compact := encodeBig(r, size)
	b.Run("compact", func(b *testing.B) {
		dst := make([]byte, 0, size)
		b.SetBytes(int64(size))
		for b.Loop() {
			dst = rawjson.AppendCompact(dst[:0], compact)
		}
	})
}

func BenchmarkLoose(b *testing.B) {
	for _, mb := range []int{1, 4} {
		text := strings.Repeat(`{"{`, mb<<20/3)
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				rawjson.Loose(text)
			}
		})
	}
}
