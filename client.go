package sabir

import (
	"context"
	"iter"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/middleware"
)

// Client makes model calls on one engine. It is safe for concurrent use.
type Client struct{ engine engine.Engine }

// New returns a client for an engine. The first middleware is the outermost:
// it sees a request first and its reply last.
func New(e engine.Engine, wraps ...middleware.Middleware) *Client {
	for _, wrap := range slices.Backward(wraps) {
		e = wrap(e)
	}
	return &Client{e}
}

// Engine is the client's engine, middleware included.
func (c *Client) Engine() engine.Engine { return c.engine }

// Chat makes one model call.
func (c *Client) Chat(ctx context.Context, req *chat.Request) (*chat.Reply, error) {
	return c.engine.Chat(ctx, req)
}

// Stream makes one model call and yields its events as they come. Nothing is
// sent before the first range, which may happen once. An error comes last,
// with a nil event; success ends with a chat.Done that holds the reply that
// Chat would have returned. Breaking out of the range closes the connection.
func (c *Client) Stream(ctx context.Context, req *chat.Request) iter.Seq2[chat.Event, error] {
	return c.engine.Stream(ctx, req)
}

// Plan shows what Chat would send, without network, or the error with which it
// would refuse.
func (c *Client) Plan(req *chat.Request) (*chat.Plan, error) { return c.engine.Plan(req) }

// Ask is Chat for one prompt to the engine's default model.
func (c *Client) Ask(ctx context.Context, prompt string) (*chat.Reply, error) {
	return c.Chat(ctx, &chat.Request{Messages: chat.Prompt(prompt)})
}

// AskStream is Stream for one prompt to the engine's default model.
func (c *Client) AskStream(ctx context.Context, prompt string) iter.Seq2[chat.Event, error] {
	return c.Stream(ctx, &chat.Request{Messages: chat.Prompt(prompt)})
}
