package anthropic_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/wire/wiretest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
)

// deltas is a stream of n deltas with the same payload in one block.
func deltas(n int, block, delta string) []byte {
	var b bytes.Buffer
	b.WriteString("data: " + start + "\n\n")
	b.WriteString(`data: {"type":"content_block_start","index":0,"content_block":` + block + "}\n\n")
	for range n {
		b.WriteString("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":" + delta + "}\n\n")
	}
	b.WriteString("data: " + endTurn + "\n\ndata: " + stop + "\n\n")
	return b.Bytes()
}

const (
	textBlock = `{"type":"text","text":""}`
	callBlock = `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`
)

func play(tb testing.TB, body []byte) {
	tb.Helper()
	s := frame.NewSSE(bytes.NewReader(body), 0)
	defer s.Release()
	a := wire.NewAssembly(wire.Limits{})
	for !a.Stopped() {
		f, err := s.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := wire.ReadEvent(anthropic.Codec{}, a, f); err != nil {
			tb.Fatal(err)
		}
	}
	a.Reply()
}

// One allocation per delta is the event that the caller gets; escapes cost no
// more.
func TestAllocationsPerDelta(t *testing.T) { //nolint:paralleltest // it counts allocations
	const n = 5000
	for name, body := range map[string][]byte{
		"text":           deltas(n, textBlock, `{"type":"text_delta","text":" word"}`),
		"with an escape": deltas(n, textBlock, `{"type":"text_delta","text":"\n\"word\""}`),
		"arguments":      deltas(n, callBlock, `{"type":"input_json_delta","partial_json":"\"a\": 1,"}`),
	} {
		perDelta := testing.AllocsPerRun(3, func() { play(t, body) }) / n
		if perDelta > 1.75 { // the race detector drops pooled scanners now and then
			t.Errorf("%s: %.3f allocations per delta", name, perDelta)
		}
	}
}

func BenchmarkTextDeltas(b *testing.B) {
	const n = 20_000
	body := deltas(n, textBlock, `{"type":"text_delta","text":" word"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		play(b, body)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}

// Arguments in pieces of eight bytes: sixteen times as many take about sixteen
// times as long.
func BenchmarkArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 256 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			body := deltas(size/8, callBlock, `{"type":"input_json_delta","partial_json":"12345678"}`)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				play(b, body)
			}
		})
	}
}

// conversation is a hundred messages, 118 KB when encoded.
func conversation() wire.Call {
	c := call()
	c.System, c.Tools = wiretest.System, wiretest.Tools(true)
	text := strings.Repeat("The tide table says \"05:52\" and <18:14>;\n", 50)
	for i := range 25 {
		id := fmt.Sprintf("toolu_%d", i)
		c.Messages = append(c.Messages, chat.User(text[:1000]),
			wiretest.Said(thought(text[:800], base64.StdEncoding.EncodeToString([]byte(text[:180]))), wiretest.ToolCall(id, "get_tide", `{"station":"Sorrel Bar","date":"2026-12-04"}`)),
			chat.Results(chat.TextResult(id, text)), chat.Assistant(text[:200]))
	}
	return c
}

func BenchmarkEncode(b *testing.B) {
	c := conversation()
	e, err := anthropic.Codec{}.EncodeRequest(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("codec", func(b *testing.B) { wiretest.BenchEncode(b, anthropic.Codec{}, c) })
	b.Run("encoding-json", func(b *testing.B) { // the same body from structs
		var v body
		if err := json.Unmarshal(e.Body, &v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(e.Body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type body struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    []content `json:"system"`
	Messages  []struct {
		Role    string    `json:"role"`
		Content []content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
		Strict      bool            `json:"strict"`
	} `json:"tools"`
}

type content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  string          `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   []content       `json:"content,omitempty"`
}

func BenchmarkDecodeReply(b *testing.B) {
	body := []byte(wiretest.Read(b, "fixtures", "tool-calls-parallel", "reply.json"))
	wiretest.BenchReply(b, anthropic.Codec{}, body)
}
