package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) { wiretest.FuzzEvents(f, anthropic.Codec{}, "testdata") }

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, anthropic.Codec{}, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, anthropic.Codec{}, "testdata") }

// FuzzSayBack says back whatever was received: the body is always JSON, and
// what was signed is in it.
func FuzzSayBack(f *testing.F) {
	for _, b := range wiretest.Seeds(f, "testdata", "reply.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := wiretest.Reply(anthropic.Codec{}, body)
		if err != nil {
			return
		}
		c := call(chat.User("hi"), r.Message())
		c.Cache.Messages = 2
		e, err := anthropic.Codec{}.EncodeRequest(c)
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Messages []struct {
				Content []struct {
					Signature string `json:"signature"`
					Data      string `json:"data"`
				} `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(e.Body, &out); err != nil {
			t.Fatalf("%v: %s", err, e.Body)
		}
		var tokens []string
		for _, m := range out.Messages {
			for _, b := range m.Content {
				if token := b.Signature + b.Data; token != "" {
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
