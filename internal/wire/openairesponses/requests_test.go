package openairesponses_test

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

const (
	desk     = "You answer for the harbour desk at Port Sorrel. Be brief."
	question = "High water at Sorrel Bar on Friday, and a berth for Kittiwake?"

	tideSchema = `{"type":"object","properties":{"station":{"type":"string","description":"Tide station name"},` +
		`"date":{"type":"string","description":"ISO date"}},"required":["station","date"],"additionalProperties":false}`
	berthSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"},` +
		`"shore_power":{"type":"boolean"}},"required":["vessel","nights","shore_power"],"additionalProperties":false}`
	planSchema = `{"type":"object","properties":{"vessel":{"type":"string"},"length_m":{"type":"number"},` +
		`"berths":{"type":"array","items":{"type":"string"}},"note":{"type":["string","null"]}},` +
		`"required":["vessel","length_m","berths","note"],"additionalProperties":false}`
	tideCall  = "call_Q9Tzggv72ZFJB5PhohMWpr2z"
	berthCall = "call_MbKdjvyYQ95mYxX9H6bn8pie"
)

var png = chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), Detail: "low"}

func harbour() []chat.ToolDef {
	return []chat.ToolDef{
		{Name: "get_tide", Description: "High and low water for one station and day.", Schema: json.RawMessage(tideSchema), Strict: true},
		{Name: "book_berth", Description: "Reserve a visitor berth.", Schema: json.RawMessage(berthSchema), Strict: true},
	}
}

// asked is a call in the story of the fixtures, changed by f.
func asked(f func(c *wire.Call)) wire.Call {
	c := wire.Call{Model: "gpt-6-sol", System: desk, Messages: chat.Prompt(question)}
	f(&c)
	return c
}

func choosing(t *testing.T, choice toolchoice.Choice, f func(c *wire.Call)) wire.Call {
	t.Helper()
	raw, err := choice.To(toolchoice.Responses)
	if err != nil {
		t.Fatal(err)
	}
	return asked(func(c *wire.Call) {
		c.Tools, c.Choice = harbour(), raw
		f(c)
	})
}

func asIs(*wire.Call) {}

// sayable is each request fixture as a call. In basic, the members without a
// field come from Extra.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	return map[string]wire.Call{
		"basic": asked(func(c *wire.Call) {
			c.MaxTokens, c.ParallelTools, c.Cache.Key = 512, new(true), "desk-4"
			c.Metadata = map[string]string{"desk": "4"}
			c.Thinking = wire.Thinking{Effort: "low", Display: "summarized"}
			c.Extra = extra("safety_identifier", `"desk-4"`, "service_tier", `"auto"`, "text", `{"verbosity":"low"}`)
		}),
		"multimodal": {Model: "gpt-6-sol", Messages: []chat.Message{user(
			chat.Text{Text: "Which berth is marked?"}, png,
			chat.File{Name: "chart.pdf", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
		)}},
		"replay-reasoning": asked(func(c *wire.Call) {
			c.Tools = harbour()
			said := decoded(t, read(t, "openai", "thinking-tool-call", "reply.json")).Message()
			c.Messages = append(c.Messages, said, chat.Results(chat.TextResult(tideCall, `{"high_water":["05:52","18:14"]}`)))
		}),
		"structured": asked(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth_plan", Schema: json.RawMessage(planSchema), Strict: true}
		}),
		"tool-choice-allowed": choosing(t, toolchoice.Any(), func(c *wire.Call) { c.Allowed = []string{"get_tide"} }),
		"tool-choice-any":     choosing(t, toolchoice.Any(), asIs),
		"tool-choice-auto":    choosing(t, toolchoice.Auto(), asIs),
		"tool-choice-none":    choosing(t, toolchoice.None(), asIs),
		"tool-choice-tool":    choosing(t, toolchoice.Tool("get_tide"), func(c *wire.Call) { c.ParallelTools = new(false) }),
		"tool-results": asked(func(c *wire.Call) {
			c.Tools = harbour()
			said := decoded(t, read(t, "openai", "tool-calls-parallel", "reply.json")).Message()
			c.Messages = append(c.Messages, said, chat.Results(
				chat.TextResult(tideCall, `{"high_water":["05:52","18:14"]}`),
				chat.ToolResult{CallID: berthCall, Parts: []chat.Part{chat.Text{Text: "C-dock is full on that night"}, png}},
			))
		}),
	}
}

// unsayable are the fixtures that sabir doesn't send, on purpose.
var unsayable = map[string]string{
	"previous-response":       "the conversation is sent whole, nothing is stored at the provider",
	"tool-choice-hosted":      "tools of the provider have no place in chat.Request.Tools",
	"tool-choice-mcp":         "tools of the provider have no place in chat.Request.Tools",
	"tool-choice-tool-custom": "custom tools take free text, sabir's tools have a schema",
}

func TestRequestFixtures(t *testing.T) {
	t.Parallel()
	calls := sayable(t)
	files, err := os.ReadDir("testdata/requests")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(calls)+len(unsayable) {
		t.Errorf("%d requests in testdata, %d calls, %d that can't be said", len(files), len(calls), len(unsayable))
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".json")
		if unsayable[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := tree(t, read(t, "requests", f.Name()))
			if name == "multimodal" { // it leaves store to the provider, which would store
				want["store"] = false
			}
			if got := encode(t, calls[name]); !reflect.DeepEqual(tree(t, got), want) {
				w, _ := json.Marshal(want)
				t.Errorf("\n got %s\nwant %s", got, w)
			}
		})
	}
}
