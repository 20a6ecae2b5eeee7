package ollama_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) {
	wiretest.FuzzFrames(f, codec, wiretest.Seeds(f, "testdata", "stream."), func(body []byte) frame.Reader {
		return frame.NewNDJSON(bytes.NewReader(body), 0)
	})
}

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, codec, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, codec, "testdata") }

// FuzzEncode: whatever the strings are, the body is JSON.
func FuzzEncode(f *testing.F) {
	f.Add("hi", "call_1", `{"a":1}`, []byte("x"))
	f.Add("\u2028\x00\xff\"", "", "{\"cut", []byte("y"))
	f.Fuzz(func(t *testing.T, text, id, args string, data []byte) {
		user := chat.Message{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}, chat.Image{Data: append(data, 1)}}}
		turn := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: id, Name: "f" + text, Arguments: json.RawMessage(args)}}}
		enc, err := codec.EncodeRequest(wire.Call{
			Model: text, System: text, Stop: []string{text}, Messages: []chat.Message{user, turn, chat.Results(chat.ErrorResult(id, text))},
		})
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(enc.Body) {
			t.Fatalf("not JSON: %s", enc.Body)
		}
	})
}
