package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	call := chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{}`)}
	for _, tt := range []struct {
		name  string
		param string
		edit  func(*chat.Request)
	}{
		{"no model", "Model", func(r *chat.Request) { r.Model = "" }},
		{"no messages", "Messages", func(r *chat.Request) { r.Messages = nil }},
		{"unknown tool", "ToolChoice", func(r *chat.Request) { r.ToolChoice = toolchoice.Tool("rm") }},
		{"nameless choice", "ToolChoice", func(r *chat.Request) { r.ToolChoice = toolchoice.Tool("") }},
		{"choice without tools", "ToolChoice", func(r *chat.Request) { r.Tools = nil }},
		{"none without tools", "ToolChoice", func(r *chat.Request) { r.Tools, r.ToolChoice = nil, toolchoice.None() }},
		{"duplicate names", "Tools[1].Name", func(r *chat.Request) {
			r.Tools = []chat.ToolDef{{Name: "a"}, {Name: "a"}}
			r.ToolChoice = toolchoice.Auto()
		}},
		{"nameless tool", "Tools[1].Name", func(r *chat.Request) { r.Tools = []chat.ToolDef{matrixTools[0], {}} }},
		{"dotted name", "Tools[1].Name", func(r *chat.Request) { r.Tools = []chat.ToolDef{matrixTools[0], {Name: "a.b"}} }},
		{"long name", "Tools[0].Name", func(r *chat.Request) { r.Tools = []chat.ToolDef{{Name: strings.Repeat("a", 65)}} }},
		{"schema not JSON", "Tools[0].Schema", func(r *chat.Request) { r.Tools = []chat.ToolDef{{Name: "place", Schema: []byte(`{`)}} }},
		{"schema not a schema", "Tools[0].Schema", func(r *chat.Request) {
			r.Tools = []chat.ToolDef{{Name: "place", Schema: []byte(`{"type":"object","properties":{"a":{"type":"strung"}}}`)}}
		}},
		{"schema of a list", "Tools[0].Schema", func(r *chat.Request) {
			r.Tools = []chat.ToolDef{{Name: "place", Schema: []byte(`{"type":"array","items":{}}`)}}
		}},
		{"allowed but not offered", "AllowedTools[0]", func(r *chat.Request) { r.AllowedTools = []string{"rm"} }},
		{"nothing allowed", "AllowedTools", func(r *chat.Request) { r.AllowedTools = []string{} }},
		{"named but not allowed", "ToolChoice", func(r *chat.Request) { r.AllowedTools = []string{"trip"} }},
		{"output schema", "Output.Schema", func(r *chat.Request) {
			r.ToolChoice, r.Output = toolchoice.Auto(), &chat.Output{Schema: []byte(`[]`)}
		}},
		{"output name", "Output.Name", func(r *chat.Request) {
			r.ToolChoice, r.Output = toolchoice.Auto(), &chat.Output{Name: "a b"}
		}},
		{"negative limit", "MaxTokens", func(r *chat.Request) { r.MaxTokens = -1 }},
		{"temperature", "Temperature", func(r *chat.Request) { r.Temperature = new(-1.0) }},
		{"empty stop", "Stop[1]", func(r *chat.Request) { r.Stop = []string{"x", ""} }},
		{"effort while off", "Thinking", func(r *chat.Request) {
			r.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOff, Effort: chat.EffortLow}
		}},
		{"unknown mode", "Thinking.Mode", func(r *chat.Request) { r.Thinking.Mode = "hard" }},
		{"unknown effort", "Thinking.Effort", func(r *chat.Request) { r.Thinking.Effort = "huge" }},
		{"orphan result", "Messages[1].Parts[0].CallID", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Results(chat.TextResult("c9", "x")))
		}},
		{"missing result", "Messages[1].Parts[0]", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call}}, chat.User("well?"))
		}},
		{"missing result at the end", "Messages[1].Parts[0]", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call}})
		}},
		{"result given twice", "Messages[2].Parts[1].CallID", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call}},
				chat.Results(chat.TextResult("c1", "x"), chat.TextResult("c1", "y")))
		}},
		{"two calls of one id", "Messages[1].Parts[1].ID", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call, call}})
		}},
		{"call by the user", "Messages[0].Parts[0]", func(r *chat.Request) {
			r.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{call}}}
		}},
		{"nil part", "Messages[0].Parts[0]", func(r *chat.Request) {
			r.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{nil}}}
		}},
		{"unknown role", "Messages[0].Role", func(r *chat.Request) { r.Messages = []chat.Message{{Role: "bot"}} }},
		{"empty user message", "Messages[0].Parts", func(r *chat.Request) { r.Messages = []chat.Message{{Role: chat.RoleUser}} }},
		{"image of nothing", "Messages[0].Parts[0]", func(r *chat.Request) {
			r.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Image{}}}}
		}},
		{"thought in a result", "Messages[2].Parts[0].Parts[0]", func(r *chat.Request) {
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call}},
				chat.Results(chat.ToolResult{CallID: "c1", Parts: []chat.Part{chat.Thinking{Text: "x"}}}))
		}},
		{"owned extra", `Extra["openai-chat"]["tool_choice"]`, func(r *chat.Request) {
			r.Extra = chat.Extra{"openai-chat": {"tool_choice": json.RawMessage(`"auto"`)}}
		}},
		{"extra not JSON", `Extra["openai"]["x"]`, func(r *chat.Request) {
			r.Extra = chat.Extra{"openai": {"x": json.RawMessage(`{`)}}
		}},
		{"extra for nobody", `Extra["openai_chat"]`, func(r *chat.Request) {
			r.Extra = chat.Extra{"openai_chat": {"x": json.RawMessage(`1`)}}
		}},
		{"allowed twice", "AllowedTools[1]", func(r *chat.Request) { r.AllowedTools = []string{"place", "place"} }},
		{"only the system", "Messages", func(r *chat.Request) { r.Messages = []chat.Message{chat.System("Be brief.")} }},
		{"mark beyond the end", "Cache.Messages", func(r *chat.Request) { r.Cache.Messages = 9 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := forced("gpt-4.1")
			tt.edit(req)
			_, err := engine.NewOpenAI(engine.Config{}).Plan(req)
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || !errors.Is(err, chat.ErrInvalid) {
				t.Fatalf("error %v, want ErrInvalid", err)
			}
			if e.Param != tt.param || e.Engine != "openai" {
				t.Errorf("engine %q, path %q, want openai, %q: %v", e.Engine, e.Param, tt.param, err)
			}
		})
	}
}
