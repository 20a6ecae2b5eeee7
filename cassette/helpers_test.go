package cassette_test

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/toolchoice"
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

// prompt is a request that says one text.
func prompt(text string) *chat.Request { return &chat.Request{Messages: chat.Prompt(text)} }

func sayHello() *chat.Request { return prompt("Say hello.") }

// place is a request for a call.
func place(choice toolchoice.Choice) *chat.Request {
	return &chat.Request{
		Messages: chat.Prompt("Where?"), ToolChoice: choice,
		Tools: []chat.ToolDef{{Name: "place", Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
	}
}

// echo is an engine that answers with the last message, after a while.
type echo struct {
	engine.Engine

	after func(n int) time.Duration // by the number of the call; nil: at once

	mu    sync.Mutex
	calls int
}

func newEcho() *echo { return &echo{Engine: engine.NewOpenAI(engine.Config{Model: "gpt-4.1"})} }

func (e *echo) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	e.mu.Lock()
	e.calls++
	var wait time.Duration
	if e.after != nil {
		wait = e.after(e.calls)
	}
	e.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	text := req.Messages[len(req.Messages)-1].Text()
	return &chat.Reply{Parts: []chat.Part{chat.Text{Text: text}}, Finish: chat.FinishStop, Engine: e.Name()}, nil
}

func (e *echo) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		reply, err := e.Chat(ctx, req)
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

// failsWith is an engine whose calls all fail with one error.
type failsWith struct {
	engine.Engine

	err error
}

func (f failsWith) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return nil, f.err }
