package ollama_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

const (
	desk     = "You answer for the harbour desk at Port Sorrel. Be brief."
	question = "High water at Sorrel Bar on Friday, and a berth for Kittiwake?"

	tideSchema = `{"type":"object","properties":{"station":{"type":"string","description":"Tide station name"},` +
		`"date":{"type":"string","description":"ISO date"}},"required":["station","date"]}`
	berthSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"},` +
		`"shore_power":{"type":"boolean"}},"required":["vessel","nights","shore_power"]}`
	planSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"length_m":{"type":"number"},` +
		`"berths":{"type":"array","items":{"type":"string"}},"note":{"type":["string","null"]}},` +
		`"required":["vessel","length_m","berths","note"],"additionalProperties":false}`
	tideArgs  = `{"station":"Sorrel Bar","date":"2026-12-04"}`
	berthArgs = `{"vessel":"Kittiwake","nights":2,"shore_power":true}`
	thoughts  = "The visitor gave a date and a station. I need the tide table before offering a berth."
)

func harbour() []chat.ToolDef {
	return []chat.ToolDef{
		{Name: "get_tide", Description: "High and low water for one station and day.", Schema: json.RawMessage(tideSchema)},
		{Name: "book_berth", Description: "Reserve a visitor berth.", Schema: json.RawMessage(berthSchema)},
	}
}

func asked() wire.Call {
	return wire.Call{Model: "qwen3:8b", System: desk, Messages: chat.Prompt(question)}
}

func encode(t *testing.T, c wire.Call) []byte {
	t.Helper()
	enc, err := codec.EncodeRequest(c)
	if err != nil {
		t.Fatal(err)
	}
	if enc.Path != "/api/chat" {
		t.Errorf("path %q", enc.Path)
	}
	again, err := codec.EncodeRequest(c)
	if err != nil || !bytes.Equal(again.Body, enc.Body) {
		t.Errorf("second encoding differs: %s, %v", again.Body, err)
	}
	return enc.Body
}

func sameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// member is one member of a body, as JSON.
func member(t *testing.T, body []byte, name string) string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return string(m[name])
}

// stream decodes lines as an engine does.
func stream(lines ...string) (*chat.Reply, []chat.Event, error) {
	return wiretest.Collect(codec, frame.NewNDJSON(strings.NewReader(strings.Join(lines, "\n")), 0))
}
