package gemini_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) { wiretest.FuzzEvents(f, codec, "testdata") }

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, codec, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, codec, "testdata") }

// FuzzSayBack says back whatever was received: the body is always JSON, and
// what was signed is in it, in its place.
func FuzzSayBack(f *testing.F) {
	for _, b := range wiretest.Seeds(f, "testdata", "reply.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := wiretest.Reply(codec, body)
		if err != nil {
			return
		}
		e, err := codec.EncodeRequest(call(chat.User("hi"), r.Message(), chat.User("go on")))
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Contents []struct {
				Parts []struct {
					Signature string `json:"thoughtSignature"`
				} `json:"parts"`
			} `json:"contents"`
		}
		if err := json.Unmarshal(e.Body, &out); err != nil {
			t.Fatalf("%v: %s", err, e.Body)
		}
		var tokens []string
		for _, c := range out.Contents {
			for _, p := range c.Parts {
				if p.Signature != "" {
					tokens = append(tokens, p.Signature)
				}
			}
		}
		for _, want := range signatures(r) {
			if len(tokens) == 0 || tokens[0] != want {
				t.Fatalf("signature %q did not go back in its place: %q", want, tokens)
			}
			tokens = tokens[1:]
		}
	})
}

// signatures lists the tokens of a reply that go back on its parts.
func signatures(r *chat.Reply) []string {
	var out []string
	for _, p := range r.Parts {
		var s chat.Signature
		switch p := p.(type) {
		case chat.Text:
			s = p.Signature
		case chat.Thinking:
			s = p.Signature
		case chat.ToolCall:
			s = p.Signature
		case chat.Image, chat.File, chat.Audio, chat.ToolResult:
		}
		if s.Data != "" && s.Kind != "continuation_token" {
			out = append(out, s.Data)
		}
	}
	return out
}
