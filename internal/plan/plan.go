package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// Plan is a request after it was checked and rewritten for a host: what will be
// sent and what the reply will be held against.
type Plan struct {
	Host  *profile.Profile
	Model string
	Call  wire.Call
	// tools are all that the caller defined.
	tools []chat.ToolDef

	expect expectation
	// textTools: calls are read from the text.
	textTools bool
	// thinks: the model is known to think under this plan.
	thinks bool
	// dropsCache: another tool choice drops the cached messages.
	dropsCache bool
	Steps      []chat.PlanStep
	Warnings   []chat.Warning
}

// expectation is what settle holds a reply against, and how it undoes the
// rewrite. Its fields are exported for the fingerprint, which is made of all of
// them.
type expectation struct {
	// Choice is what was promised; it differs from the caller's only where
	// Adapt allowed it.
	Choice toolchoice.Choice
	// Tools are the names of the tools that may be called; Offered are all that
	// the caller defined.
	Tools   []string
	Offered []string
	// OnlyOne: parallel calls were forbidden.
	OnlyOne bool
	Rewrite rewrite
	// Schemas are the tools' own, where they travel as a schema.
	Schemas map[string]json.RawMessage
	// Reserved is the synthetic tool's name, for outputAsTool.
	Reserved string
	// Wrapped: the document is a member of an object that was put around it.
	Wrapped bool
	Output  *chat.Output
	// Nullable is the output schema as the caller gave it, where it was sent in
	// a form that has nulls in the place of what is left out.
	Nullable json.RawMessage
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
	isExtraKey func(string) bool
	caps       profile.Capabilities
	req        *chat.Request
	think      thinking
	choice     toolchoice.Choice
	*Plan
}

// rules are the planner's decisions, in the order in which they depend on each
// other; the package comment numbers them. Rule 9 looks at the plan before and
// so has a memory: see [Prefixes]. Nothing else decides what is sent.
var rules = [...]func(*planner) error{
	(*planner).checkRequest,      // 1
	(*planner).placeExtraMembers, // 8
	(*planner).planThinking,      // 2
	(*planner).checkForced,       // 3
	(*planner).planTools,         // 4, 5, 6
	(*planner).planOutput,        // 7
	(*planner).planHistory,       // 8
	(*planner).planSettings,      // 8
	(*planner).writeToolsAsText,  // 8
}

// Input is what a plan is made of.
type Input struct {
	Host         *profile.Profile
	Capabilities profile.Capabilities
	// Model is the model to ask; it may be the engine's default.
	Model   string
	Request *chat.Request
	// IsExtraKey reports whether a key of Request.Extra names a dialect or an
	// engine, this one or another.
	IsExtraKey func(string) bool
}

// New is pure: the same input gives the same plan. Its errors are
// *chat.UnsupportedError, or *chat.Error of kind chat.ErrInvalid.
func New(in Input) (*Plan, error) {
	req := in.Request
	p := &planner{
		caps: in.Capabilities, req: req, choice: req.ToolChoice, isExtraKey: in.IsExtraKey,
		Plan: &Plan{Host: in.Host, Model: in.Model, tools: req.Tools},
	}
	p.Call = wire.Call{
		Model:      in.Model,
		System:     req.System,
		ToolFormat: in.Host.Tools,
		MaxTokens:  req.MaxTokens,
		Quirks:     wire.Quirks(p.caps.Quirks),
	}
	for _, rule := range rules {
		if err := rule(p); err != nil {
			if e, ok := err.(*chat.Error); ok { //nolint:errorlint // made by the rules themselves, never wrapped
				e.Engine = in.Host.Name
				return nil, e
			}
			return nil, err
		}
	}
	p.thinks, p.dropsCache = p.think.on, p.caps.Can.Has(profile.ChoiceInCache)
	return p.Plan, nil
}

// Choice is the choice that the reply will be held against.
func (p *Plan) Choice() toolchoice.Choice { return p.expect.Choice }

// ToolsSent are the names of the tools that are sent.
func (p *Plan) ToolsSent() []string { return toolNames(p.Call.Tools) }

// addStep notes a rewrite.
func (p *planner) addStep(kind chat.PlanStepKind, format string, args ...any) {
	p.Steps = append(p.Steps, chat.PlanStep{Kind: kind, Detail: fmt.Sprintf(format, args...)})
}

// addWarning notes a setting that was changed or left out.
func (p *planner) addWarning(field, format string, args ...any) {
	p.Warnings = append(p.Warnings, chat.Warning{Field: field, Message: fmt.Sprintf(format, args...)})
}

// refuse is the planner's no.
func (p *planner) refuse(feature, reason string, instead ...string) error {
	return &chat.UnsupportedError{
		Engine: p.Host.Name, Model: p.Model, Feature: feature, Reason: reason, Instead: instead,
	}
}

// dropIfPermitted reports whether the caller permits to leave a field out, and notes it.
func (p *planner) dropIfPermitted(field, reason string) bool {
	if !slices.Contains(p.req.Adapt.Drop, field) {
		return false
	}
	p.addWarning(field, "left out as permitted: %s", reason)
	return true
}
