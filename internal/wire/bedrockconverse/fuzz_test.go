package bedrockconverse_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) {
	wiretest.FuzzFrames(f, bedrockconverse.Codec{}, lines(f), func(body []byte) frame.Reader {
		return &frames{strings.Split(string(body), "\n")}
	})
}

// lines are the streams of testdata in the form that frames reads.
func lines(tb testing.TB) [][]byte {
	tb.Helper()
	paths, err := filepath.Glob("testdata/fixtures/*/stream.eventstream")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no streams: %v", err)
	}
	out := make([][]byte, 0, len(paths))
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		var b strings.Builder
		r := frame.NewEventStream(file, 0)
		for f, err := r.Next(); err == nil; f, err = r.Next() {
			if f.Exception {
				b.WriteByte('!')
			}
			b.WriteString(string(f.Event) + " " + string(f.Data) + "\n")
		}
		r.Release()
		_ = file.Close()
		out = append(out, []byte(b.String()))
	}
	return out
}

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, bedrockconverse.Codec{}, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, bedrockconverse.Codec{}, "testdata") }

// FuzzSayBack says back whatever was received: the body is always JSON, and
// what was signed is in it.
func FuzzSayBack(f *testing.F) {
	for _, b := range wiretest.Seeds(f, "testdata", "reply.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := wiretest.Reply(bedrockconverse.Codec{}, body)
		if err != nil {
			return
		}
		c := toolCalls(chat.User("hi"), r.Message())
		c.Cache = chat.PromptCache{Auto: true, Messages: 1}
		e, err := bedrockconverse.Codec{}.EncodeRequest(c)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(e.Body) {
			t.Fatalf("not JSON: %s", e.Body)
		}
		var out struct {
			Messages []struct {
				Content []struct {
					Reasoning struct {
						Text struct {
							Signature string `json:"signature"`
						} `json:"reasoningText"`
						Redacted string `json:"redactedContent"`
					} `json:"reasoningContent"`
				} `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(e.Body, &out); err != nil {
			t.Fatalf("%v: %s", err, e.Body)
		}
		var tokens []string
		for _, m := range out.Messages {
			for _, b := range m.Content {
				if token := b.Reasoning.Text.Signature + b.Reasoning.Redacted; token != "" {
					tokens = append(tokens, token)
				}
			}
		}
		for _, p := range r.Parts {
			thought, ok := p.(chat.Thinking)
			if !ok || thought.Signature.Data == "" {
				continue
			}
			if len(tokens) == 0 || tokens[0] != thought.Signature.Data {
				t.Fatalf("signature %q did not go back in its place: %q", thought.Signature.Data, tokens)
			}
			tokens = tokens[1:]
		}
	})
}
