package engine

import (
	"cmp"
	"context"
	"iter"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/plan"
	"github.com/sabir-go/sabir/internal/transport"
	"github.com/sabir-go/sabir/toolchoice"
)

// Engine talks to one provider. Implementations are safe for concurrent use
// and never change a request.
type Engine interface {
	// Name is the engine's name in errors, plans and signatures.
	Name() string
	// ToolWireFormat is how the provider spells tools and tool choice.
	ToolWireFormat() toolchoice.WireFormat
	// Capabilities says what the wire accepts for a model; empty means the
	// engine's default model.
	Capabilities(model string) profile.Capabilities
	// Plan shows what Chat would send, without network.
	Plan(*chat.Request) (*chat.Plan, error)
	// Chat makes one model call.
	Chat(context.Context, *chat.Request) (*chat.Reply, error)
	// Stream makes one model call and yields its events. Nothing is sent before
	// the first range, which may happen once. An error comes last, with a nil
	// event; success ends with chat.Done. Breaking out closes the connection.
	Stream(context.Context, *chat.Request) iter.Seq2[chat.Event, error]
}

// core is what all engines are made of.
type core struct {
	profile *profile.Profile
	config  sealed
	http    *transport.Client
	prefix  *plan.Prefixes
	guards  *plan.Guards
}

func newCore(p profile.Profile, cfg Config) core {
	return core{
		profile: &p,
		config:  cfg.seal(),
		http:    transport.New(cfg.transport()),
		prefix:  &plan.Prefixes{},
		guards:  &plan.Guards{},
	}
}

// Name implements [Engine].
func (c core) Name() string { return c.profile.Name }

// ToolWireFormat implements [Engine].
func (c core) ToolWireFormat() toolchoice.WireFormat { return c.profile.Tools }

// Capabilities implements [Engine].
func (c core) Capabilities(model string) profile.Capabilities {
	return c.capabilities(c.model(model))
}

// capabilities is what the profile says of a model, and what was learned since.
func (c core) capabilities(model string) profile.Capabilities {
	caps := c.profile.Capabilities(model)
	c.guards.Apply(model, &caps)
	return caps
}

// Plan implements [Engine].
func (c core) Plan(req *chat.Request) (*chat.Plan, error) {
	p, err := c.prepare(req)
	if err != nil {
		return nil, err
	}
	return p.show(), nil
}

func (c core) model(named string) string {
	return cmp.Or(named, c.config.model)
}

func (c core) baseURL() string {
	return c.expand(cmp.Or(c.config.baseURL(), c.profile.BaseURL))
}

// invalid puts the engine's name on an error about the request.
func (c core) invalid(e *chat.Error) *chat.Error {
	e.Engine = c.profile.Name
	return e
}
