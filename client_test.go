package sabir_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/sabir-go/sabir"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/middleware"
	"github.com/sabir-go/sabir/toolchoice"
)

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

// tracer notes when a request comes by and when its reply does.
type tracer struct {
	engine.Engine

	name string
	note func(string)
}

func (t tracer) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	t.note(t.name + " asks")
	defer t.note(t.name + " is answered")
	return t.Engine.Chat(ctx, req)
}

func trace(name string, note func(string)) middleware.Middleware {
	return func(e engine.Engine) engine.Engine { return tracer{e, name, note} }
}

// TestMiddlewareOrder: the first middleware is the outermost.
func TestMiddlewareOrder(t *testing.T) {
	t.Parallel()
	var notes []string
	note := func(s string) { notes = append(notes, s) }
	client := sabir.New(newParrot(), trace("first", note), trace("second", note), trace("third", note))
	if _, err := client.Ask(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"first asks", "second asks", "third asks", "third is answered", "second is answered", "first is answered",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	outer, ok := client.Engine().(tracer)
	if !ok || outer.name != "first" || client.Engine().Name() != "parrot" {
		t.Errorf("the client's engine is %T", client.Engine())
	}
}

// TestMiddlewareCanAnswer: a middleware can answer in the engine's place, for
// all verbs.
func TestMiddlewareCanAnswer(t *testing.T) {
	t.Parallel()
	no := errors.New("not today")
	p := newParrot()
	client := sabir.New(p, func(e engine.Engine) engine.Engine { return closed{e, no} })
	if _, err := client.Chat(t.Context(), &chat.Request{}); !errors.Is(err, no) {
		t.Errorf("Chat: %v", err)
	}
	if _, err := client.Ask(t.Context(), "hi"); !errors.Is(err, no) {
		t.Errorf("Ask: %v", err)
	}
	if _, err := client.Plan(&chat.Request{}); !errors.Is(err, no) {
		t.Errorf("Plan: %v", err)
	}
	for _, stream := range []iter.Seq2[chat.Event, error]{
		client.Stream(t.Context(), &chat.Request{}), client.AskStream(t.Context(), "hi"),
	} {
		for ev, err := range stream {
			if ev != nil || !errors.Is(err, no) {
				t.Errorf("Stream: %v, %v", ev, err)
			}
		}
	}
	if len(p.seen) != 0 {
		t.Errorf("the engine was asked %d times", len(p.seen))
	}
}

// closed answers everything with an error.
type closed struct {
	engine.Engine

	err error
}

func (c closed) Plan(*chat.Request) (*chat.Plan, error)                   { return nil, c.err }
func (c closed) Chat(context.Context, *chat.Request) (*chat.Reply, error) { return nil, c.err }
func (c closed) Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) { yield(nil, c.err) }
}

// TestAsk: the short verbs are the long ones for one prompt to the default
// model.
func TestAsk(t *testing.T) {
	t.Parallel()
	p := newParrot()
	client := sabir.New(p)
	reply, err := client.Ask(t.Context(), "Where?")
	if err != nil || reply.Text() != "Where?" {
		t.Fatalf("reply %+v, error %v", reply, err)
	}
	text, streamed, err := drain(client.AskStream(t.Context(), "Where?"))
	if err != nil || text != "Where?" || streamed.Text() != reply.Text() {
		t.Fatalf("streamed %q, %+v, error %v", text, streamed, err)
	}
	for _, req := range p.seen {
		if req.Model != "" || len(req.Messages) != 1 || req.Messages[0].Role != chat.RoleUser || req.Tools != nil {
			t.Errorf("asked %+v", req)
		}
	}
}

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

// TestPassedOn: requests and contexts reach the engine as they are, errors come
// back as they are.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	p := newParrot()
	client := sabir.New(p)
	req := &chat.Request{Messages: chat.Prompt("hi"), ToolChoice: toolchoice.Any()}
	_, chatErr := client.Chat(t.Context(), req)
	_, _, streamErr := drain(client.Stream(t.Context(), req))
	_, planErr := client.Plan(req)
	for _, err := range []error{chatErr, streamErr, planErr} {
		if !errors.Is(err, chat.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
	}
	if len(p.seen) != 2 || p.seen[0] != req || p.seen[1] != req {
		t.Errorf("the engine saw %v", p.seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Ask(ctx, "hi"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	plan, err := client.Plan(&chat.Request{Messages: chat.Prompt("hi")})
	if err != nil || plan.Model != "gpt-4.1" || len(p.seen) != 3 {
		t.Errorf("plan %v, error %v", plan, err)
	}
}

// TestStreamIsLazy: nothing happens before the first range.
func TestStreamIsLazy(t *testing.T) {
	t.Parallel()
	p := newParrot()
	stream := sabir.New(p).AskStream(t.Context(), "hi")
	if len(p.seen) != 0 {
		t.Error("the engine was asked before the first range")
	}
	for range stream {
		break
	}
	if len(p.seen) != 1 {
		t.Errorf("the engine was asked %d times", len(p.seen))
	}
}

// TestConcurrentUse: 64 goroutines on one client, with every verb.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := 0
	client := sabir.New(newParrot(), trace("log", func(string) {
		mu.Lock()
		defer mu.Unlock()
		asked++
	}))
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			prompt := fmt.Sprint("caller ", i)
			if reply, err := client.Ask(t.Context(), prompt); err != nil || reply.Text() != prompt {
				t.Errorf("%s got %+v, %v", prompt, reply, err)
			}
			if text, _, err := drain(client.AskStream(t.Context(), prompt)); err != nil || text != prompt {
				t.Errorf("%s was streamed %q, %v", prompt, text, err)
			}
			if _, err := client.Plan(&chat.Request{Messages: chat.Prompt(prompt)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if asked != 2*64 {
		t.Errorf("%d notes, want 2 for each call of Chat", asked)
	}
}

// A middleware is a function from an engine to an engine: this one counts.
func ExampleNew() {
	asked := 0
	count := func(e engine.Engine) engine.Engine {
		return tracer{Engine: e, note: func(string) { asked++ }}
	}
	client := sabir.New(newParrot(), count)
	reply, err := client.Ask(context.Background(), "Where is the Gravensteen?")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reply.Text(), asked/2)
	// Output: Where is the Gravensteen? 1
}

// A stream is ranged over; the last event holds the whole reply.
func ExampleClient_AskStream() {
	client := sabir.New(newParrot())
	for ev, err := range client.AskStream(context.Background(), "Ahoy!") {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev := ev.(type) {
		case chat.TextDelta:
			fmt.Print(ev.Text, " ")
		case chat.Done:
			fmt.Println(ev.Reply.Finish)
		case chat.ThinkingDelta, chat.ToolCallStart, chat.ToolCallDelta, chat.ToolCallDone:
		}
	}
	// Output: A h o y ! stop
}

// A plan shows, without network, what would be sent, or why not.
func ExampleClient_Plan() {
	client := sabir.New(engine.NewPerplexity(engine.Config{Model: "sonar"}))
	req := &chat.Request{
		Messages:   chat.Prompt("Where is the Gravensteen?"),
		Tools:      []chat.ToolDef{{Name: "place", Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
		ToolChoice: toolchoice.Tool("place"),
	}
	plan, err := client.Plan(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Steps[0].Kind)

	req.ToolChoice = toolchoice.Auto()
	_, err = client.Plan(req)
	fmt.Println(errors.Is(err, chat.ErrUnsupported))
	// Output:
	// tool_as_schema
	// true
}
