package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

type city struct {
	City string `json:"city"`
}

// weather is the everyday tool.
var weather = tools.New("get_weather", "Current weather in a city.",
	func(_ context.Context, in city) (string, error) { return "4 °C in " + in.City, nil })

// named is a tool without arguments that does f.
func named(name string, f func(context.Context) (string, error)) tools.Tool {
	return tools.New(name, "Does "+name+".", func(ctx context.Context, _ struct{}) (string, error) { return f(ctx) })
}

// says is a tool without arguments that returns a text.
func says(name, text string) tools.Tool {
	return named(name, func(context.Context) (string, error) { return text, nil })
}

// script is a model that checks nothing: it gives its replies in turn, and
// plays them as streams, too.
type script struct {
	mu       sync.Mutex
	replies  []any // *chat.Reply, error, or func(context.Context) (*chat.Reply, error)
	requests []*chat.Request
}

func scripted(replies ...any) *script { return &script{replies: replies} }

func (s *script) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	s.mu.Lock()
	n := len(s.requests)
	kept := *req
	kept.Messages = slices.Clone(req.Messages)
	s.requests = append(s.requests, &kept)
	s.mu.Unlock()
	if n >= len(s.replies) {
		return nil, errors.New("the script is over")
	}
	switch r := s.replies[n].(type) {
	case *chat.Reply:
		return r, nil
	case error:
		return nil, r
	case func(context.Context) (*chat.Reply, error):
		return r(ctx)
	}
	return nil, fmt.Errorf("the script holds a %T", s.replies[n])
}

func (s *script) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		reply, err := s.Chat(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range reply.Text() {
			if !yield(chat.TextDelta{Text: string(r)}, nil) {
				return
			}
		}
		for i, c := range reply.ToolCalls() {
			if !yield(chat.ToolCallStart{Index: i, ID: c.ID, Name: c.Name}, nil) ||
				!yield(chat.ToolCallDone{Index: i, Call: c}, nil) {
				return
			}
		}
		yield(chat.Done{Reply: reply}, nil)
	}
}

// replies is a model that makes its reply from the request.
type replies func(context.Context, *chat.Request) (*chat.Reply, error)

func (m replies) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	return m(ctx, req)
}

func (m replies) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return scripted(func(ctx context.Context) (*chat.Reply, error) { return m(ctx, req) }).Stream(ctx, req)
}

func text(s string) *chat.Reply {
	return &chat.Reply{Parts: []chat.Part{chat.Text{Text: s}}, Finish: chat.FinishStop, Usage: chat.Usage{Input: 10, Output: 5}}
}

// calls is a reply that calls tools, each "name" or "name {json}", with the ids
// of their places.
func calls(list ...string) *chat.Reply {
	r := &chat.Reply{Finish: chat.FinishToolCalls, Usage: chat.Usage{Input: 10, Output: 5}}
	for i, c := range list {
		name, args := c, "{}"
		if at := slices.Index([]byte(c), ' '); at > 0 {
			name, args = c[:at], c[at+1:]
		}
		r.Parts = append(r.Parts, chat.ToolCall{ID: fmt.Sprintf("c%d", i), Name: name, Arguments: json.RawMessage(args)})
	}
	return r
}

func ended(r *chat.Reply, finish chat.FinishReason) *chat.Reply {
	r.Finish = finish
	return r
}

var hello = chat.User("What is the weather in Ghent?")

// stopped checks that a run ended with an error of that reason.
func stopped(t *testing.T, result *agent.Result, err error, want agent.Reason) {
	t.Helper()
	stop, ok := errors.AsType[*agent.StopError](err)
	if !ok {
		t.Fatalf("error %v of type %T, want a *StopError", err, err)
	}
	if stop.Reason != want || stop.Result != result || result.Reason != want {
		t.Errorf("ended with %q (result: %q): %v; want %q", stop.Reason, result.Reason, err, want)
	}
	sound(t, result)
}

// sound checks that each call of the conversation has one result, right after
// it and in order.
func sound(t *testing.T, result *agent.Result) {
	t.Helper()
	for i, m := range result.Messages {
		calls := m.ToolCalls()
		if len(calls) == 0 {
			continue
		}
		if i+1 == len(result.Messages) {
			t.Errorf("message %d has calls and nothing after it", i)
			return
		}
		answers := result.Messages[i+1].Parts
		if len(answers) != len(calls) {
			t.Errorf("message %d: %d calls and %d results", i, len(calls), len(answers))
			continue
		}
		for j, p := range answers {
			if res, ok := p.(chat.ToolResult); !ok || res.CallID != calls[j].ID || len(res.Parts) == 0 {
				t.Errorf("message %d: call %q is answered by %+v", i, calls[j].ID, p)
			}
		}
	}
}

// outcomes lists what became of all calls.
func outcomes(result *agent.Result) []string {
	var out []string
	for _, s := range result.Steps {
		for _, c := range s.Calls {
			out = append(out, fmt.Sprintf("%d %s %s", s.Index, c.Name, c.Outcome))
		}
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// said is the text of a call's result.
func said(c agent.Call) string { return chat.Message{Parts: c.Result.Parts}.Text() }

func bodyOf(t *testing.T, p *chat.Plan) []byte {
	t.Helper()
	body, err := p.Body()
	if err != nil {
		t.Fatal(err)
	}
	return body
}
