package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// Script is a model that checks nothing: it gives its replies in turn, and
// plays them as streams, too. Requests are those that it was asked.
type Script struct {
	Requests []*chat.Request

	mu      sync.Mutex
	replies []any
}

// NewScript returns a Script of replies: each is a *chat.Reply, an error, or a
// func(context.Context) (*chat.Reply, error).
func NewScript(replies ...any) *Script { return &Script{replies: replies} }

// Chat implements agent.Model.
func (s *Script) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	s.mu.Lock()
	n := len(s.Requests)
	kept := *req
	kept.Messages = slices.Clone(req.Messages)
	s.Requests = append(s.Requests, &kept)
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

// Stream implements agent.Model.
func (s *Script) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
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

// Replies is a model that makes its reply from the request.
type Replies func(context.Context, *chat.Request) (*chat.Reply, error)

// Chat implements agent.Model.
func (m Replies) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	return m(ctx, req)
}

// Stream implements agent.Model.
func (m Replies) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return NewScript(func(ctx context.Context) (*chat.Reply, error) { return m(ctx, req) }).Stream(ctx, req)
}

// TextReply is a reply of a text.
func TextReply(s string) *chat.Reply {
	return &chat.Reply{Parts: []chat.Part{chat.Text{Text: s}}, Finish: chat.FinishStop, Usage: chat.Usage{Input: 10, Output: 5}}
}

// CallsReply is a reply that calls tools, each "name" or "name {json}", with the
// ids of their places.
func CallsReply(list ...string) *chat.Reply {
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

// WithFinish is a reply that ended in another way.
func WithFinish(r *chat.Reply, finish chat.FinishReason) *chat.Reply {
	r.Finish = finish
	return r
}

// Tool is a tool without arguments that does f.
func Tool(name string, f func(context.Context) (string, error)) tools.Tool {
	return tools.New(name, "Does "+name+".", func(ctx context.Context, _ struct{}) (string, error) { return f(ctx) })
}

// TextTool is a tool without arguments that returns a text.
func TextTool(name, text string) tools.Tool {
	return Tool(name, func(context.Context) (string, error) { return text, nil })
}

// CountedTool is a tool that counts its runs.
func CountedTool(name string, n *int, o tools.Options) tools.Tool {
	return tools.New(name, "", func(_ context.Context, in struct {
		To string `json:"to,omitempty"`
	},
	) (string, error) {
		*n++
		return name + " done " + in.To, nil
	}).With(o)
}
