package anthropic_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// The story of the request fixtures: a harbour desk.
const (
	deskSystem = "You answer for the harbour desk at Port Sorrel. Be brief."
	deskAsk    = "High water at Sorrel Bar on Friday, and a berth for Kittiwake?"
)

func deskTools() []chat.ToolDef {
	return []chat.ToolDef{{
		Name: "get_tide", Description: "High and low water for one station and day.", Strict: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"station":{"type":"string","description":"Tide station name"},
			"date":{"type":"string","description":"ISO date"}},"required":["station","date"],"additionalProperties":false}`),
	}, {
		Name: "book_berth", Description: "Reserve a visitor berth.", Strict: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"vessel":{"type":"string"},"nights":{"type":"integer"},
			"shore_power":{"type":"boolean"}},"required":["vessel","nights","shore_power"],"additionalProperties":false}`),
	}}
}

// desk is a call in the story, changed by f.
func desk(model string, f func(*wire.Call)) wire.Call {
	c := wire.Call{Model: model, MaxTokens: 1024, System: deskSystem, Messages: chat.Prompt(deskAsk)}
	f(&c)
	return c
}

// forced is a call on the model that takes a forced choice, thinking off.
func forced(t *testing.T, choice toolchoice.Choice, serial bool) wire.Call {
	t.Helper()
	return desk("claude-haiku-5-5", func(c *wire.Call) {
		choose(t, c, choice, serial)
		c.Thinking.Type = "disabled"
	})
}

func choose(t *testing.T, c *wire.Call, choice toolchoice.Choice, serial bool) {
	t.Helper()
	raw, err := choice.To(toolchoice.Anthropic)
	if err != nil {
		t.Fatal(err)
	}
	c.Tools, c.Choice = deskTools(), raw
	if serial {
		c.ParallelTools = new(false)
	}
}

func withChoice(t *testing.T, choice toolchoice.Choice, serial bool) wire.Call {
	t.Helper()
	return desk("claude-sonnet-5-5", func(c *wire.Call) { choose(t, c, choice, serial) })
}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	const sonnet = "claude-sonnet-5-5"
	return map[string]wire.Call{
		"basic": desk(sonnet, func(c *wire.Call) {
			c.Stop = []string{"###"}
			c.Metadata = map[string]string{"user_id": "desk-4"}
			c.Extra = []wire.Member{{Name: "service_tier", Value: json.RawMessage(`"auto"`)}}
		}),
		"basic-2023-06-01": desk("claude-haiku-4-5", func(c *wire.Call) {
			c.Temperature = new(0.2)
			c.Stop = []string{"###"}
			c.Extra = []wire.Member{{Name: "top_k", Value: json.RawMessage("40")}}
		}),
		"cache": desk(sonnet, func(c *wire.Call) {
			c.Tools = deskTools()
			c.Cache = chat.Cache{Auto: true, Tools: true, System: true, TTL: time.Hour}
		}),
		"mid-conversation-system": desk(sonnet, func(c *wire.Call) {
			c.Messages = []chat.Message{
				chat.User("Hello"), chat.Assistant("Good morning."), chat.System("Answer in Irish from here on."), chat.User(deskAsk),
			}
		}),
		"multimodal": desk(sonnet, func(c *wire.Call) {
			c.Messages = []chat.Message{asked(
				chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
				chat.Image{URL: "https://harbour.example/plan.png"},
				chat.File{Name: "chart", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
				chat.Text{Text: "Which berth is marked?"},
			)}
		}),
		"structured": desk(sonnet, func(c *wire.Call) {
			c.Thinking.Effort = "low"
			c.Format = &wire.Format{Name: "berth", Strict: true, Schema: json.RawMessage(`{"type":"object","properties":{
				"vessel":{"type":"string"},"length_m":{"type":"number"},"berths":{"type":"array","items":{"type":"string"}},
				"note":{"type":["string","null"]}},"required":["vessel","length_m","berths","note"],"additionalProperties":false}`)}
		}),
		"thinking-adaptive": desk(sonnet, func(c *wire.Call) {
			c.MaxTokens = 16000
			c.Thinking = wire.Thinking{Type: "adaptive", Display: "summarized", Effort: "high"}
		}),
		"thinking-between-tools": desk(sonnet, func(c *wire.Call) {
			c.Tools = deskTools()
			c.Thinking = wire.Thinking{Type: "between_tools", Effort: "medium"}
		}),
		"thinking-enabled": desk("claude-haiku-4-5", func(c *wire.Call) {
			c.MaxTokens = 6000
			c.Thinking = wire.Thinking{Type: "enabled", Budget: 4096}
		}),
		"tool-choice-any":         forced(t, toolchoice.Any(), false),
		"tool-choice-any-serial":  forced(t, toolchoice.Any(), true),
		"tool-choice-auto":        withChoice(t, toolchoice.Auto(), false),
		"tool-choice-auto-serial": withChoice(t, toolchoice.Auto(), true),
		"tool-choice-none":        withChoice(t, toolchoice.None(), false),
		"tool-choice-tool":        forced(t, toolchoice.Tool("get_tide"), false),
		"tool-choice-tool-serial": forced(t, toolchoice.Tool("get_tide"), true),
		"tool-results": desk(sonnet, func(c *wire.Call) {
			c.Tools = deskTools()
			c.Thinking.Type = "adaptive"
			turn := decode(t, read(t, "fixtures", "thinking-tool-call", "reply.json")).Message()
			second := toolCall("toolu_01F0vcfRECKrgC2cjYQump0E", "book_berth", `{"vessel":"Kittiwake","nights":2,"shore_power":true}`)
			turn.Parts = append(turn.Parts, second)
			c.Messages = append(c.Messages, turn, chat.Results(
				chat.TextResult("toolu_01HkQqDiajZzg8yTYEBB52Yw", `{"high_water":["05:52","18:14"]}`),
				chat.ToolResult{CallID: second.ID, IsError: true, Parts: []chat.Part{
					chat.Text{Text: "C-dock is full on that night"},
					chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
				}},
			), chat.User("Any other dock is fine."))
		}),
	}
}

// unsayable is what the vocabulary has no word for: members of a fixture that
// are taken out of it, or put in, before it is compared.
var unsayable = map[string]struct {
	change func(request any)
	why    string
}{
	"multimodal": {
		func(r any) {
			doc, _ := r.(map[string]any)["messages"].([]any)[0].(map[string]any)["content"].([]any)[2].(map[string]any)
			delete(doc, "citations")
		},
		"chat.File has no switch for citations",
	},
	"cache": {
		func(r any) {
			hour := map[string]any{"type": "ephemeral", "ttl": "1h"}
			r.(map[string]any)["cache_control"] = hour
			r.(map[string]any)["tools"].([]any)[1].(map[string]any)["cache_control"] = hour
		},
		"chat.Cache has one lifetime for all marks",
	},
}

func TestEncodesTheOfficialRequests(t *testing.T) {
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
			want := tree(t, read(t, "requests", f.Name()))
			if u, ok := unsayable[name]; ok {
				t.Logf("changed, for %s", u.why)
				u.change(want)
			}
			got := encode(t, calls[name])
			if !reflect.DeepEqual(tree(t, got), want) {
				w, _ := json.Marshal(want)
				t.Errorf("\n got %s\nwant %s", got, w)
			}
		})
	}
}
