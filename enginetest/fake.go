package enginetest

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"sync"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
)

// Fake is an engine that answers from a script. Only the provider is made up:
// planning, encoding, decoding and the check of the tool choice are those of
// [engine.Compatible], whose name it has, and a stream comes event by event. It
// is safe for concurrent use.
type Fake struct {
	engine.Engine
	server *sim.Server

	mu       sync.Mutex
	requests []*chat.Request
}

// New returns an engine that gives the turns as answers, in order; see [Says]
// and its like. A call beyond the script fails with chat.ErrBadRequest and says
// so. Without any turn the fake behaves like the simulator: it calls the forced
// or best matching tool with fitting arguments, and answers in text that quotes
// the results.
//
// Nothing is retried: a turn that fails is a call that fails.
func New(turns ...sim.Turn) *Fake {
	server := sim.New(sim.Options{Turns: turns, ScriptOnly: len(turns) > 0})
	return &Fake{
		server: server,
		Engine: engine.NewOpenAICompatible(engine.Config{
			APIKey: "fake", BaseURL: server.BaseURL("fake"), Model: "fake-model", MaxAttempts: 1,
			HTTPClient: &http.Client{Transport: server.RoundTripper()},
		}),
	}
}

// Chat implements [engine.Engine].
func (f *Fake) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	f.recordRequest(req)
	return f.Engine.Chat(ctx, req)
}

// Stream implements [engine.Engine].
func (f *Fake) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	events := f.Engine.Stream(ctx, req)
	var once sync.Once
	return func(yield func(chat.Event, error) bool) {
		once.Do(func() { f.recordRequest(req) })
		events(yield)
	}
}

// Requests returns copies of the requests made so far, in order: those refused
// before anything was sent, too. A stream counts when it is ranged over.
func (f *Fake) Requests() []*chat.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]*chat.Request, len(f.requests))
	for i, r := range f.requests {
		out[i] = copyRequest(r)
	}
	return out
}

// Sent returns the HTTP requests that were made, bodies included.
func (f *Fake) Sent() []sim.Request { return f.server.Requests() }

func (f *Fake) recordRequest(req *chat.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, copyRequest(req))
}

// copyRequest makes a copy that later changes of the request don't reach.
func copyRequest(req *chat.Request) *chat.Request {
	if req == nil {
		return nil
	}
	r := *req
	r.Messages = slices.Clone(req.Messages)
	for i := range r.Messages {
		r.Messages[i].Parts = slices.Clone(r.Messages[i].Parts)
	}
	r.Tools = slices.Clone(req.Tools)
	r.AllowedTools = slices.Clone(req.AllowedTools)
	r.Stop = slices.Clone(req.Stop)
	if req.Output != nil {
		output := *req.Output
		r.Output = &output
	}
	return &r
}
