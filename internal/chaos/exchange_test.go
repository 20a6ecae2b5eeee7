package chaos_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/internal/chaos"
)

const (
	idle     = 30 * time.Second
	deadline = 20 * time.Minute // of a call; only silence before the headers gets there
)

// exchange is a dialect, the engine that speaks it, and its stream.
type exchange struct {
	name         string
	engine       func(engine.Config) engine.Engine
	stream, kind string
	frames       func([]byte) []int
}

var exchanges = []exchange{
	{"openai-chat", func(c engine.Config) engine.Engine { return engine.NewOpenAICompatible(c) }, "stream.sse", "text/event-stream; charset=utf-8", events},
	{"hermes", func(c engine.Config) engine.Engine { return engine.NewHermes(engine.HermesConfig{Config: c}) }, "stream.sse", "text/event-stream", events},
	{"openai-responses", func(c engine.Config) engine.Engine { return engine.NewOpenAIResponses(c) }, "stream.sse", "text/event-stream; charset=utf-8", events},
	{"anthropic", func(c engine.Config) engine.Engine { return engine.NewAnthropic(c) }, "stream.sse", "text/event-stream; charset=utf-8", events},
	{"gemini", func(c engine.Config) engine.Engine { return engine.NewGemini(c) }, "stream.sse", "text/event-stream", events},
	{"ollama", func(c engine.Config) engine.Engine { return engine.NewOllama(c) }, "stream.ndjson", "application/x-ndjson", lines},
	{"cohere-v2", func(c engine.Config) engine.Engine { return engine.NewCohere(c) }, "stream.sse", "text/event-stream", events},
	{"bedrock-converse", func(c engine.Config) engine.Engine { return engine.NewBedrock(c) }, "stream.eventstream", "application/vnd.amazon.eventstream", messages},
	{"aki", func(c engine.Config) engine.Engine { return engine.NewAKI(c) }, "", "", nil},
}

func events(b []byte) []int { return ends(b, "\n\n") }

func lines(b []byte) []int { return ends(b, "\n") }

func ends(b []byte, mark string) (out []int) {
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(mark))
		if i < 0 {
			return out
		}
		at += i + len(mark)
		out = append(out, at)
	}
}

// messages are those of an AWS event stream, which begin with their length.
func messages(b []byte) (out []int) {
	for at := 0; at < len(b); {
		at += int(binary.BigEndian.Uint32(b[at:]))
		out = append(out, at)
	}
	return out
}

// reply is what the server says, whole or as a stream.
func (x exchange) reply(t *testing.T, streamed bool) chaos.Reply {
	t.Helper()
	file, kind := "reply.json", "application/json"
	if streamed && x.stream != "" {
		file, kind = x.stream, x.kind
	}
	body, err := os.ReadFile(filepath.Join("testdata", x.name, file))
	if err != nil {
		t.Fatal(err)
	}
	r := chaos.Reply{Type: kind, Body: body}
	if file == x.stream {
		r.Frames = x.frames(body)
	}
	return r
}

var request = &chat.Request{
	Model: "m-7", Messages: chat.Prompt("A berth for two nights, please."),
	Tools: []chat.ToolDef{
		{Name: "get_tide", Description: "High water.", Schema: json.RawMessage(`{"type":"object","properties":{"station":{"type":"string"},"day":{"type":"integer"}}}`)},
		{Name: "book_berth", Description: "A berth.", Schema: json.RawMessage(`{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"}}}`)},
	},
}

// outcome is how a call ended.
type outcome struct {
	reply *chat.Reply
	err   error
	ready []chat.ToolCall // ToolCallDone events
	took  time.Duration
	seen  chaos.Seen
}

// on is the engine on a network.
func (x exchange) on(n http.RoundTripper) engine.Engine {
	return x.engine(engine.Config{
		APIKey: "k-7777", BaseURL: "http://chaos.test/v1", Region: "eu-west-1", HTTPClient: &http.Client{Transport: n}, Idle: idle,
	})
}

// call makes one call in a bubble, and looks at what it left behind before
// cleaning up.
func call(t *testing.T, eng engine.Engine, n *chaos.Network, streamed bool) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	got := ask(ctx, eng, streamed)
	n.CloseIdle()
	time.Sleep(2 * chaos.DripPause) // a slow server notices
	synctest.Wait()
	got.seen = n.Seen()
	n.Abort()
	return got
}

func ask(ctx context.Context, eng engine.Engine, streamed bool) (out outcome) {
	start := time.Now()
	if !streamed {
		out.reply, out.err = eng.Chat(ctx, request)
		out.took = time.Since(start)
		return out
	}
	for ev, err := range eng.Stream(ctx, request) {
		out.err = err
		switch ev := ev.(type) {
		case chat.ToolCallDone:
			out.ready = append(out.ready, ev.Call)
		case chat.Done:
			out.reply = ev.Reply
		default:
		}
	}
	out.took = time.Since(start)
	return out
}
