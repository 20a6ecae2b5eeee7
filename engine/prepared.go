package engine

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/plan"
	"github.com/sabir-go/sabir/internal/wire"
)

// Sender is an engine that sends plans that it has made, so that one plan
// serves for looking and for one call later on. All engines of this package are
// Senders. A plan of another engine is an error of kind chat.ErrInvalid; the
// request that it was made of must not be changed in between.
type Sender interface {
	Engine
	// Send is Chat for a plan.
	Send(context.Context, *chat.Plan) (*chat.Reply, error)
	// SendStream is Stream for a plan.
	SendStream(context.Context, *chat.Plan) iter.Seq2[chat.Event, error]
}

// prepared is a plan with its encoded bodies, ready to be sent.
type prepared struct {
	core
	plan *plan.Plan
	req  *chat.Request

	mu      sync.Mutex
	encoded [2]*wire.Encoded // for Chat, for Stream
}

// prepare plans a request: the one way from a request to the wire.
func (c core) prepare(req *chat.Request) (*prepared, error) {
	if req == nil {
		return nil, c.invalid(chat.Invalid("Request", "is nil"))
	}
	model := c.model(req.Model)
	p, err := plan.New(plan.Input{
		Host: c.profile, Capabilities: c.capabilities(model), Model: model, Request: req, IsExtraKey: isExtraKey,
	})
	if err != nil {
		return nil, err
	}
	c.prefix.Warn(p)
	return &prepared{core: c, plan: p, req: req}, nil
}

// encode spells the call, once for each form.
func (p *prepared) encode(stream bool) (*wire.Encoded, error) {
	form := 0
	if stream && p.profile.Can.Has(profile.Streaming) {
		form = 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if enc := p.encoded[form]; enc != nil {
		return enc, nil
	}
	call := p.plan.Call
	call.Stream = form == 1
	enc, err := codecOf(p.profile.Dialect).EncodeRequest(call)
	if err != nil {
		return nil, p.invalid(&chat.Error{Kind: chat.ErrInvalid, Err: err})
	}
	p.encoded[form] = &enc
	return &enc, nil
}

// Encode implements [chat.PreparedPlan].
func (p *prepared) Encode(stream bool) (url string, body []byte, err error) {
	enc, err := p.encode(stream)
	if err != nil {
		return "", nil, err
	}
	return redactURL(p.url(enc)), slices.Clone(enc.Body), nil
}

// Fingerprint implements [chat.PreparedPlan].
func (p *prepared) Fingerprint() (string, error) {
	enc, err := p.encode(false)
	if err != nil {
		return "", err
	}
	return p.plan.Fingerprint(redactURL(p.url(enc)), enc.Body)
}

func (p *prepared) url(enc *wire.Encoded) string { return joinURL(p.baseURL(), enc.Path) }

// show makes the plan that callers see.
func (p *prepared) show() *chat.Plan {
	spelled, _ := p.plan.Call.SpellChoice() // the planner has checked it
	return &chat.Plan{
		Engine:     p.profile.Name,
		Model:      p.plan.Model,
		Tools:      p.plan.ToolsSent(),
		ToolChoice: p.plan.Choice(),
		WireChoice: spelled,
		Thinking:   strings.TrimSpace(p.plan.Call.Thinking.Type + " " + p.plan.Call.Thinking.Effort),
		Steps:      slices.Clone(p.plan.Steps),
		Warnings:   slices.Clone(p.plan.Warnings),
		Prepared:   p,
	}
}

// ownPlan finds this engine's half of a plan.
func (c core) ownPlan(p *chat.Plan) (*prepared, error) {
	if p != nil {
		if own, ok := p.Prepared.(*prepared); ok && own.guards == c.guards {
			return own, nil
		}
	}
	return nil, c.invalid(chat.Invalid("Plan", "was not made by this engine"))
}
