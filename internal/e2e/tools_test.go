//go:build e2e

package e2e_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

func TestToolRoundTrip(t *testing.T) {
	t.Parallel()
	choices := []toolchoice.Choice{{}, toolchoice.Auto(), toolchoice.Any(), weatherTool}
	for _, c := range choices {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			for d, f := range pairs(having(func(d dialect) bool { return canForce(d) || !c.Forced() }), forms) {
				t.Run(d.name+" "+f.name, func(t *testing.T) {
					t.Parallel()
					var rec recorder
					s := d.open(func(c *engine.Config) { c.HTTPClient = &http.Client{Transport: &rec} })
					req := askWith("What is the weather in Ghent?", c)
					call := wantOneCall(t, f.call(t, s, req), req)
					if call.Synthetic {
						t.Error("a native call is marked as synthetic")
					}
					if sent := rec.member(t, 0, d.choice...); sent != d.spelled[c] {
						t.Errorf("sent the choice %s, want %s", sent, d.spelled[c])
					}
					req.ToolChoice = toolchoice.Choice{}
					req.Messages = append(req.Messages, chat.Results(chat.TextResult(call.ID, "21 degrees")))
					got := f.call(t, s, req)
					if got.err != nil {
						t.Fatal(got.err)
					}
					if !strings.Contains(got.reply.Text(), "21 degrees") {
						t.Errorf("the answer after the result is %q", got.reply.Text())
					}
				})
			}
		})
	}
}

// wantOneCall checks for one call of get_weather with Ghent, and appends the
// reply to the conversation.
func wantOneCall(t *testing.T, got outcome, req *chat.Request) chat.ToolCall {
	t.Helper()
	if got.err != nil {
		t.Fatal(got.err)
	}
	calls := got.reply.ToolCalls()
	if len(calls) != 1 || calls[0].Name != "get_weather" || string(calls[0].Arguments) != `{"city":"Ghent"}` {
		t.Fatalf("got the calls %+v", calls)
	}
	if got.reply.Finish != chat.FinishToolCalls || got.reply.Text() != "" {
		t.Errorf("finish %s, text %q", got.reply.Finish, got.reply.Text())
	}
	if got.events != nil && len(got.ready()) != 1 {
		t.Errorf("the stream delivered %d calls as ready", len(got.ready()))
	}
	req.Messages = append(req.Messages, got.reply.Message())
	return calls[0]
}

func TestParallelCalls(t *testing.T) {
	t.Parallel()
	for d, f := range pairs(dialects, forms) {
		t.Run(d.name+" "+f.name, func(t *testing.T) {
			t.Parallel()
			got := f.call(t, d.open(nil), askWith("weather in Ghent and Bruges", toolchoice.Auto()))
			if got.err != nil {
				t.Fatal(got.err)
			}
			calls := got.reply.ToolCalls()
			args := make([]string, len(calls))
			ids := map[string]bool{}
			for i, c := range calls {
				args[i] = string(c.Arguments)
				ids[c.ID] = true
			}
			if want := `{"city":"Ghent"} {"city":"Bruges"}`; strings.Join(args, " ") != want || len(ids) != 2 {
				t.Errorf("got arguments %v, %d ids, want %s", args, len(ids), want)
			}
		})
	}
}

// The mock doesn't look at tool_choice, as some real servers don't.
func TestBrokenChoice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, prompt string
		choice       toolchoice.Choice
	}{
		{"text where any was asked", "talk instead", toolchoice.Any()},
		{"text where a tool was named", "talk instead", toolchoice.Tool("get_weather")},
		{"another tool than the one named", "take the other tool", toolchoice.Tool("get_weather")},
		{"a call under none", "call whatever is offered", toolchoice.None()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for d, f := range pairs(dialects, forms) {
				t.Run(d.name+" "+f.name, func(t *testing.T) {
					t.Parallel()
					got := f.call(t, d.open(nil), askWith(tt.prompt, tt.choice))
					if !errors.Is(got.err, chat.ErrToolChoiceUnmet) {
						t.Fatalf("got %v, %+v", got.err, got.reply)
					}
					if e, ok := errors.AsType[*chat.Error](got.err); !ok || e.Reply == nil || len(e.Reply.Parts) == 0 {
						t.Error("the error doesn't carry the reply")
					}
					if calls := got.ready(); len(calls) > 0 {
						t.Errorf("the stream delivered %+v as ready to run", calls)
					}
				})
			}
		})
	}
}

func TestForcedToolAsSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		prompt string
		choice toolchoice.Choice
		step   chat.PlanStepKind
		in     []dialect
	}{
		{"weather in Ghent", weatherTool, chat.StepToolAsSchema, []dialect{ollama, sonar}},
		{"pick a tool for Ghent", toolchoice.Any(), chat.StepToolsAsSchema, []dialect{ollama, sonar}},
	}
	for _, tt := range tests {
		t.Run(tt.choice.String(), func(t *testing.T) {
			t.Parallel()
			for d, f := range pairs(tt.in, forms) {
				t.Run(d.name+" "+f.name, func(t *testing.T) {
					t.Parallel()
					var rec recorder
					s := d.open(func(c *engine.Config) { c.HTTPClient = &http.Client{Transport: &rec} })
					req := askWith(tt.prompt, tt.choice)
					got := f.call(t, s, req)
					if call := wantOneCall(t, got, req); !call.Synthetic {
						t.Error("the call isn't marked as synthetic")
					}
					if tools := rec.member(t, 0, "tools"); tools != "" {
						t.Errorf("tools were sent: %s", tools)
					}
					if text := got.text(); text != "" {
						t.Errorf("the arguments were streamed as text: %q", text)
					}
					if !slices.ContainsFunc(got.reply.Steps, func(s chat.PlanStep) bool { return s.Kind == tt.step }) {
						t.Errorf("the reply tells the steps %+v", got.reply.Steps)
					}
				})
			}
		})
	}
}

func TestRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	for d, f := range pairs([]dialect{messages}, forms) {
		t.Run(d.name+" "+f.name, func(t *testing.T) {
			t.Parallel()
			s := d.open(nil)
			req := askWith("weather in Ghent", toolchoice.Tool("get_weather"))
			req.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOn, Budget: 1024}
			if got := f.call(t, s, req); !errors.Is(got.err, chat.ErrUnsupported) {
				t.Errorf("got %v, %+v", got.err, got.reply)
			}
			wantStatuses(t, s)
		})
	}
}

// On Messages the mock refuses a tool loop whose thinking isn't said back.
func TestThinkingIsSaidBack(t *testing.T) {
	t.Parallel()
	for d, f := range pairs(having(canThink), forms) {
		t.Run(d.name+" "+f.name, func(t *testing.T) {
			t.Parallel()
			s := d.open(nil)
			req := askWith("think first", toolchoice.Auto())
			req.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOn}
			got := f.call(t, s, req)
			call := wantOneCall(t, got, req)
			if !strings.HasPrefix(got.reply.Thoughts(), "The user wants the weather") {
				t.Errorf("thoughts: %q", got.reply.Thoughts())
			}
			if d.name == bedrock.name {
				return // unsigned by the mock, and only signed thoughts go back to Claude
			}
			req.Messages = append(req.Messages, chat.Results(chat.TextResult(call.ID, "21 degrees")))
			if got = f.call(t, s, req); got.err != nil || got.reply.Text() != "The tool agrees with my thought." {
				t.Errorf("got %v, %+v", got.err, got.reply)
			}
		})
	}
}

// What the Responses API encrypted goes back as it came, beside its call.
func TestEncryptedReasoningIsSaidBack(t *testing.T) {
	t.Parallel()
	for d, f := range pairs([]dialect{responses}, forms) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			var rec recorder
			s := d.open(func(c *engine.Config) { c.HTTPClient = &http.Client{Transport: &rec} })
			req := askWith("think first", toolchoice.Auto())
			req.Thinking = chat.ThinkingConfig{Mode: chat.ThinkingOn}
			got := f.call(t, s, req)
			call := wantOneCall(t, got, req)
			req.Messages = append(req.Messages, chat.Results(chat.TextResult(call.ID, "21 degrees")))
			if got = f.call(t, s, req); got.err != nil {
				t.Fatal(got.err)
			}
			var input []struct {
				Type      string `json:"type"`
				Encrypted string `json:"encrypted_content"`
			}
			if err := json.Unmarshal([]byte(rec.member(t, 1, "input")), &input); err != nil {
				t.Fatal(err)
			}
			types := make([]string, len(input))
			for i, item := range input {
				types[i] = item.Type
				if item.Type == "reasoning" && item.Encrypted == "" {
					t.Error("the reasoning goes back without its encrypted content")
				}
			}
			if want := []string{"message", "reasoning", "function_call", "function_call_output"}; !slices.Equal(types, want) {
				t.Errorf("said back %v, want %v", types, want)
			}
		})
	}
}
