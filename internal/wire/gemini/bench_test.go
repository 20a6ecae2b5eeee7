package gemini_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/gemini"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// stream is n frames with the same part, as the API sends them, and an end.
func stream(n int, part string) []byte {
	const rest = `,"usageMetadata":{"promptTokenCount":40,"candidatesTokenCount":3,"totalTokenCount":43,` +
		`"promptTokensDetails":[{"modality":"TEXT","tokenCount":40}]},"modelVersion":"gemini-3.8-flash","responseId":"6BwarBFdfaia8PfHV8zwgBp"}`
	var b bytes.Buffer
	for range n {
		b.WriteString(`data: {"candidates":[{"content":{"parts":[` + part + `],"role":"model"},"index":0}]` + rest + "\r\n\r\n")
	}
	b.WriteString(`data: {"candidates":[{"finishReason":"STOP"}]` + rest + "\r\n\r\n")
	return b.Bytes()
}

func play(tb testing.TB, body []byte) {
	tb.Helper()
	s := gemini.NewFrames(bytes.NewReader(body), 0)
	defer s.Release()
	a := wire.NewAssembly(wire.Limits{})
	for {
		f, err := s.Next()
		if err != nil {
			break
		}
		if _, err := wire.ReadEvent(codec, a, f); err != nil {
			tb.Fatal(err)
		}
	}
	if !a.Ended() {
		tb.Fatal("no end")
	}
	a.Reply()
}

// One allocation per delta is the event that the caller gets; escapes cost no
// more.
func TestAllocationsPerDelta(t *testing.T) { //nolint:paralleltest // it counts allocations
	const n = 5000
	for name, part := range map[string]string{
		"text":           `{"text":" word"}`,
		"with an escape": `{"text":"\n\"word\""}`,
		"thought":        `{"text":" word","thought":true}`,
	} {
		body := stream(n, part)
		perDelta := testing.AllocsPerRun(3, func() { play(t, body) }) / n
		if perDelta > 1.75 { // the race detector drops pooled scanners now and then
			t.Errorf("%s: %.3f allocations per delta", name, perDelta)
		}
	}
}

func BenchmarkTextDeltas(b *testing.B) {
	const n = 20_000
	body := stream(n, `{"text":" word"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		play(b, body)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}

// A string argument in pieces of eight bytes: sixteen times as many take about
// sixteen times as long.
func BenchmarkPartialArguments(b *testing.B) {
	for _, size := range []int{64 << 10, 256 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			first := sse(saying("", piece("f", true)))
			body := append([]byte(first), stream(size/8, piece("", true, `{"jsonPath":"$.a","stringValue":"12345678","willContinue":true}`))...)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				play(b, body)
			}
		})
	}
}

// conversation is a hundred messages.
func conversation() wire.Call {
	c := call()
	c.System, c.Tools = wiretest.System, wiretest.Tools(false)
	text := strings.Repeat("The tide table says \"05:52\" and <18:14>;\n", 50)
	for i := range 25 {
		id := fmt.Sprintf("id%d", i)
		c.Messages = append(c.Messages, chat.User(text[:1000]),
			wiretest.Said(chat.Thinking{Text: text[:800], Signature: chat.Signature{Kind: "thought"}}, signed(id, "get_tide", `{"station":"Sorrel Bar","date":"2026-12-04"}`, text[:16])),
			chat.Results(chat.TextResult(id, text)), chat.Assistant(text[:200]))
	}
	return c
}

func BenchmarkEncode(b *testing.B) {
	c := conversation()
	e, err := codec.EncodeRequest(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("codec", func(b *testing.B) { wiretest.BenchEncode(b, codec, c) })
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
	SystemInstruction content   `json:"systemInstruction"`
	Contents          []content `json:"contents"`
	Tools             []struct {
		FunctionDeclarations []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

type content struct {
	Role  string `json:"role"`
	Parts []struct {
		Text         string `json:"text,omitempty"`
		Thought      bool   `json:"thought,omitempty"`
		Signature    string `json:"thoughtSignature,omitempty"`
		FunctionCall *struct {
			ID   string          `json:"id,omitempty"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall,omitempty"`
		FunctionResponse *struct {
			ID       string          `json:"id,omitempty"`
			Name     string          `json:"name"`
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse,omitempty"`
	} `json:"parts"`
}

func BenchmarkDecodeReply(b *testing.B) {
	body := []byte(wiretest.Read(b, "fixtures", "tool-calls-parallel", "reply.json"))
	wiretest.BenchReply(b, codec, body)
}
