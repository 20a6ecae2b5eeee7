package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// conversation is a turn with a thought and a call, as the named engine would
// have made it, and its result.
func conversation(by string, synthetic bool) []chat.Message {
	call := chat.ToolCall{ID: "c1", Name: "place", Arguments: []byte(`{"city":"Ghent"}`)}
	if synthetic {
		call.Synthetic = true
		call.Signature = chat.Signature{Engine: by, Kind: "rewrite", Data: "```json\n{\"city\":\"Ghent\"}\n```"}
	}
	return []chat.Message{
		chat.User("Where?"),
		{Role: chat.RoleAssistant, Parts: []chat.Part{
			chat.Thinking{Text: "A castle.", Signature: chat.Signature{Engine: by, Kind: "signature", Data: "c2ln"}},
			call,
		}},
		chat.Results(chat.TextResult("c1", "51.05 N")),
		chat.User("And now?"),
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, engine, model string
		history             []chat.Message
		steps               []chat.PlanStepKind
		has, lacks          []string
	}{
		{
			"own thoughts go back", "anthropic", "claude-sonnet-4-5", conversation("anthropic", false),
			nil,
			[]string{`"thinking":"A castle."`, `"signature":"c2ln"`, `"type":"tool_use"`, `"tool_use_id":"c1"`},
			nil,
		},
		{
			"foreign thoughts don't", "anthropic", "claude-sonnet-4-5", conversation("deepseek", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{`"type":"tool_use"`, `"tool_use_id":"c1"`},
			[]string{"castle", "c2ln"},
		},
		{
			"a rewritten turn goes back as the text it was", "anthropic", "claude-opus-5-5", conversation("anthropic", true),
			[]chat.PlanStepKind{chat.StepHistoryAsText},
			[]string{"```json", "Result of place: 51.05 N", `"signature":"c2ln"`},
			[]string{"tool_use", "tool_result"},
		},
		{
			"elsewhere it is a call like any other", "openai", "gpt-4.1", conversation("perplexity", true),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{`"tool_calls"`, `"tool_call_id":"c1"`},
			[]string{"```json"},
		},
		{
			"an engine without tools is shown no calls", "perplexity", "sonar", conversation("openai", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut, chat.StepHistoryAsText},
			[]string{"Call of place with", "Result of place: 51.05 N"},
			[]string{"tool_calls", `"role":"tool"`, "castle"},
		},
		{
			"gemini gets a stand-in for a signature", "gemini", "gemini-3.8-flash", conversation("openai", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{`"functionCall"`, `"functionResponse"`},
			[]string{"castle", "c2ln"},
		},
		{
			"bedrock wants the tools of earlier calls", "bedrock", "amazon.nova-pro-v1:0", conversation("openai", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{`"toolUse"`, `"toolResult"`, `"toolSpec"`},
			[]string{"castle", `"toolChoice"`},
		},
		{
			"bedrock's own thoughts go back", "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", conversation("bedrock", false),
			nil,
			[]string{`"reasoningText"`, `"signature":"c2ln"`},
			nil,
		},
		{
			"responses are shown calls as items", "openai-responses", "gpt-5.6", conversation("anthropic", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{`"type":"function_call"`, `"call_id":"c1"`, `"type":"function_call_output"`},
			[]string{"castle", "c2ln"},
		},
		{
			"cohere", "cohere", "command-a-03-2025", conversation("openai", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{`"tool_calls"`, `"tool_call_id":"c1"`},
			[]string{"castle"},
		},
		{
			"a rewritten turn of ollama's goes back as the text it was", "ollama", "qwen3.5", conversation("ollama", true),
			[]chat.PlanStepKind{chat.StepHistoryAsText},
			[]string{"```json", "Result of place: 51.05 N"},
			[]string{`"tool_calls"`, `"role":"tool"`},
		},
		{
			"hermes is shown calls in words", "hermes", "hermes-3-llama-3.1-8b", conversation("openai", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{"<tool_call>", "<tool_response>", "51.05 N"},
			[]string{`"tool_calls"`, `"role":"tool"`, "castle"},
		},
		{
			"aki is shown calls in words", "aki", "llama3_8b_chat", conversation("openai", false),
			[]chat.PlanStepKind{chat.StepPartsLeftOut},
			[]string{"<tool_call>", "<tool_response>", "51.05 N"},
			[]string{"castle"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := &chat.Request{
				Model: tt.model, Messages: tt.history, Tools: matrixTools, ToolChoice: toolchoice.None(),
			}
			plan, _ := planned(t, tt.engine, req)
			body := string(bodyOf(t, plan))
			for _, s := range tt.has {
				if !strings.Contains(body, s) {
					t.Errorf("the body lacks %s\n%s", s, body)
				}
			}
			for _, s := range tt.lacks {
				if strings.Contains(body, s) {
					t.Errorf("the body has %s\n%s", s, body)
				}
			}
			var kinds []chat.PlanStepKind
			for _, s := range plan.Steps {
				if s.Kind != chat.StepToolsLeftOut {
					kinds = append(kinds, s.Kind)
				}
			}
			slices.Sort(kinds)
			slices.Sort(tt.steps)
			if !slices.Equal(kinds, tt.steps) {
				t.Errorf("steps %v, want %v", kinds, tt.steps)
			}
		})
	}
}

// TestTurnsAlternateWhereResultsBecameText: some providers insist on it.
func TestTurnsAlternateWhereResultsBecameText(t *testing.T) {
	t.Parallel()
	_, body := planned(t, "perplexity", &chat.Request{Model: "sonar", Messages: conversation("perplexity", true)})
	messages := body["messages"].([]any)
	roles := make([]any, 0, len(messages))
	for _, m := range messages {
		roles = append(roles, at(m, "role"))
	}
	if got := asJSON(roles); got != `["user","assistant","user"]` {
		t.Errorf("roles %s", got)
	}
}

// TestRewrittenConversationGoesOn: what a rewrite made can be said back.
func TestRewrittenConversationGoesOn(t *testing.T) {
	t.Parallel()
	req := forced("sonar")
	eng := onServer(entryOf(t, "perplexity"), server{answer: answer{text: `{"city":"Ghent"}`}})
	reply, err := eng.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	next := *req
	next.ToolChoice = toolchoice.None()
	next.Messages = append(slices.Clone(req.Messages), reply.Message(), chat.Results(chat.TextResult(reply.ToolCalls()[0].ID, "there")))
	plan, err := eng.Plan(&next)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"content":"Where?","role":"user"},{"content":"{\"city\":\"Ghent\"}","role":"assistant"},{"content":"Result of place: there","role":"user"}]`
	if body := string(bodyOf(t, plan)); !jsonContains(t, bodyOf(t, plan), "messages", want) {
		t.Errorf("body %s", body)
	}
}
