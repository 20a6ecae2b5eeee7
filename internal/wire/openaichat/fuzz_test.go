package openaichat_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) { wiretest.FuzzEvents(f, codec, "testdata") }

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, codec, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, codec, "testdata") }

// FuzzEncode: whatever the strings are, the body is JSON, and texts and ids
// come out of it as encoding/json would have written them.
func FuzzEncode(f *testing.F) {
	f.Add("hi", "call_1", `{"a":1}`, "image/png", []byte("x"))
	f.Add("\u2028\x00\xff\"", "", "{\"cut", "a\"b", []byte(nil))
	f.Fuzz(func(t *testing.T, text, id, args, media string, data []byte) {
		parts := []chat.Part{chat.Text{Text: text}, chat.Image{MediaType: media + "/", Data: data}}
		turn := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: id, Name: text, Arguments: json.RawMessage(args)}}}
		enc, err := codec.EncodeRequest(wire.Call{
			Model: text, System: text, Messages: []chat.Message{{Role: chat.RoleUser, Parts: parts}, turn, chat.Results(chat.ErrorResult(id, text))},
			Stop: []string{text}, Metadata: map[string]string{text: id}, Quirks: wire.Quirks{ShortToolIDs: len(id)%2 == 0},
		})
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Model string `json:"model"`
		}
		if err := json.Unmarshal(enc.Body, &sent); err != nil {
			t.Fatalf("%v in %s", err, enc.Body)
		}
		if want := string([]rune(text)); sent.Model != want {
			t.Errorf("got %q, want %q", sent.Model, want)
		}
	})
}
