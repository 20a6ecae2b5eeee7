package engine

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/toolchoice"
)

// TestExtraNeverDoublesAMember: a member that is in the body already can't come
// in once more by Extra. Which of the two counted would depend on the reader.
func TestExtraNeverDoublesAMember(t *testing.T) {
	t.Parallel()
	half, seed := 0.5, int64(7)
	for _, entry := range Catalog() {
		t.Run(entry.Profile.Name, func(t *testing.T) {
			t.Parallel()
			eng, err := New(entry.Profile.Name, Config{Model: entry.Profile.Example, APIKey: "k", BaseURL: "http://127.0.0.1:1"})
			if err != nil {
				t.Fatal(err)
			}
			full := chat.Request{
				System: "Be brief.", Messages: chat.Prompt("Hi"), MaxTokens: 2000,
				Temperature: &half, TopP: &half, Seed: &seed, Stop: []string{"END"},
				Metadata: map[string]string{"user_id": "u"}, Cache: chat.PromptCache{Auto: true, Key: "c"},
				Adapt: chat.Adapt{ThinkingOff: true, ChoiceToAuto: true, Drop: []string{"Temperature", "TopP", "Seed", "Stop", "Tools"}},
			}
			withTools, withOutput, thinking := full, full, full
			withTools.Tools = []chat.ToolDef{{Name: "f", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}}
			withTools.ToolChoice = toolchoice.Any()
			withOutput.Output = &chat.Output{Name: "o", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)}
			thinking.Thinking, thinking.Adapt.ThinkingOff = chat.ThinkingConfig{Mode: chat.ThinkingOn}, false
			tried := 0
			for _, req := range []chat.Request{full, withTools, withOutput, thinking} {
				plan, err := eng.Plan(&req)
				if err != nil {
					if !errors.Is(err, chat.ErrUnsupported) {
						t.Fatal(err)
					}
					continue
				}
				body, err := plan.Body()
				if err != nil {
					t.Fatal(err)
				}
				for name, own := range members(t, body) {
					for _, value := range []json.RawMessage{json.RawMessage(`{}`), own} {
						tried++
						again := req
						again.Extra = chat.Extra{entry.Profile.Name: {name: value}}
						doubled, err := eng.Plan(&again)
						if err == nil {
							body, err = doubled.Body()
						}
						switch {
						case err == nil:
							members(t, body)
						case !errors.Is(err, chat.ErrInvalid):
							t.Errorf("%s: %v", name, err)
						}
					}
				}
			}
			if tried < 5 {
				t.Errorf("only %d members were tried", tried)
			}
		})
	}
}

// members are the members of a body, with those of the objects right in it under
// the object's name and a dot. None may be there twice.
func members(t *testing.T, body json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	list := func(prefix string, object json.RawMessage) map[string]json.RawMessage {
		found := map[string]json.RawMessage{}
		var s rawjson.Scanner
		s.Reset(object)
		for key := range s.Members() {
			name := string(key)
			if _, twice := found[name]; twice {
				t.Errorf("%s%s stands twice in %s", prefix, name, body)
			}
			found[name] = slices.Clone(s.Raw())
			out[prefix+name] = found[name]
		}
		return found
	}
	for name, value := range list("", body) {
		list(name+".", value)
	}
	return out
}

// TestExtraNeverGoesAround: these are in no body, but would move the
// conversation, the choice or the answer to where the plan doesn't see them.
func TestExtraNeverGoesAround(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect profile.Dialect
		members map[string]string
	}{
		{profile.OpenAIChat, map[string]string{
			"functions": `[]`, "function_call": `"none"`, "n": `2`, "stream_options": `{}`, "random_seed": `1`,
			"enable_thinking": `true`, "Tool_Choice": `"any"`, "chat_template_kwargs": `{"enable_thinking":true}`,
		}},
		{profile.AnthropicMessages, map[string]string{"output_format": `{}`, "toolChoice": `{"type":"any"}`, "stream": `true`}},
		{profile.OpenAIResponsesAPI, map[string]string{"previous_response_id": `"r"`, "conversation": `"c"`, "background": `true`, "store": `true`}},
		{profile.GeminiAPI, map[string]string{"continuationToken": `"t"`, "tool_config.function_calling_config": `{}`, "generationConfig.candidateCount": `2`}},
		{profile.AKINative, map[string]string{"key": `"k"`, "client_session_auth_key": `"k"`, "text_context": `""`, "prompt_input": `""`, "tool_choice": `"any"`}},
		{profile.OllamaAPI, map[string]string{"tool_choice": `"any"`, "Think": `true`}},
		{profile.BedrockConverse, map[string]string{"toolConfig": `{}`, "modelId": `"m"`}},
		{profile.CohereV2, map[string]string{"strict_tools": `true`, "p": `1`}},
	} {
		entry := Catalog()[slices.IndexFunc(Catalog(), func(e Entry) bool { return e.Profile.Dialect == tt.dialect })]
		eng, err := New(entry.Profile.Name, Config{Model: entry.Profile.Example, APIKey: "k", BaseURL: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range tt.members {
			_, err := eng.Plan(&chat.Request{
				Messages: chat.Prompt("Hi"),
				Extra:    chat.Extra{tt.dialect.String(): {name: json.RawMessage(value)}},
			})
			if !errors.Is(err, chat.ErrInvalid) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %s: %v", tt.dialect, name, err)
			}
		}
	}
}
