package ollama_test

import (
	"encoding/json"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// TestRequestFixtures builds every request that Ollama's own types accept. What
// our vocabulary has no field for comes from Extra.
func TestRequestFixtures(t *testing.T) {
	t.Parallel()
	wiretest.Requests(t, codec, requestFixtures(), nil)
}

func requestFixtures() map[string]wire.Call {
	basic := asked()
	basic.MaxTokens, basic.Temperature, basic.TopP, basic.Seed = 512, new(0.2), new(0.9), new(int64(7))
	basic.Stop, basic.Thinking.Type = []string{"###"}, "disabled"
	basic.Extra = []wire.Member{
		{Name: "keep_alive", Value: json.RawMessage(`"5m"`)},
		{Name: "options", Value: json.RawMessage(`{"top_k":40}`)},
	}
	forced, object, structured, level := asked(), asked(), asked(), asked()
	forced.Format = &wire.Format{Name: "get_tide", Schema: json.RawMessage(wiretest.TideSchema)}
	object.Format = &wire.Format{}
	structured.Format = &wire.Format{Name: "berth_plan", Schema: json.RawMessage(wiretest.PlanSchema)}
	level.Model, level.Stream, level.Thinking.Effort = "gpt-oss:20b", true, "high"

	picture := wire.Call{Model: "gemma4", Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{
		chat.Text{Text: "Which berth is marked?"},
		chat.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
	}}}}

	tools, results := asked(), asked()
	tools.Tools, results.Tools = harbour(), harbour()
	results.Messages = append(results.Messages,
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
			chat.Thinking{Text: thoughts},
			chat.ToolCall{ID: "call_xdzze4t4", Name: "get_tide", Arguments: json.RawMessage(wiretest.TideArgs)},
			chat.ToolCall{ID: "call_lzbtqrm3", Name: "book_berth", Arguments: json.RawMessage(wiretest.BerthArgs)},
		}},
		chat.Results(chat.TextResult("call_xdzze4t4", `{"high_water":["05:52","18:14"]}`),
			chat.ErrorResult("call_lzbtqrm3", "C-dock is full on that night")))

	return map[string]wire.Call{
		"basic": basic, "forced-tool-as-format": forced, "json-mode": object, "structured": structured,
		"thinking-level": level, "multimodal": picture, "tools": tools, "tool-results": results,
	}
}
