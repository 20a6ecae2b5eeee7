package engine_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// paused answers as Anthropic does in the middle of its own work, with a call.
type paused struct{ server }

func (p paused) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.server.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = readCloser(strings.ReplaceAll(string(body), `"stop_reason":"tool_use"`, `"stop_reason":"pause_turn"`))
	return resp, nil
}

// TestPauseExcusesOnlyMissingCalls: a call that breaks the choice breaks it in a
// paused reply, too.
func TestPauseExcusesOnlyMissingCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		choice toolchoice.Choice
		unmet  bool
	}{{toolchoice.None(), true}, {toolchoice.Tool("trip"), true}, {toolchoice.Tool("place"), false}} {
		req := forced("claude-sonnet-4-5")
		req.ToolChoice = tt.choice
		eng := engine.NewAnthropic(engine.Config{APIKey: "k", HTTPClient: &http.Client{Transport: paused{server{entryOf(t, "anthropic"), answer{calls: []string{"place"}}, nil}}}})
		_, err := eng.Chat(t.Context(), req)
		checkUnmet(t, "chat", err, tt.unmet)
		events, _, err := collect(t.Context(), eng, req)
		checkUnmet(t, "stream", err, tt.unmet)
		checkNothingReady(t, events, tt.unmet)
	}
}

// TestOnlyOfferedToolsAreReady: a call of a tool that nobody offered is in the
// reply, and is not delivered as ready to run.
func TestOnlyOfferedToolsAreReady(t *testing.T) {
	t.Parallel()
	for _, choice := range []toolchoice.Choice{toolchoice.Any(), toolchoice.Auto()} {
		req := forced("gpt-4.1")
		req.ToolChoice = choice
		eng := onServer(entryOf(t, "openai"), server{answer: answer{calls: []string{"rm", "place"}}})
		events, reply, err := collect(t.Context(), eng, req)
		if err != nil {
			t.Fatal(err)
		}
		begun := map[int]string{}
		var ready []string
		for _, ev := range events {
			switch ev := ev.(type) {
			case chat.ToolCallStart:
				begun[ev.Index] = ev.ID
			case chat.ToolCallDone:
				ready = append(ready, ev.Call.Name)
				if begun[ev.Index] != ev.Call.ID {
					t.Errorf("%s: call %s is done under index %d, which began %q", choice, ev.Call.ID, ev.Index, begun[ev.Index])
				}
			case chat.TextDelta, chat.ThinkingDelta, chat.ToolCallDelta, chat.Done:
			}
		}
		if !slices.Equal(ready, []string{"place"}) || len(reply.ToolCalls()) != 2 {
			t.Errorf("%s: ready %v, reply %v", choice, ready, reply.ToolCalls())
		}
	}
}

// TestThoughtsAreNotTheAnswer: JSON in a thought is not the call's arguments.
func TestThoughtsAreNotTheAnswer(t *testing.T) {
	t.Parallel()
	eng := onServer(entryOf(t, "perplexity"), server{answer: answer{
		text: "<think>\nMaybe {\"city\":\"Paris\"}? No.\n</think>\n{\"city\":\"Ghent\"}",
	}})
	req := forced("sonar-reasoning-pro")
	reply, err := eng.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	events, streamed, err := collect(t.Context(), eng, req)
	if err != nil {
		t.Fatal(err)
	}
	checkSynthetic(t, reply, `{"city":"Ghent"}`)
	checkSynthetic(t, streamed, `{"city":"Ghent"}`)
	checkCallEvents(t, events, streamed.ToolCalls()[0])
	if !strings.Contains(reply.Thoughts(), "Paris") {
		t.Errorf("thoughts %q", reply.Thoughts())
	}
}

// TestSyntheticArgumentsFitTheSchema: the schema was all that stood for the
// force.
func TestSyntheticArgumentsFitTheSchema(t *testing.T) {
	t.Parallel()
	for _, target := range []struct{ engine, model string }{{"perplexity", "sonar"}, {"anthropic", "claude-opus-5-5"}, {"ollama", "qwen3.5"}} {
		eng := onServer(entryOf(t, target.engine), server{answer: answer{text: `{"error":"I can't"}`}})
		_, err := eng.Chat(t.Context(), forced(target.model))
		checkUnmet(t, target.engine, err, true)
	}
}

// TestNativeCallBesideASchemaIsNoCall: where the choice travels as a schema,
// nothing was to be called as such.
func TestNativeCallBesideASchemaIsNoCall(t *testing.T) {
	t.Parallel()
	eng := onServer(entryOf(t, "anthropic"), server{answer: answer{text: `{"city":"Ghent"}`, calls: []string{"place"}}})
	_, err := eng.Chat(t.Context(), forced("claude-opus-5-5"))
	checkUnmet(t, "chat", err, true)
	events, _, err := collect(t.Context(), eng, forced("claude-opus-5-5"))
	checkUnmet(t, "stream", err, true)
	checkNothingReady(t, events, true)
	starts := 0
	for _, ev := range events {
		if _, ok := ev.(chat.ToolCallStart); ok {
			starts++
		}
	}
	if starts > 1 {
		t.Errorf("%d calls were announced", starts)
	}
}

// TestHiddenSchemaIsTold: a model that is not shown the schema of its answer
// hears of it, and of the tool that it stands for, in the prompt.
func TestHiddenSchemaIsTold(t *testing.T) {
	t.Parallel()
	req := forced("qwen3.5")
	req.System = "Be brief."
	req.Tools[0].Description = "finds a place"
	plan, _ := planned(t, "ollama", req)
	for _, want := range []string{"Be brief.", "the tool place (finds a place)", `\"city\"`, `"format":{`} {
		if !strings.Contains(string(bodyOf(t, plan)), want) {
			t.Errorf("the body lacks %s\n%s", want, bodyOf(t, plan))
		}
	}
}

func TestJSONModeSaysJSON(t *testing.T) {
	t.Parallel()
	for _, e := range []struct{ engine, model string }{{"openai", "gpt-4.1"}, {"openai-responses", "gpt-4.1"}, {"deepseek", "deepseek-v4-flash"}} {
		plan, _ := planned(t, e.engine, &chat.Request{Model: e.model, Messages: chat.Prompt("Where?"), Output: &chat.Output{}})
		if !strings.Contains(string(bodyOf(t, plan)), "JSON object") {
			t.Errorf("%s: %s", e.engine, bodyOf(t, plan))
		}
	}
}

// TestOutputBesideCallsWaits: an answer that comes together with calls came too
// early; the calls are real.
func TestOutputBesideCallsWaits(t *testing.T) {
	t.Parallel()
	req := &chat.Request{Model: "llama-3.3-70b-versatile", Messages: chat.Prompt("Where?"), Tools: matrixTools, Output: matrixOutput}
	plan, body := planned(t, "groq", req)
	if body["parallel_tool_calls"] != false {
		t.Errorf("body %s", bodyOf(t, plan))
	}
	eng := onServer(entryOf(t, "groq"), server{answer: answer{calls: []string{"place", "give_answer"}}})
	reply, err := eng.Chat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if calls := reply.ToolCalls(); len(calls) != 1 || calls[0].Name != "place" || len(reply.Warnings) != 1 {
		t.Errorf("calls %v, warnings %v", calls, reply.Warnings)
	}
}

func TestCatalogIsACopy(t *testing.T) {
	t.Parallel()
	for _, e := range engine.Catalog() {
		for i := range e.Profile.Models {
			r := &e.Profile.Models[i]
			r.Guard = profile.GuardNever
			r.Match[0] = "broken"
			if r.Thinking != nil {
				r.Thinking.State = profile.ThinksNever
			}
		}
	}
	req := forced("claude-sonnet-4-5")
	req.Thinking.Mode = chat.ThinkingOn
	if _, err := engine.NewAnthropic(engine.Config{}).Plan(req); !errors.Is(err, chat.ErrUnsupported) {
		t.Errorf("error %v: the tables were changed from outside", err)
	}
}

// TestHistoryIsMadeSayable: ids that repeat, ids and names that a wire refuses.
func TestHistoryIsMadeSayable(t *testing.T) {
	t.Parallel()
	turn := func(id, name, result string) []chat.Message {
		return []chat.Message{
			{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: id, Name: name, Arguments: []byte(`{}`)}}},
			chat.Results(chat.TextResult(id, result)),
		}
	}
	for _, e := range []struct{ engine, model string }{{"anthropic", "claude-sonnet-4-5"}, {"openai", "gpt-4.1"}, {"mistral", "mistral-large-latest"}} {
		msgs := slices.Concat(chat.Prompt("x"), turn("functions.place:0", "browser.tabs.open", "one"),
			turn("functions.place:0", "", "two"), []chat.Message{chat.User("well?")})
		plan, _ := planned(t, e.engine, &chat.Request{Model: e.model, Messages: msgs, Tools: matrixTools})
		body := string(bodyOf(t, plan))
		for _, bad := range []string{"browser.tabs", `"name":""`} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: the body has %s\n%s", e.engine, bad, body)
			}
		}
		if e.engine != "openai" && strings.Contains(body, "functions.place:0") {
			t.Errorf("%s: the body has an id that the wire refuses\n%s", e.engine, body)
		}
		for _, result := range []string{"one", "two"} {
			if strings.Count(body, result) != 1 {
				t.Errorf("%s: the result %s stands %d times", e.engine, result, strings.Count(body, result))
			}
		}
	}
}

// TestRepeatedIDsKeepTheirResults: each result is told of the call before it.
func TestRepeatedIDsKeepTheirResults(t *testing.T) {
	t.Parallel()
	call := func(name string) chat.Message {
		return chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: "call_0", Name: name, Arguments: []byte(`{}`)}}}
	}
	plan, _ := planned(t, "perplexity", &chat.Request{Model: "sonar", Messages: []chat.Message{
		chat.User("x"), call("place"), chat.Results(chat.TextResult("call_0", "one")), call("trip"), chat.Results(chat.TextResult("call_0", "two")),
	}})
	for _, want := range []string{"Result of place: one", "Result of trip: two"} {
		if !strings.Contains(string(bodyOf(t, plan)), want) {
			t.Errorf("the body lacks %q\n%s", want, bodyOf(t, plan))
		}
	}
}

// TestThinkingWaitsForTheLoopToEnd: a tool loop that was begun without thinking
// can't be gone on with it where the wire wants the thought first.
func TestThinkingWaitsForTheLoopToEnd(t *testing.T) {
	t.Parallel()
	open := conversation("deepseek", false)[:3]
	for _, e := range []struct{ engine, model string }{
		{"anthropic", "claude-sonnet-4-5"}, {"bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"},
	} {
		req := &chat.Request{
			Model: e.model, Messages: open, Tools: matrixTools, Thinking: chat.ThinkingConfig{Budget: 2048},
		}
		eng := entryOf(t, e.engine).New(engine.Config{})
		if _, err := eng.Plan(req); !errors.Is(err, chat.ErrUnsupported) {
			t.Errorf("%s: error %v", e.engine, err)
		}
		req.Adapt.ThinkingOff = true
		plan, err := eng.Plan(req)
		if err != nil || strings.Contains(string(bodyOf(t, plan)), "budget_tokens") {
			t.Errorf("%s: error %v, plan %v", e.engine, err, plan)
		}
		req.Adapt.ThinkingOff = false
		req.Messages = conversation(e.engine, false)[:3]
		if _, err := eng.Plan(req); err != nil {
			t.Errorf("%s: own thoughts: %v", e.engine, err)
		}
	}
}

func TestKeyInTheAddressIsASecret(t *testing.T) {
	t.Parallel()
	eng := engine.NewOpenAICompatible(engine.Config{
		BaseURL: "https://gateway.example/v1?key=QUERYSECRET", MaxAttempts: 1, Model: "m",
		HTTPClient: &http.Client{Transport: refusing{`{"error":{"message":"key QUERYSECRET is wrong"}}`}},
	})
	_, err := eng.Chat(t.Context(), &chat.Request{Messages: chat.Prompt("x")})
	if err == nil || strings.Contains(err.Error(), "QUERYSECRET") {
		t.Errorf("error %v", err)
	}
}

// refusing answers every request with 401.
type refusing struct{ body string }

func (f refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 401, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: readCloser(f.body),
	}, nil
}

// TestOwnedInAnySpelling: what the planner owns can't be smuggled in by another
// spelling of its name.
func TestOwnedInAnySpelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ engine, member, value string }{
		{"ollama", "Think", `true`},
		{"ollama", "FORMAT", `"json"`},
		{"ollama-openai", "Reasoning_Effort", `"high"`},
		{"openai", "toolChoice", `"required"`},
		{"openai", "n", `2`},
		{"mistral", "prompt_mode", `"reasoning"`},
		{"openai-compatible", "chat_template_kwargs", `{"enable_thinking":true}`},
		{"gemini", "generation_config.thinking_config", `{}`},
		{"gemini", "tool_config", `{}`},
		{"bedrock", "ToolConfig", `{}`},
	} {
		entry := entryOf(t, tt.engine)
		req := &chat.Request{
			Model: entry.Profile.Example, Messages: chat.Prompt("x"),
			Extra: chat.Extra{tt.engine: {tt.member: json.RawMessage(tt.value)}},
		}
		if _, err := entry.New(engine.Config{}).Plan(req); !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("%s: Extra[%q]: error %v, want ErrInvalid", tt.engine, tt.member, err)
		}
	}
	plan, body := planned(t, "openai-compatible", &chat.Request{
		Model: "m", Messages: chat.Prompt("x"),
		Extra: chat.Extra{"openai-compatible": {"chat_template_kwargs": json.RawMessage(`{"enable_thinking":false}`)}},
	})
	if dig(body, "chat_template_kwargs", "enable_thinking") != false {
		t.Errorf("body %s", bodyOf(t, plan))
	}
}
