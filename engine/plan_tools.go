package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// checkForced is rule 3, and the contradiction of rule 7: a forced choice is
// not sent, nor rewritten, where the model's thinking forbids it.
func (p *planner) checkForced() error {
	if !p.choice.Forced() {
		return nil
	}
	if p.req.Output != nil {
		return p.refuse("forced tool choice "+p.choice.String()+" with Output",
			"the answer can't be a call and a document at once",
			"make two calls", "leave Output unset and read the call's arguments")
	}
	why := p.blocked()
	if why == "" || p.switchOff() || p.weaken(why) {
		return nil
	}
	return p.refuse("forced tool choice "+p.choice.String(), why, p.waysOut(p.forcedWaysOut()...)...)
}

// blocked says why a choice can't be forced while the model thinks; empty if
// it can. Models that can never be forced are the business of planTools: there
// the choice is unsupported, not forbidden for this turn.
func (p *planner) blocked() string {
	if !p.think.on {
		return ""
	}
	switch p.caps.Guard {
	case GuardThinking:
		if !p.think.asked {
			return "not with extended thinking, which this model has on by default"
		}
		return "not with extended thinking"
	case GuardUnproven:
		return "not with extended thinking: no source says that this model takes both"
	case GuardEnabled:
		if p.call.Thinking.Type == "enabled" {
			return "not with extended thinking of a fixed budget; adaptive thinking is taken"
		}
	case GuardNever, GuardAlways, GuardUpstream:
	}
	return ""
}

func (p *planner) forcedWaysOut() []string {
	wish := "use toolchoice.Auto() and add chat.AskFor with the tool's name to the user message"
	if p.choice.Mode() == toolchoice.ModeTool {
		wish = fmt.Sprintf("use toolchoice.Auto() and add chat.AskFor(%q) to the user message", p.choice.Name())
	}
	return []string{wish, "use another engine"}
}

// weaken turns a forced choice into auto if the caller permits it.
func (p *planner) weaken(why string) bool {
	if !p.req.Adapt.ChoiceToAuto || !p.caps.Can.Has(ToolUse) {
		return false
	}
	p.step(chat.StepChoiceToAuto, "%s is weakened to auto, as permitted: %s", p.choice, why)
	p.warn("ToolChoice", "%s was weakened to auto, as permitted: %s", p.choice, why)
	p.choice = toolchoice.Auto()
	return true
}

// planTools is rules 4 to 6.
func (p *planner) planTools() error {
	if len(p.req.Tools) == 0 {
		return nil
	}
	p.expect.offered = names(p.req.Tools)
	p.expect.tools = p.expect.offered
	if p.req.AllowedTools != nil {
		p.expect.tools = p.req.AllowedTools
	}
	err := p.planChoice()
	p.expect.choice = p.choice
	if err != nil || p.call.Tools == nil {
		return err
	}
	if err := p.adaptTools(); err != nil {
		return err
	}
	p.planStrict()
	return p.planParallel()
}

func (p *planner) planChoice() error {
	switch p.choice.Mode() {
	case toolchoice.ModeNone:
		return p.planNone()
	case toolchoice.ModeTool:
		return p.planNamed(p.choice.Name())
	case toolchoice.ModeAny:
		if len(p.expect.tools) == 1 && !p.forces(p.caps.Choice.Any) {
			return p.planNamed(p.expect.tools[0])
		}
		return p.planAny()
	case toolchoice.ModeAuto, toolchoice.Unset:
	}
	if !p.caps.Can.Has(ToolUse) {
		if p.drop("Tools", "this engine calls no tools") {
			return nil
		}
		return p.refuse("tools", "this engine calls no tools by itself",
			"force one by name: it travels as an output schema", "use another engine")
	}
	return p.offer()
}

// forces reports whether a forced choice with that support may be sent.
func (p *planner) forces(s Support) bool { return s.sends() && p.caps.Guard != GuardAlways }

// planNamed is rule 4.
func (p *planner) planNamed(name string) error {
	switch {
	case p.forces(p.caps.Choice.Named):
		p.warnUnsure(p.caps.Choice.Named)
		return p.offer()
	case p.caps.Choice.Any == Native && p.forces(Native):
		p.step(chat.StepNamedAsAny, "only %s is sent, with any: this wire can't name a tool", name)
		p.call.Tools = []chat.ToolDef{p.tool(name)}
		return p.spell(toolchoice.Any())
	case p.caps.Can.Has(JSONSchema) && !p.caps.Unsure.Has(JSONSchema):
		return p.toolAsSchema(name)
	case p.profile.Tools == toolchoice.Hermes && p.caps.Can.Has(ToolUse):
		return p.offer()
	}
	return p.cannotForce()
}

// planAny is rule 5.
func (p *planner) planAny() error {
	switch {
	case p.forces(p.caps.Choice.Any):
		p.warnUnsure(p.caps.Choice.Any)
		return p.offer()
	case p.caps.Can.Has(JSONSchema) && !p.caps.Unsure.Has(JSONSchema):
		return p.toolsAsSchema()
	case p.profile.Tools == toolchoice.Hermes && p.caps.Can.Has(ToolUse):
		return p.offer()
	}
	return p.cannotForce()
}

// whyNotForced says why a forced choice can't be sent as such.
func (p *planner) whyNotForced() string {
	switch {
	case !p.caps.Can.Has(ToolUse):
		return "this engine calls no tools"
	case p.caps.Guard == GuardAlways:
		return "this model can't be forced to call a tool"
	}
	return "this engine can't be forced in this way"
}

func (p *planner) cannotForce() error {
	why := p.whyNotForced() + ", and has no output schema, which could stand in"
	if p.weaken(why) {
		return p.offer()
	}
	return p.refuse("forced tool choice "+p.choice.String(), why, p.forcedWaysOut()...)
}

// planNone is rule 6. Leaving the tools out says the same where the wire has
// no word for it, or takes no tools beside JSON output or thinking.
func (p *planner) planNone() error {
	pair := p.req.Output != nil && !p.caps.Can.Has(SchemaWithTools) || p.think.on && p.caps.Thinking.NoTools
	if p.caps.Choice.None.sends() && !pair {
		p.warnUnsure(p.caps.Choice.None)
		return p.offer()
	}
	if p.caps.Can.Has(CallsNeedTools) && p.historyHasCalls() {
		p.call.Tools = p.req.Tools
		p.warn("ToolChoice", "this wire has no none, and wants the tools of the calls in the history: calls in the reply are refused")
		return nil
	}
	p.leaveToolsOut()
	return nil
}

func (p *planner) leaveToolsOut() {
	p.call.Tools, p.call.Allowed, p.call.Choice, p.call.ParallelTools = nil, nil, nil, nil
	p.step(chat.StepToolsLeftOut, "the tools are left out: that is how none is said here")
}

// offer sends the tools, restricted as the request says, and the choice.
func (p *planner) offer() error {
	p.call.Tools = p.req.Tools
	if p.req.AllowedTools != nil && p.choice.Mode() != toolchoice.ModeNone {
		p.restrict()
	}
	return p.spell(p.choice)
}

func (p *planner) restrict() {
	if p.choice.Mode() == toolchoice.ModeTool {
		return // naming one of them restricts enough
	}
	can := SubsetSwitch
	if !p.choice.Forced() {
		can = SubsetAuto
	}
	if p.caps.Can.Has(can) {
		p.call.Allowed = p.req.AllowedTools
		return
	}
	p.step(chat.StepToolsTrimmed, "only the allowed tools are sent: this wire can't restrict them otherwise")
	p.call.Tools = slices.DeleteFunc(slices.Clone(p.req.Tools), func(t chat.ToolDef) bool {
		return !slices.Contains(p.req.AllowedTools, t.Name)
	})
}

func (p *planner) spell(c toolchoice.Choice) error {
	switch {
	case p.profile.Tools == toolchoice.Hermes:
		return nil // said in words, in planTextTools
	case c.IsZero() && p.call.Allowed != nil:
		c = toolchoice.Auto()
	case c.Mode() == toolchoice.ModeAuto && p.caps.Choice.Auto == Emulated:
		return nil // left out, it means auto
	}
	raw, err := c.To(p.profile.Tools)
	if err != nil {
		return p.refuse("tool choice "+c.String(), err.Error())
	}
	p.call.Choice = raw
	return nil
}

func (p *planner) warnUnsure(s Support) {
	switch {
	case s == Unknown:
		p.warn("ToolChoice", "it is not known whether this server keeps %s: the reply is checked", p.choice)
	case p.caps.Guard == GuardUpstream && p.choice.Forced():
		p.warn("ToolChoice", "whether %s is kept is decided upstream: the reply is checked", p.choice)
	}
}

// schemaInPlaceOfForce makes sure that the schema that stands in for a forced
// choice is kept: where that is not sure while the model thinks, thinking is
// switched off, unless the caller asked for it.
func (p *planner) schemaInPlaceOfForce() error {
	if !p.caps.Thinking.NoSchema || !p.think.on || !p.caps.Thinking.canBeOff() {
		return nil
	}
	if p.think.asked && !p.req.Adapt.ThinkingOff {
		return p.refuse("forced tool choice "+p.choice.String(),
			"not with thinking: the output schema that stands in is not sure to be kept while the model thinks",
			p.waysOut(p.forcedWaysOut()...)...)
	}
	p.call.Thinking = wire.Thinking{}
	p.step(chat.StepThinkingOff, "thinking is switched off for this call: the output schema that stands in is kept only then")
	return p.thinkingOff()
}

// toolAsSchema sends the named tool's schema as the answer's form.
func (p *planner) toolAsSchema(name string) error {
	if err := p.schemaInPlaceOfForce(); err != nil {
		return err
	}
	t := p.tool(name)
	format, err := p.format(&chat.Output{Name: t.Name, Description: t.Description, Schema: t.Schema, Strict: true},
		"ToolChoice")
	if err != nil {
		return err
	}
	p.call.Format = format
	p.expect.rewrite = toolAsSchema
	p.expect.tools = []string{name}
	p.keepToolsStill()
	p.step(chat.StepToolAsSchema, "%s: the forced tool %s travels as an output schema, the answer becomes one synthetic call",
		p.whyNotForced(), name)
	return nil
}

// unionMember is the member of the union schema's object that holds the call.
const unionMember = "call"

// keepToolsStill keeps the tools in a request whose choice travels as a schema,
// with a choice of none, where the wire takes that. The prompt's beginning then
// stays what it is in other turns: for the cache, and for the signatures of
// models that bind their thoughts to all that stands before them.
// Source: platform.claude.com/docs/en/build-with-claude/preserved-thinking, read
// 2026-11-30.
func (p *planner) keepToolsStill() {
	if !p.caps.Can.Has(ToolUse|SchemaWithTools) || p.caps.Choice.None != Native {
		return
	}
	if raw, err := toolchoice.None().To(p.profile.Tools); err == nil {
		p.call.Tools, p.call.Choice = p.req.Tools, raw
	}
}

// toolsAsSchema sends a union over the tools as the answer's form.
func (p *planner) toolsAsSchema() error {
	if err := p.schemaInPlaceOfForce(); err != nil {
		return err
	}
	tools := make([]schema.Alternative, 0, len(p.expect.tools))
	for _, name := range p.expect.tools {
		t := p.tool(name)
		tools = append(tools, schema.Alternative{Name: name, Description: t.Description, Schema: objectSchema(t.Schema)})
	}
	union, err := schema.Union(unionMember, tools)
	if err != nil {
		return p.refuse("forced tool choice any", err.Error(), p.forcedWaysOut()...)
	}
	format, err := p.format(&chat.Output{
		Name: "tool_call", Description: "Which tool to call, and its arguments.", Schema: union, Strict: true,
	}, "ToolChoice")
	if err != nil {
		return err
	}
	p.call.Format = format
	p.expect.rewrite = toolsAsSchema
	p.keepToolsStill()
	p.step(chat.StepToolsAsSchema, "%s: any of %d tools travels as one union schema, the answer becomes a synthetic call",
		p.whyNotForced(), len(tools))
	return nil
}

// adaptTools writes the tools' schemas for wires that refuse what they don't
// know.
func (p *planner) adaptTools() error {
	if p.profile.Schemas != schema.GeminiJSON {
		return nil
	}
	tools := slices.Clone(p.call.Tools)
	for i := range tools {
		if len(tools[i].Schema) == 0 {
			continue
		}
		at := slices.Index(p.expect.offered, tools[i].Name)
		adapted, err := schema.Adapt(p.profile.Schemas, tools[i].Schema)
		if err != nil {
			return p.refuse(fmt.Sprintf("the schema of Tools[%d]", at), err.Error())
		}
		for _, n := range adapted.Notes {
			p.warn(fmt.Sprintf("Tools[%d].Schema", at), "the server does not enforce all of it: %s", n)
		}
		tools[i].Schema = adapted.Schema
	}
	p.call.Tools = tools
	return nil
}

// planStrict leaves strict out where it would be refused.
func (p *planner) planStrict() {
	for i, t := range p.call.Tools {
		if !t.Strict {
			continue
		}
		strict, why := json.RawMessage(nil), "this engine does not enforce tool schemas"
		if p.caps.Can.Has(StrictTools) {
			strict, why = p.strictSchema(t.Schema)
		}
		if &p.call.Tools[0] == &p.req.Tools[0] {
			p.call.Tools = slices.Clone(p.call.Tools)
		}
		if why == "" {
			p.call.Tools[i].Schema = strict
			continue
		}
		p.call.Tools[i].Strict = false
		p.warn(fmt.Sprintf("Tools[%d].Strict", slices.Index(p.expect.offered, t.Name)), "left out: %s", why)
	}
}

// strictSchema is a tool's schema as the wire enforces it, or why it can't be
// without a change of what it means.
func (p *planner) strictSchema(raw json.RawMessage) (strict json.RawMessage, why string) {
	raw = objectSchema(raw)
	if p.profile.Schemas == schema.OpenAI {
		if _, ok, why := schema.ForOpenAI(raw); !ok {
			return nil, why
		}
		return raw, ""
	}
	adapted, err := schema.Adapt(p.profile.Schemas, raw)
	switch {
	case err != nil:
		return nil, err.Error()
	case len(adapted.Notes) > 0:
		return nil, adapted.Notes[0]
	}
	return adapted.Schema, ""
}

// planParallel is the switch for several calls in one reply.
func (p *planner) planParallel() error {
	want := p.req.ParallelTools
	switch {
	case want == nil || p.choice.Mode() == toolchoice.ModeNone:
	case p.caps.Can.Has(ParallelSwitch):
		p.call.ParallelTools = want
		p.expect.onlyOne = !*want
	case *want:
		p.warn("ParallelTools", "left out: this engine has no such switch")
	case !p.drop("ParallelTools", "this engine has no such switch"):
		return p.refuse("one call at a time", "this engine has no switch for parallel calls",
			`permit it with Adapt{Drop: []string{"ParallelTools"}}`)
	}
	return nil
}

func (p *planner) tool(name string) chat.ToolDef {
	i := slices.IndexFunc(p.req.Tools, func(t chat.ToolDef) bool { return t.Name == name })
	return p.req.Tools[i]
}

func names(tools []chat.ToolDef) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.Name
	}
	return out
}

// objectSchema is a tool's schema; a tool without one takes an empty object.
func objectSchema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)
	}
	return raw
}
