package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sabir-go/sabir/toolchoice"
)

// Plan is a request after it was checked and rewritten for an engine: what
// Chat would do with it, shown without network. A plan is the caller's own:
// changing it changes no engine.
type Plan struct {
	// Engine is the name of the engine that made the plan, Model the model that
	// will be asked.
	Engine, Model string
	// Tools are the names of the tools that are sent.
	Tools []string
	// ToolChoice is the choice that the reply will be held against. It differs
	// from the request's only where Request.Adapt permits it.
	ToolChoice toolchoice.Choice
	// WireChoice is the choice as the wire spells it; nil: none is sent.
	WireChoice json.RawMessage
	// Thinking is the thinking settings as they are sent, such as "enabled" or
	// "high"; empty: none are.
	Thinking string
	// Steps are the rewrites taken, Warnings the settings that were changed or
	// left out.
	Steps    []PlanStep
	Warnings []Warning
	// Prepared is the engine's own half, with which the plan can be encoded and
	// sent; nil for a plan that is only shown.
	Prepared PreparedPlan `json:"-"`
}

// PreparedPlan is what an engine keeps in the plans that it makes.
type PreparedPlan interface {
	// Encode returns where the request goes, without secrets, and its body, for
	// Chat or for Stream. The body is the caller's own copy.
	Encode(stream bool) (url string, body []byte, err error)
	// Fingerprint is what [Plan.Fingerprint] promises.
	Fingerprint() (string, error)
}

// URL is where Chat sends the request, without secrets that the base URL may
// hold. It is empty if the plan can't be encoded; [Plan.Body] says why.
func (p *Plan) URL() string {
	url, _, _ := p.encode(false)
	return url
}

// Body encodes the request: byte for byte what Chat sends. An error of kind
// ErrInvalid says what the wire has no place for.
func (p *Plan) Body() ([]byte, error) {
	_, body, err := p.encode(false)
	return body, err
}

// StreamBody is Body for Stream. It differs in the members that ask for a
// stream.
func (p *Plan) StreamBody() ([]byte, error) {
	_, body, err := p.encode(true)
	return body, err
}

func (p *Plan) encode(stream bool) (url string, body []byte, err error) {
	if p.Prepared == nil {
		return "", nil, nil
	}
	return p.Prepared.Encode(stream)
}

// Fingerprint names all that decides a reply: engine, model, address, body, and
// what the reply is held against and turned into, which the body need not show.
// Equal fingerprints mean equal plans; caches and recordings use them as keys.
// It is empty for a plan without a body.
func (p *Plan) Fingerprint() (string, error) {
	if p.Prepared == nil {
		return "", nil
	}
	return p.Prepared.Fingerprint()
}

// String tells the plan in plain words, for a terminal.
func (p *Plan) String() string {
	var b strings.Builder
	line := func(head, text string) { fmt.Fprintf(&b, "  %-12s %s\n", head, text) }
	url, body, err := p.encode(false)
	fmt.Fprintf(&b, "%s will ask %s\n", p.Engine, p.Model)
	line("send", "POST "+url)
	line("tools", p.describeTools())
	line("tool choice", p.describeChoice())
	if p.Thinking != "" {
		line("thinking", p.Thinking)
	}
	for _, s := range p.Steps {
		line("rewritten", s.Detail)
	}
	for _, w := range p.Warnings {
		line("changed", w.Field+": "+w.Message)
	}
	if err != nil {
		line("error", err.Error())
		return b.String()
	}
	line("body", string(body))
	return b.String()
}

func (p *Plan) describeTools() string {
	if len(p.Tools) == 0 {
		return "none sent"
	}
	return strings.Join(p.Tools, ", ")
}

func (p *Plan) describeChoice() string {
	switch {
	case p.WireChoice != nil:
		return fmt.Sprintf("%s, sent as %s", p.ToolChoice, p.WireChoice)
	case p.ToolChoice.IsZero():
		return "left to the provider"
	}
	return p.ToolChoice.String() + ", not sent as such"
}
