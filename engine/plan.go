package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// Plan is a request after it was checked and rewritten for an engine. It holds
// what will be sent and what the reply will be held against.
type Plan struct {
	profile *profile.Profile
	model   string
	base    func() string // it may hold a password
	call    wire.Call
	encoded wire.Encoded

	expect expectation
	// textTools: calls are read from the text.
	textTools bool
	// thinks: the model is known to think under this plan.
	thinks   bool
	steps    []chat.PlanStep
	warnings []chat.Warning
}

// expectation is what settle holds a reply against, and how it undoes the
// rewrite.
type expectation struct {
	// choice is what was promised; it differs from the caller's only where
	// Adapt allowed it.
	choice toolchoice.Choice
	// tools are the names of the tools that may be called; offered are all that
	// the caller defined.
	tools   []string
	offered []string
	// onlyOne: parallel calls were forbidden.
	onlyOne bool
	rewrite rewrite
	// schemas are the tools' own, where they travel as a schema.
	schemas map[string]json.RawMessage
	// reserved is the synthetic tool's name, for outputAsTool.
	reserved string
	// wrapped: the document is a member of an object that was put around it.
	wrapped bool
	output  *chat.Output
	// nullable is the output schema as the caller gave it, where it was sent in
	// a form that has nulls in the place of what is left out.
	nullable json.RawMessage
}

// rewrite is how a request was changed so that its meaning could travel.
type rewrite uint8

const (
	asIs rewrite = iota
	toolAsSchema
	toolsAsSchema
	outputAsTool
)

// planner carries one request through the rules.
type planner struct {
	profile *profile.Profile
	caps    profile.Capabilities
	req     *chat.Request
	think   thinking
	choice  toolchoice.Choice
	*Plan
}

// rules are the planner's decisions, in the order that they depend on each
// other. Nothing outside of them decides what is sent.
var rules = []func(*planner) error{
	(*planner).checkRequest,
	(*planner).planExtra,
	(*planner).planThinking,
	(*planner).checkForced,
	(*planner).planTools,
	(*planner).planOutput,
	(*planner).planHistory,
	(*planner).planExtras,
	(*planner).planTextTools,
}

// newPlan is pure: the same profile, capabilities and request give the same
// plan. Its errors are *chat.UnsupportedError, or *chat.Error of kind
// chat.ErrInvalid.
func newPlan(host *profile.Profile, caps profile.Capabilities, model string, req *chat.Request) (*Plan, error) {
	p := &planner{
		profile: host, caps: caps, req: req, choice: req.ToolChoice,
		Plan: &Plan{profile: host, model: model},
	}
	p.call = wire.Call{
		Model:     model,
		System:    req.System,
		MaxTokens: req.MaxTokens,
		Quirks:    wire.Quirks(caps.Quirks),
	}
	for _, rule := range rules {
		if err := rule(p); err != nil {
			if e, ok := err.(*chat.Error); ok { //nolint:errorlint // made by the rules themselves, never wrapped
				e.Engine = host.Name
				return nil, e
			}
			return nil, err
		}
	}
	p.thinks = p.think.on
	return p.Plan, nil
}

// encode spells the call.
func (p *Plan) encode(stream bool) error {
	call := p.call
	call.Stream = stream
	enc, err := codecOf(p.profile.Dialect).EncodeRequest(call)
	if err != nil {
		return &chat.Error{Kind: chat.ErrInvalid, Engine: p.profile.Name, Err: err}
	}
	p.encoded = enc
	return nil
}

// step notes a rewrite.
func (p *planner) step(kind chat.PlanStepKind, format string, args ...any) {
	p.steps = append(p.steps, chat.PlanStep{Kind: kind, Detail: fmt.Sprintf(format, args...)})
}

// warn notes a setting that was changed or left out.
func (p *planner) warn(field, format string, args ...any) {
	p.warnings = append(p.warnings, chat.Warning{Field: field, Message: fmt.Sprintf(format, args...)})
}

// refuse is the planner's no.
func (p *planner) refuse(feature, reason string, instead ...string) error {
	return &chat.UnsupportedError{
		Engine: p.profile.Name, Model: p.model, Feature: feature, Reason: reason, Instead: instead,
	}
}

// drop reports whether the caller permits to leave a field out, and notes it.
func (p *planner) drop(field, reason string) bool {
	if !slices.Contains(p.req.Adapt.Drop, field) {
		return false
	}
	p.warn(field, "left out as permitted: %s", reason)
	return true
}
