package coherev2_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// The story of the request fixtures: a harbour desk.
const (
	deskSystem = "You answer for the harbour desk at Port Sorrel. Be brief."
	deskAsk    = "High water at Sorrel Bar on Friday, and a berth for Kittiwake?"
	reasoning  = "command-a-reasoning-08-2025"
)

func deskTools(strict bool) []chat.ToolDef {
	return []chat.ToolDef{{
		Name: "get_tide", Description: "High and low water for one station and day.", Strict: strict,
		Schema: json.RawMessage(`{"type":"object","properties":{"station":{"type":"string","description":"Tide station name"},
			"date":{"type":"string","description":"ISO date"}},"required":["station","date"],"additionalProperties":false}`),
	}, {
		Name: "book_berth", Description: "Reserve a visitor berth.", Strict: strict,
		Schema: json.RawMessage(`{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"},
			"shore_power":{"type":"boolean"}},"required":["vessel","nights","shore_power"],"additionalProperties":false}`),
	}}
}

// desk is a call in the story, changed by f.
func desk(f func(*wire.Call)) wire.Call {
	c := call(chat.User(deskAsk))
	c.System = deskSystem
	f(&c)
	return c
}

func withChoice(t *testing.T, choice toolchoice.Choice) wire.Call {
	t.Helper()
	raw, err := choice.To(toolchoice.Cohere)
	if err != nil {
		t.Fatal(err)
	}
	return desk(func(c *wire.Call) { c.Tools, c.Choice = deskTools(false), raw })
}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	return map[string]wire.Call{
		"basic": desk(func(c *wire.Call) {
			c.MaxTokens, c.Temperature, c.TopP, c.Seed = 512, new(0.25), new(0.5), new(int64(7))
			c.Stop = []string{"###"}
			c.Extra = []wire.Member{{Name: "k", Value: json.RawMessage("40")}}
		}),
		"stream": desk(func(c *wire.Call) { c.Stream = true }),
		"multimodal": {Model: "command-a-vision-07-2025", Messages: []chat.Message{asked(
			chat.Text{Text: "Which berth is marked?"},
			chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			chat.Image{URL: "https://harbour.example/plan.png", Detail: "low"},
		)}},
		"structured": desk(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth", Strict: true, Schema: json.RawMessage(`{"type":"object","properties":{
				"vessel":{"type":"string"},"length_m":{"type":"number"},"berths":{"type":"array","items":{"type":"string"}}},
				"required":["vessel","length_m","berths"]}`)}
		}),
		"json-object": desk(func(c *wire.Call) { c.Format = &wire.Format{Name: "any"} }),
		"thinking-budget": desk(func(c *wire.Call) {
			c.Model, c.MaxTokens, c.Thinking = reasoning, 6000, wire.Thinking{Type: "enabled", Budget: 2048}
		}),
		"thinking-disabled": desk(func(c *wire.Call) { c.Model, c.Thinking = reasoning, wire.Thinking{Type: "disabled"} }),
		"tool-choice-auto":  withChoice(t, toolchoice.Auto()),
		"tool-choice-any":   withChoice(t, toolchoice.Any()),
		"tool-choice-none":  withChoice(t, toolchoice.None()),
		"tools-strict":      desk(func(c *wire.Call) { c.Tools = deskTools(true) }),
		"tool-results": desk(func(c *wire.Call) {
			c.Tools = deskTools(false)
			turn := decode(t, read(t, "fixtures", "tool-calls-parallel", "reply.json"))
			calls := turn.ToolCalls()
			c.Messages = append(c.Messages, turn.Message(), chat.Results(
				chat.TextResult(calls[0].ID, `{"high_water":["05:52","18:14"]}`),
				chat.ToolResult{CallID: calls[1].ID, IsError: true, Parts: []chat.Part{
					chat.Text{Text: "C-dock is full on that night"},
					chat.File{Name: "rules.txt", MediaType: "text/plain; charset=utf-8", Data: []byte("No rafting.")},
				}},
			), chat.User("Any other dock is fine."))
		}),
		"thinking-replay": desk(func(c *wire.Call) {
			c.Model, c.Tools, c.Quirks.ReplayThinking = reasoning, deskTools(false), "thinking"
			turn := decode(t, read(t, "fixtures", "thinking-tool-call", "reply.json"))
			c.Messages = append(c.Messages, turn.Message(), chat.Results(chat.TextResult(turn.ToolCalls()[0].ID, "05:52")))
		}),
	}
}

func TestEncodesTheDocumentedRequests(t *testing.T) {
	t.Parallel()
	calls := sayable(t)
	files, err := os.ReadDir("testdata/requests")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(calls) {
		t.Errorf("%d requests in testdata, %d calls", len(files), len(calls))
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := tree(t, read(t, "requests", f.Name())), encode(t, calls[name])
			if !reflect.DeepEqual(tree(t, got), want) {
				w, _ := json.Marshal(want)
				t.Errorf("\n got %s\nwant %s", got, w)
			}
			if again := encode(t, calls[name]); again != got {
				t.Errorf("encoded again: %s", again)
			}
		})
	}
}
