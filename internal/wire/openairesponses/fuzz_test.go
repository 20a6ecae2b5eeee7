package openairesponses_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func FuzzDecodeEvent(f *testing.F) { wiretest.FuzzEvents(f, codec, "testdata") }

func FuzzDecodeReply(f *testing.F) { wiretest.FuzzReply(f, codec, "testdata") }

func FuzzDecodeError(f *testing.F) { wiretest.FuzzError(f, codec, "testdata") }

// FuzzEncode: whatever the strings are, the body is JSON.
func FuzzEncode(f *testing.F) {
	f.Add("hi", "call_1", `{"a":1}`, "image/png", []byte("x"))
	f.Add("\u2028\x00\xff\"", "", "{\"cut", "a\"b", []byte(nil))
	f.Fuzz(func(t *testing.T, text, id, data, media string, b []byte) {
		said := wiretest.Said(
			chat.Thinking{Signature: signed("reasoning_item", data)}, chat.Thinking{Signature: signed("item", data)},
			chat.Text{Text: text, Signature: signed("message", data)},
			chat.ToolCall{ID: id, Name: text, Arguments: json.RawMessage(data), Signature: signed("item_id", media)},
		)
		enc, err := codec.EncodeRequest(wire.Call{
			Model: text, System: id, Metadata: map[string]string{text: id},
			Messages: []chat.Message{wiretest.Asked(chat.Text{Text: text}, chat.Image{MediaType: media + "/", Data: b}), said, chat.Results(chat.ErrorResult(id, text))},
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

// FuzzTwin: a response says the same alone and as the end of a stream.
func FuzzTwin(f *testing.F) {
	for _, b := range wiretest.Seeds(f, "testdata", "reply.") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, err := wiretest.Reply(codec, body)
		if err != nil || whole.Finish == chat.FinishOther {
			return
		}
		events := []byte(`{"type":"response.completed","response":` + string(body) + `}`)
		a := wire.NewAssembly(wire.Limits{})
		if _, err := wire.ReadEvent(codec, a, frame.Frame{Data: events}); err != nil {
			t.Fatalf("as an event: %v", err)
		}
		last := a.Reply()
		if !reflect.DeepEqual(withoutIDs(last), withoutIDs(whole)) || last.Finish != whole.Finish || last.Usage != whole.Usage {
			t.Errorf("stream %+v, reply %+v", last, whole)
		}
	})
}

// withoutIDs are a reply's parts without ids that were made up.
func withoutIDs(r *chat.Reply) []chat.Part {
	out := make([]chat.Part, len(r.Parts))
	for i, p := range r.Parts {
		if c, ok := p.(chat.ToolCall); ok {
			c.ID = ""
			p = c
		}
		out[i] = p
	}
	return out
}
