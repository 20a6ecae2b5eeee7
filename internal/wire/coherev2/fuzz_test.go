package coherev2_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/coherev2"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) { wiretest.FuzzEvents(f, coherev2.Codec{}, "testdata") }

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, coherev2.Codec{}, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, coherev2.Codec{}, "testdata") }

// FuzzSayBack says back whatever was received: the body is always JSON.
func FuzzSayBack(f *testing.F) {
	for _, b := range wiretest.Seeds(f, "testdata", "reply.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := wiretest.Reply(coherev2.Codec{}, body)
		if err != nil {
			return
		}
		c := call(chat.User("hi"), r.Message())
		c.Quirks.ReplayThinking = "thinking"
		e, err := coherev2.Codec{}.EncodeRequest(c)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(e.Body) {
			t.Fatalf("not JSON: %s", e.Body)
		}
	})
}
