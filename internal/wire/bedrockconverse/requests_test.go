package bedrockconverse_test

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
func desk(f func(*wire.Call)) wire.Call {
	c := call(chat.User(deskAsk))
	c.System = deskSystem
	f(&c)
	return c
}

func withChoice(t *testing.T, choice toolchoice.Choice) wire.Call {
	t.Helper()
	raw, err := choice.To(toolchoice.Bedrock)
	if err != nil {
		t.Fatal(err)
	}
	return desk(func(c *wire.Call) { c.Tools, c.Choice = deskTools(), raw })
}

// sayable is each request fixture as a call.
func sayable(t *testing.T) map[string]wire.Call {
	t.Helper()
	return map[string]wire.Call{
		"basic": desk(func(c *wire.Call) {
			c.MaxTokens, c.Temperature, c.TopP = 512, new(0.25), new(0.5)
			c.Stop = []string{"###"}
			c.Metadata = map[string]string{"desk": "4"}
		}),
		"cache": desk(func(c *wire.Call) { c.Cache = chat.Cache{System: true, TTL: time.Hour} }),
		"multimodal": call(asked(
			chat.Text{Text: "Which berth is marked?"},
			chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			chat.File{Name: "chart", MediaType: "application/pdf", Data: []byte("%PDF-1.4\n")},
		)),
		"structured": desk(func(c *wire.Call) {
			c.Format = &wire.Format{Name: "berth_plan", Schema: json.RawMessage(`{"type":"object","properties":{
				"vessel":{"type":"string"},"length_m":{"type":"number"},"berths":{"type":"array","items":{"type":"string"}},
				"note":{"type":["string","null"]}},"required":["vessel","length_m","berths","note"],"additionalProperties":false}`)}
		}),
		"thinking": desk(func(c *wire.Call) {
			c.MaxTokens = 6000
			c.Thinking = wire.Thinking{Type: "adaptive", Effort: "high"}
		}),
		"tool-choice-any":  withChoice(t, toolchoice.Any()),
		"tool-choice-auto": withChoice(t, toolchoice.Auto()),
		"tool-choice-tool": withChoice(t, toolchoice.Tool("get_tide")),
		"tool-results": desk(func(c *wire.Call) {
			c.Tools = deskTools()
			turn := decode(t, read(t, "fixtures", "thinking", "reply.json")).Message()
			calls := decode(t, read(t, "fixtures", "tool-calls-parallel", "reply.json")).ToolCalls()
			turn.Parts = []chat.Part{turn.Parts[0], calls[0], calls[1]}
			c.Messages = append(c.Messages, turn, chat.Results(
				chat.TextResult(calls[0].ID, `{"high_water":["05:52","18:14"]}`),
				chat.ErrorResult(calls[1].ID, "C-dock is full on that night"),
			))
		}),
	}
}

// unsayable is what the vocabulary has no word for: what is changed in a
// fixture before it is compared.
var unsayable = map[string]struct {
	change func(t *testing.T, request any)
	why    string
}{
	"tool-results": {
		func(t *testing.T, r any) {
			t.Helper()
			content, _ := at(t, r, "messages", 2, "content", 0, "toolResult", "content").([]any)
			content[0] = map[string]any{"text": `{"high_water":["05:52","18:14"]}`}
		},
		"a chat.ToolResult holds text, which stays text even where it is JSON",
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
				t.Logf("changed: %s", u.why)
				u.change(t, want)
			}
			got := encode(t, calls[name])
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
