package chat_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// filled sets every field of a value to something, and fails on a kind that it
// doesn't know, so that a new field can't be forgotten.
func filled(t *testing.T, v reflect.Value) {
	t.Helper()
	switch k := v.Kind(); {
	case k == reflect.Struct:
		for _, field := range v.Fields() {
			filled(t, field)
		}
	case k == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(t, v.Index(0))
	case v.CanInt():
		v.SetInt(7)
	case v.CanUint(): // a byte of JSON
		v.SetUint('1')
	case k == reflect.String:
		v.SetString("x")
	case k == reflect.Interface:
		v.Set(reflect.ValueOf(everyPart["synthetic call"]))
	default:
		t.Fatalf("a field of kind %s", k)
	}
}

// TestReplyRoundTrip: a reply survives storage, with every field and with few.
func TestReplyRoundTrip(t *testing.T) {
	t.Parallel()
	var whole chat.Reply
	filled(t, reflect.ValueOf(&whole).Elem())
	for name, in := range map[string]chat.Reply{
		"zero":        {},
		"every field": whole,
		"no parts":    {Parts: []chat.Part{}},
		"every part": {Parts: []chat.Part{
			everyPart["signed text"], everyPart["withheld thinking"], everyPart["cut arguments"], everyPart["image data"],
		}},
		"raw as received": {Raw: []byte("{ \"a\": 1.0,\n\"b\": \"<&>\" }\n"), Output: []byte(`{ "n": 12345678901234567890 }`)},
		"a limit of none": {RateLimit: chat.RateLimit{Requests: chat.Window{Limit: 60, Reset: time.Second}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			var out chat.Reply
			if err := json.Unmarshal(raw, &out); err != nil || !reflect.DeepEqual(in, out) {
				t.Errorf("%v\nstored %#v\nread   %#v\nas     %s", err, in, out, raw)
			}
		})
	}
}

// TestReplyIsReadWhole: what can't be read is an error, and leaves the target
// alone.
func TestReplyIsReadWhole(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"parts":[{"type":"hologram"}]}`: "hologram",
		`{"parts":7}`:                     "parts",
		`[]`:                              "array",
	} {
		out := chat.Reply{ID: "before"}
		err := json.Unmarshal([]byte(doc), &out)
		if err == nil || !strings.Contains(err.Error(), want) || out.ID != "before" {
			t.Errorf("%s: %v, %+v", doc, err, out)
		}
	}
	if _, err := json.Marshal(chat.Reply{Parts: []chat.Part{nil}}); err == nil {
		t.Error("a nil part was stored")
	}
}
