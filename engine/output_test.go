package engine_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
)

// jsonContains reports whether a member of a body is the wanted JSON value.
func jsonContains(t *testing.T, body []byte, member, want string) bool {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	var w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	return asJSON(b[member]) == asJSON(w)
}

var listOutput = &chat.Output{Schema: []byte(`{"type":"array","items":{"$ref":"#/$defs/name"},"$defs":{"name":{"type":"string"}}}`)}

// scripted answers with calls whose arguments the test chooses.
type scripted struct {
	entry   engine.Entry
	message string
}

func (s scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	return server{entry: s.entry}.reply(r, s.message)
}

// reply answers with a whole Chat Completions message, streamed as one delta.
func (s server) reply(r *http.Request, message string) (*http.Response, error) {
	resp, err := s.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kind := resp.Header.Get("Content-Type")
	finish := "stop"
	if strings.Contains(message, `"cut":true`) {
		finish = "length"
	}
	body := `{"id":"r","model":"m","choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}]}`
	if strings.HasPrefix(kind, "text/event-stream") {
		body = "data: " + strings.Replace(body, `"message"`, `"delta"`, 1) + "\n\ndata: [DONE]\n\n"
	}
	resp.Body = readCloser(body)
	return resp, nil
}

func TestOutput(t *testing.T) {
	t.Parallel()
	call := func(name, args string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"` + name + `","arguments":` + asJSON(args) + `}}]}`
	}
	text := func(s string) string { return `{"role":"assistant","content":` + asJSON(s) + `}` }
	for _, tt := range []struct {
		name, engine, model string
		out                 *chat.Output
		think               chat.ThinkingMode
		step                chat.PlanStepKind
		message             string
		want                string // Reply.Output; empty: ErrOutputUnmet
		finish              chat.FinishReason
	}{
		{"native", "openai", "gpt-4.1", matrixOutput, "", "", text(`{"text":"x"}`), `{"text":"x"}`, chat.FinishStop},
		{"native, fenced", "openai", "gpt-4.1", matrixOutput, "", "", text("```json\n{\"text\":\"x\"}\n```"), `{"text":"x"}`, chat.FinishStop},
		{"native, does not fit", "openai", "gpt-4.1", matrixOutput, "", "", text(`{"text":1}`), "", ""},
		{"native, prose", "openai", "gpt-4.1", matrixOutput, "", "", text(`sorry`), "", ""},
		{"any object", "openai", "gpt-4.1", &chat.Output{}, "", "", text(`{"a":1}`), `{"a":1}`, chat.FinishStop},
		{"as tool", "groq", "llama-3.3-70b-versatile", matrixOutput, "", chat.StepOutputAsTool, call("give_answer", `{"text":"x"}`), `{"text":"x"}`, chat.FinishStop},
		{"as tool, not called", "groq", "llama-3.3-70b-versatile", matrixOutput, "", chat.StepOutputAsTool, text(`{"text":1}`), "", ""},
		{"as tool, a list is wrapped", "groq", "llama-3.3-70b-versatile", listOutput, "", chat.StepOutputAsTool, call("give_answer", `{"answer":["a","b"]}`), `["a","b"]`, chat.FinishStop},
		{"in prompt", "deepseek", "deepseek-v4-flash", matrixOutput, "", chat.StepOutputAsPrompt, text(`{"text":"x"}`), `{"text":"x"}`, chat.FinishStop},
		{"in prompt, does not fit", "deepseek", "deepseek-v4-flash", matrixOutput, "", chat.StepOutputAsPrompt, text(`{}`), "", ""},
		{"as tool while not thinking", "deepseek", "deepseek-v4-flash", matrixOutput, chat.ThinkingOff, chat.StepOutputAsTool, call("give_answer", `{"text":"x"}`), `{"text":"x"}`, chat.FinishStop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := &chat.Request{
				Model: tt.model, Messages: chat.Prompt("Where?"), Output: tt.out, Thinking: chat.ThinkingConfig{Mode: tt.think},
			}
			eng := entryOf(t, tt.engine).New(engine.Config{APIKey: "k", HTTPClient: &http.Client{Transport: scripted{entryOf(t, tt.engine), tt.message}}})
			reply, err := eng.Chat(t.Context(), req)
			events, streamed, serr := collect(t.Context(), eng, req)
			if tt.want == "" {
				for _, err := range []error{err, serr} {
					if e, ok := errors.AsType[*chat.Error](err); !ok || !errors.Is(err, chat.ErrOutputUnmet) || e.Reply == nil {
						t.Errorf("error %v, want ErrOutputUnmet with the reply", err)
					}
				}
				return
			}
			if err != nil || serr != nil {
				t.Fatal(err, serr)
			}
			for _, r := range []*chat.Reply{reply, streamed} {
				if string(r.Output) != tt.want || r.Finish != tt.finish || len(r.ToolCalls()) != 0 {
					t.Errorf("output %s, finish %s, calls %v", r.Output, r.Finish, r.ToolCalls())
				}
				if tt.step != "" && (len(r.Steps) != 1 || r.Steps[0].Kind != tt.step) {
					t.Errorf("steps %v, want %s", r.Steps, tt.step)
				}
			}
			checkTextEvents(t, events, streamed)
		})
	}
}

// checkTextEvents: the deltas add up to the reply's text, and no call shows.
func checkTextEvents(t *testing.T, events []chat.Event, r *chat.Reply) {
	t.Helper()
	var text string
	for _, ev := range events {
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.ToolCallStart, chat.ToolCallDelta, chat.ToolCallDone:
			t.Errorf("%T was delivered", ev)
		case chat.ThinkingDelta, chat.Done:
		}
	}
	if text != r.Text() {
		t.Errorf("deltas give %q, the reply says %q", text, r.Text())
	}
}

// TestOutputBesideTools: where the output travels as a tool, the model may
// still call the others, and their calls come through.
func TestOutputBesideTools(t *testing.T) {
	t.Parallel()
	req := &chat.Request{Model: "llama-3.3-70b-versatile", Messages: chat.Prompt("Where?"), Tools: matrixTools, Output: matrixOutput}
	plan, body := planned(t, "groq", req)
	if body["tool_choice"] != "required" || len(body["tools"].([]any)) != 3 {
		t.Errorf("body %s", bodyOf(t, plan))
	}
	eng := onServer(entryOf(t, "groq"), server{answer: answer{calls: []string{"place"}}})
	reply, err := eng.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if calls := reply.ToolCalls(); len(calls) != 1 || calls[0].Name != "place" || reply.Output != nil {
		t.Errorf("reply %+v", reply)
	}
}

func TestReservedNameGivesWay(t *testing.T) {
	t.Parallel()
	_, body := planned(t, "groq", &chat.Request{
		Model: "llama-3.3-70b-versatile", Messages: chat.Prompt("x"), Output: matrixOutput,
		Tools: []chat.ToolDef{{Name: "give_answer"}}, ToolChoice: toolchoice.Auto(),
	})
	tools := body["tools"].([]any)
	got := make([]any, 0, len(tools))
	for _, tool := range tools {
		got = append(got, at(tool, "function", "name"))
	}
	if asJSON(got) != `["give_answer","give_answer_2"]` {
		t.Errorf("tools %s", asJSON(got))
	}
}

// TestSubset: a subset of the tools is said in the wire's own way, which leaves
// the list of tools alone, or, where there is none, by leaving the others out.
func TestSubset(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		engine, model string
		choice        toolchoice.Choice
		want          string // the choice on the wire
		tools         int
	}{
		{"openai", "gpt-4.1", toolchoice.Any(), `{"allowed_tools":{"mode":"required","tools":[{"function":{"name":"trip"},"type":"function"}]},"type":"allowed_tools"}`, 2},
		{"openai", "gpt-4.1", toolchoice.Auto(), `{"allowed_tools":{"mode":"auto","tools":[{"function":{"name":"trip"},"type":"function"}]},"type":"allowed_tools"}`, 2},
		{"openai-responses", "gpt-5.6", toolchoice.Any(), `{"mode":"required","tools":[{"name":"trip","type":"function"}],"type":"allowed_tools"}`, 2},
		{"openai-responses", "gpt-5.6", toolchoice.Choice{}, `{"mode":"auto","tools":[{"name":"trip","type":"function"}],"type":"allowed_tools"}`, 2},
		{"gemini", "gemini-3.8-flash", toolchoice.Any(), `{"allowedFunctionNames":["trip"],"mode":"ANY"}`, 2},
		{"gemini", "gemini-3.8-flash", toolchoice.Auto(), `{"allowedFunctionNames":["trip"],"mode":"VALIDATED"}`, 2},
		{"gemini", "gemini-2.5-flash", toolchoice.Any(), `{"allowedFunctionNames":["trip"],"mode":"ANY"}`, 2},
		{"gemini", "gemini-2.5-flash", toolchoice.Auto(), `{"mode":"AUTO"}`, 1},
		{"anthropic", "claude-sonnet-4-5", toolchoice.Any(), `{"type":"any"}`, 1},
		{"bedrock", "amazon.nova-pro-v1:0", toolchoice.Any(), `{"any":{}}`, 1},
		{"cohere", "command-a-03-2025", toolchoice.Any(), `"REQUIRED"`, 1},
		{"cohere", "command-a-03-2025", toolchoice.Auto(), `null`, 1},
		{"ollama", "qwen3.5", toolchoice.Auto(), `null`, 1},
	} {
		t.Run(tt.engine+"/"+tt.model+"/"+tt.choice.String(), func(t *testing.T) {
			t.Parallel()
			entry := entryOf(t, tt.engine)
			req := forced(tt.model)
			req.ToolChoice, req.AllowedTools = tt.choice, []string{"trip"}
			plan, err := entry.New(placed(engine.Config{})).Plan(req)
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(plan.URL())
			if err != nil {
				t.Fatal(err)
			}
			v, err := look(entry.Profile.Dialect, u, bodyOf(t, plan))
			if err != nil {
				t.Fatal(err)
			}
			if asJSON(v.choice) != tt.want || len(v.tools) != tt.tools || took(plan, chat.StepToolsTrimmed) != (tt.tools == 1) {
				t.Errorf("tools %v, choice %s, steps %v", v.tools, asJSON(v.choice), plan.Steps)
			}
		})
	}
}

// TestCutCallsAreNotReady: nothing of a reply that was cut may be run, and a
// forced call that was cut is no call.
func TestCutCallsAreNotReady(t *testing.T) {
	t.Parallel()
	message := func(args ...string) string {
		calls := make([]string, 0, len(args))
		for i, a := range args {
			calls = append(calls, `{"index":`+asJSON(i)+`,"id":"c`+asJSON(i)+`","type":"function","function":{"name":"place","arguments":`+asJSON(a)+`}}`)
		}
		return `{"cut":true,"role":"assistant","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	whole, cut := `{"city":"Ghent"}`, `{"city":"Gh`
	for _, tt := range []struct {
		name    string
		choice  toolchoice.Choice
		message string
		unmet   bool
	}{
		{"auto", toolchoice.Auto(), message(whole, cut), false},
		{"forced, one is whole", toolchoice.Tool("place"), message(whole, cut), true},
		{"named, none is whole", toolchoice.Tool("place"), message(cut), true},
		{"any, none is whole", toolchoice.Any(), message(cut), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := forced("gpt-4.1")
			req.ToolChoice = tt.choice
			eng := engine.NewOpenAI(engine.Config{APIKey: "k", HTTPClient: &http.Client{Transport: scripted{entryOf(t, "openai"), tt.message}}})
			_, err := eng.Chat(t.Context(), req)
			checkUnmet(t, "chat", err, tt.unmet)
			events, reply, err := collect(t.Context(), eng, req)
			checkUnmet(t, "stream", err, tt.unmet)
			checkNothingReady(t, events, true)
			if !tt.unmet && (reply.Finish != chat.FinishLength || len(reply.ToolCalls()) != 2) {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}
