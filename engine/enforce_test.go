package engine_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
)

// collect drains a stream.
func collect(ctx context.Context, eng engine.Engine, req *chat.Request) (events []chat.Event, reply *chat.Reply, err error) {
	for ev, err := range eng.Stream(ctx, req) {
		if err != nil {
			return events, nil, err
		}
		events = append(events, ev)
		if done, ok := ev.(chat.Done); ok {
			reply = done.Reply
		}
	}
	return events, reply, nil
}

// TestChoiceIsEnforced holds what servers that break the choice answer against
// it, on every engine that sends the choice as such, unary and streamed.
func TestChoiceIsEnforced(t *testing.T) {
	t.Parallel()
	only := chat.Request{AllowedTools: []string{"place"}}
	for _, tt := range []struct {
		name   string
		choice toolchoice.Choice
		limit  *chat.Request
		answer answer
		unmet  bool
	}{
		{"call under none", toolchoice.None(), nil, answer{text: "hm", calls: []string{"place"}}, true},
		{"text under none", toolchoice.None(), nil, answer{text: "hm"}, false},
		{"another tool than named", toolchoice.Tool("place"), nil, answer{calls: []string{"trip"}}, true},
		{"named and another", toolchoice.Tool("place"), nil, answer{calls: []string{"place", "trip"}}, true},
		{"named", toolchoice.Tool("place"), nil, answer{calls: []string{"place"}}, false},
		{"text where named", toolchoice.Tool("place"), nil, answer{text: "I would rather talk."}, true},
		{"text where any", toolchoice.Any(), nil, answer{text: "I would rather talk."}, true},
		{"never offered where any", toolchoice.Any(), nil, answer{calls: []string{"rm"}}, true},
		{"never offered where named", toolchoice.Tool("place"), nil, answer{calls: []string{"rm"}}, true},
		{"never offered under auto", toolchoice.Auto(), nil, answer{calls: []string{"rm"}}, false},
		{"any", toolchoice.Any(), nil, answer{calls: []string{"trip"}}, false},
		{"not allowed under auto", toolchoice.Auto(), &only, answer{calls: []string{"trip"}}, true},
		{"allowed under auto", toolchoice.Auto(), &only, answer{calls: []string{"place"}}, false},
	} {
		for _, entry := range engine.Catalog() {
			req := &chat.Request{
				Model: entry.Profile.Example, Messages: chat.Prompt("Where?"), Tools: matrixTools, ToolChoice: tt.choice,
				Thinking: plainest(entry),
			}
			if tt.limit != nil {
				req.AllowedTools = tt.limit.AllowedTools
			}
			if !keepsTools(entry, req) {
				continue // see TestRewrittenChoiceIsEnforced
			}
			t.Run(entry.Profile.Name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				eng := onServer(entry, server{answer: tt.answer})
				_, err := eng.Chat(t.Context(), req)
				checkUnmet(t, "chat", err, tt.unmet)
				events, _, err := collect(t.Context(), eng, req)
				checkUnmet(t, "stream", err, tt.unmet)
				checkNothingReady(t, events, tt.unmet)
			})
		}
	}
}

// plainest is the setting by which a provider's example thinks as little as it
// can.
func plainest(entry engine.Entry) chat.ThinkingConfig {
	if entry.New(engine.Config{}).Capabilities(entry.Profile.Example).Thinking.State == profile.ThinksAlways {
		return chat.ThinkingConfig{}
	}
	return chat.ThinkingConfig{Mode: chat.ThinkingOff}
}

// keepsTools reports whether a choice of tools reaches the provider as such,
// and not as a schema.
func keepsTools(entry engine.Entry, req *chat.Request) bool {
	plan, err := entry.New(engine.Config{}).Plan(req)
	return err == nil && hasTools(entry) && !took(plan, chat.StepToolAsSchema) && !took(plan, chat.StepToolsAsSchema)
}

func checkUnmet(t *testing.T, how string, err error, want bool) {
	t.Helper()
	if !want {
		if err != nil {
			t.Errorf("%s: %v", how, err)
		}
		return
	}
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(err, chat.ErrToolChoiceUnmet) {
		t.Fatalf("%s: error %v, want ErrToolChoiceUnmet", how, err)
	}
	if e.Reply == nil || len(e.Reply.Parts) == 0 {
		t.Errorf("%s: the error carries no reply", how)
	}
}

func checkNothingReady(t *testing.T, events []chat.Event, unmet bool) {
	t.Helper()
	for _, ev := range events {
		if done, ok := ev.(chat.ToolCallDone); ok && unmet {
			t.Errorf("%s was delivered as ready to run", done.Call.Name)
		}
	}
}

// TestRewrittenChoiceIsEnforced: what comes back for a rewritten choice is one
// sound synthetic call, or an error that carries the reply.
func TestRewrittenChoiceIsEnforced(t *testing.T) {
	t.Parallel()
	union := func(name string) string { return `{"call":{"name":"` + name + `","arguments":{"city":"Ghent"}}}` }
	for _, tt := range []struct {
		name   string
		choice toolchoice.Choice
		text   string
		want   string // arguments; empty: unmet
	}{
		{"plain", toolchoice.Tool("place"), `{"city":"Ghent"}`, `{"city":"Ghent"}`},
		{"fenced", toolchoice.Tool("place"), "Sure:\n```json\n{\"city\":\"Köln\"}\n```\nDone.", `{"city":"Köln"}`},
		{"noise behind", toolchoice.Tool("place"), "{\"city\":\"南京\"}\n{\"city\":\"x\"} }", `{"city":"南京"}`},
		{"prose", toolchoice.Tool("place"), "I don't know.", ""},
		{"list", toolchoice.Tool("place"), `["Ghent"]`, ""},
		{"cut", toolchoice.Tool("place"), `{"city":"Gh`, ""},
		{"union", toolchoice.Any(), union("place"), `{"city":"Ghent"}`},
		{"union, never offered", toolchoice.Any(), union("rm"), ""},
		{"union, prose", toolchoice.Any(), "no", ""},
	} {
		for _, target := range []struct{ engine, model string }{
			{"perplexity", "sonar"},
			{"anthropic", "claude-opus-5-5"},
			{"ollama", "qwen3.5"},
			{"ollama-openai", "qwen3.5"},
			{"bedrock", "eu.anthropic.claude-opus-5-5-v1:0"},
		} {
			t.Run(target.engine+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				req := &chat.Request{Model: target.model, Messages: chat.Prompt("Where?"), Tools: matrixTools, ToolChoice: tt.choice}
				eng := onServer(entryOf(t, target.engine), server{answer: answer{text: tt.text}})
				reply, err := eng.Chat(t.Context(), req)
				events, streamed, serr := collect(t.Context(), eng, req)
				checkUnmet(t, "chat", err, tt.want == "")
				checkUnmet(t, "stream", serr, tt.want == "")
				checkNothingReady(t, events, tt.want == "")
				if tt.want == "" {
					return
				}
				checkSynthetic(t, reply, tt.want)
				checkSynthetic(t, streamed, tt.want)
				checkCallEvents(t, events, streamed.ToolCalls()[0])
			})
		}
	}
}

func entryOf(t *testing.T, name string) engine.Entry {
	t.Helper()
	for _, e := range engine.Catalog() {
		if e.Profile.Name == name {
			return e
		}
	}
	t.Fatalf("no engine %q", name)
	return engine.Entry{}
}

func checkSynthetic(t *testing.T, r *chat.Reply, args string) {
	t.Helper()
	calls := r.ToolCalls()
	if len(calls) != 1 || calls[0].Name != "place" || string(calls[0].Arguments) != args {
		t.Fatalf("calls %+v, want one of place with %s", calls, args)
	}
	if !calls[0].Synthetic || calls[0].ID == "" || r.Finish != chat.FinishToolCalls || r.Text() != "" {
		t.Errorf("call %+v, finish %s, text %q", calls[0], r.Finish, r.Text())
	}
}

// checkCallEvents: the call's deltas add up to its arguments, under its id.
func checkCallEvents(t *testing.T, events []chat.Event, call chat.ToolCall) {
	t.Helper()
	var id, args string
	for _, ev := range events {
		switch ev := ev.(type) {
		case chat.ToolCallStart:
			id = ev.ID
		case chat.ToolCallDelta:
			args += ev.Arguments
		case chat.TextDelta:
			t.Errorf("text %q leaked", ev.Text)
		case chat.ThinkingDelta, chat.ToolCallDone, chat.Done:
		}
	}
	if id != call.ID || args != string(call.Arguments) {
		t.Errorf("events say %s %s, the reply %s %s", id, args, call.ID, call.Arguments)
	}
}

func readCloser(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }
