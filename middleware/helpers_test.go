package middleware_test

import (
	"context"
	"iter"
	"net/http"
	"sync"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

// bothForms are the two ways to make a call.
var bothForms = map[string]func(context.Context, engine.Engine, *chat.Request) (*chat.Reply, error){
	"chat": func(ctx context.Context, e engine.Engine, req *chat.Request) (*chat.Reply, error) {
		return e.Chat(ctx, req)
	},
	"stream": func(ctx context.Context, e engine.Engine, req *chat.Request) (*chat.Reply, error) {
		_, reply, err := drain(e.Stream(ctx, req))
		return reply, err
	},
}

// drain reads a stream to its end.
func drain(stream iter.Seq2[chat.Event, error]) (text string, reply *chat.Reply, err error) {
	for ev, err := range stream {
		if err != nil {
			return text, nil, err
		}
		switch ev := ev.(type) {
		case chat.TextDelta:
			text += ev.Text
		case chat.Done:
			reply = ev.Reply
		case chat.ThinkingDelta, chat.ToolCallStart, chat.ToolCallDelta, chat.ToolCallDone:
		}
	}
	return text, reply, nil
}

func sayHello() *chat.Request { return &chat.Request{Messages: chat.Prompt("Say hello.")} }

func named(text string) *chat.Request { return &chat.Request{Messages: chat.Prompt(text)} }

// simulated is an engine of the catalog on a simulator, without retries.
func simulated(t *testing.T, srv *sim.Server, name, model string) engine.Engine {
	t.Helper()
	eng, err := engine.New(name, engine.Config{
		APIKey: "k", BaseURL: srv.BaseURL(name), Model: model, MaxAttempts: 1,
		HTTPClient: &http.Client{Transport: srv.RoundTripper()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

// parrot is an engine that says back the last message, without network.
type parrot struct {
	engine.Engine // for what it doesn't do itself

	mu   sync.Mutex
	seen []*chat.Request
}

func newParrot() *parrot {
	return &parrot{Engine: engine.NewOpenAI(engine.Config{Model: "gpt-4.1"})}
}

func (p *parrot) Name() string { return "parrot" }

func (p *parrot) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	p.mu.Lock()
	p.seen = append(p.seen, req)
	p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := p.Plan(req); err != nil {
		return nil, err
	}
	text := req.Messages[len(req.Messages)-1].Text()
	return &chat.Reply{Parts: []chat.Part{chat.Text{Text: text}}, Finish: chat.FinishStop, Engine: "parrot"}, nil
}

func (p *parrot) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		reply, err := p.Chat(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range reply.Text() {
			if !yield(chat.TextDelta{Text: string(r)}, nil) {
				return
			}
		}
		yield(chat.Done{Reply: reply}, nil)
	}
}

// failsWith is an engine that fails at everything, with one error.
type failsWith struct {
	engine.Engine

	err error
}

func (f failsWith) Plan(*chat.Request) (*chat.Plan, error) { return nil, f.err }

func (f failsWith) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return nil, f.err }

func (f failsWith) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { yield(nil, f.err) }
}

// mute ends its streams without a word.
type mute struct{ engine.Engine }

func (mute) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(func(chat.Event, error) bool) {}
}

func (mute) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return nil, nil }
