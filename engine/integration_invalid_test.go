package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestInvalidRequestsSendNothing: what is wrong in itself is an error with the
// path of the field, before any network.
func TestInvalidRequestsSendNothing(t *testing.T) {
	t.Parallel()
	result := chat.Results(chat.TextResult("c1", "there"))
	for _, tt := range []struct {
		name, path string
		change     func(*chat.Request)
	}{
		{"unknown tool in the choice", "ToolChoice", func(r *chat.Request) { r.ToolChoice = toolchoice.Tool("rm") }},
		{"nameless tool in the choice", "ToolChoice", func(r *chat.Request) { r.ToolChoice = toolchoice.Tool("") }},
		{"choice without tools", "ToolChoice", func(r *chat.Request) { r.Tools, r.ToolChoice = nil, toolchoice.Any() }},
		{"duplicate tool", "Tools[2].Name", func(r *chat.Request) { r.Tools = append(slices.Clone(r.Tools), r.Tools[0]) }},
		{"nameless tool", "Tools[0].Name", func(r *chat.Request) { r.Tools = []chat.ToolDef{{}} }},
		{"schema that is none", "Tools[0].Schema", func(r *chat.Request) { r.Tools = []chat.ToolDef{{Name: "x", Schema: []byte(`{"type":7}`)}} }},
		{"output schema that is none", "Output.Schema", func(r *chat.Request) { r.Output = &chat.Output{Schema: []byte(`[]`)} }},
		{"empty conversation", "Messages", func(r *chat.Request) { r.Messages = nil }},
		{"orphan result", "Messages[1].Parts[0].CallID", func(r *chat.Request) { r.Messages = append(r.Messages, result) }},
		{"missing result", "Messages[1].Parts[0]", func(r *chat.Request) {
			call := chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{}`)}
			r.Messages = append(r.Messages, chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{call}}, chat.User("hm"))
		}},
		{"owned extra", `Extra["openai-chat"]["model"]`, func(r *chat.Request) {
			r.Tools = nil
			r.Extra = chat.Extra{}
		}},
		{"no model", "Model", func(r *chat.Request) { r.Model = "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				m := mock(t, entry, engine.Config{APIKey: testKey}, document(200, "{}"))
				req := hello(entry)
				req.Tools = matrixTools
				tt.change(req)
				member := ownedMember(entry)
				if req.Extra != nil {
					req.Extra[entry.Profile.Dialect.String()] = map[string]json.RawMessage{member: []byte(`"x"`)}
				}
				_, err := call(t, m, req)
				e, ok := errors.AsType[*chat.Error](err)
				path := strings.NewReplacer("openai-chat", entry.Profile.Dialect.String(), "model", member).Replace(tt.path)
				if !ok || !errors.Is(err, chat.ErrInvalid) || e.Param != path || e.Engine != entry.Profile.Name {
					t.Errorf("error %v, want ErrInvalid at %s", err, path)
				}
				if m.calls() != 0 {
					t.Errorf("%d requests were sent", m.calls())
				}
			})
		})
	}
}

// ownedMember is a member of the body that the planner alone writes.
func ownedMember(entry engine.Entry) string {
	switch entry.Profile.Dialect {
	case profile.GeminiAPI:
		return "contents"
	case profile.AKINative:
		return "chat_context"
	case profile.BedrockConverse:
		return "modelId"
	case profile.OpenAIChat, profile.AnthropicMessages, profile.OpenAIResponsesAPI, profile.OllamaAPI, profile.CohereV2:
	}
	return "model"
}
