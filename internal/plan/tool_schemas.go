package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// planThinkingForSchema makes sure that the schema that stands in for a forced
// choice is kept: where that is not sure while the model thinks, thinking is
// switched off, unless the caller asked for it.
func (p *planner) planThinkingForSchema() error {
	if !p.caps.Thinking.NoSchema || !p.think.on {
		return nil
	}
	if !p.caps.Thinking.CanBeOff() {
		p.addWarning("ToolChoice", "the output schema that stands in is not sure to be kept while the model thinks: the reply is checked")
		return nil
	}
	if p.think.asked && !p.req.Adapt.ThinkingOff {
		return p.refuse("forced tool choice "+p.choice.String(),
			"not with thinking: the output schema that stands in is not sure to be kept while the model thinks",
			p.thinkingWaysOut(p.choiceWaysOut()...)...)
	}
	p.Call.Thinking = wire.Thinking{}
	p.addStep(chat.StepThinkingOff, "thinking is switched off for this call: the output schema that stands in is kept only then")
	return p.planThinkingOff()
}

// planToolAsSchema sends the named tool's schema as the answer's form.
func (p *planner) planToolAsSchema(name string) error {
	if err := p.planThinkingForSchema(); err != nil {
		return err
	}
	t := p.findTool(name)
	format, err := p.adaptFormat(&chat.Output{Name: t.Name, Description: t.Description, Schema: t.Schema, Strict: true},
		"ToolChoice")
	if err != nil {
		return err
	}
	p.Call.Format = format
	p.expect.Rewrite = toolAsSchema
	p.expect.Tools = []string{name}
	p.expect.Schemas = map[string]json.RawMessage{name: t.Schema}
	p.addSchemaToSystem("Answer with the arguments of the tool " + name + inParentheses(t.Description) + " as one JSON object")
	p.keepToolsForPrefix()
	p.addStep(chat.StepToolAsSchema, "%s: the forced tool %s travels as an output schema, the answer becomes one synthetic call",
		p.whyNotForced(), name)
	return nil
}

// unionMember is the member of the union schema's object that holds the call.
const unionMember = "call"

// addSchemaToSystem puts the wish and the schema into the system text, on wires whose
// models are not shown the schema of the answer.
func (p *planner) addSchemaToSystem(wish string) {
	if p.Host.HidesSchema {
		p.addToSystem(wish + " that fits this JSON Schema:\n" + string(p.Call.Format.Schema))
	}
}

func (p *planner) addToSystem(text string) {
	if p.Call.System != "" {
		text = p.Call.System + "\n\n" + text
	}
	p.Call.System = text
}

func inParentheses(description string) string {
	if description == "" {
		return ""
	}
	return " (" + description + ")"
}

// keepToolsForPrefix keeps the tools in a request whose choice travels as a schema,
// with a choice of none, where the wire takes that. The prompt's beginning then
// stays what it is in other turns: for the cache, and for the signatures of
// models that bind their thoughts to all that stands before them.
// Source: platform.claude.com/docs/en/build-with-claude/preserved-thinking, read
// 2026-11-30.
func (p *planner) keepToolsForPrefix() {
	if !p.caps.Can.Has(profile.ToolUse | profile.SchemaWithTools) {
		return
	}
	if p.caps.Choice.None != profile.Native {
		if p.caps.Can.Has(profile.CallsNeedTools) && p.historyHasCalls() {
			p.Call.Tools = p.req.Tools // unasked for, but wanted
		}
		return
	}
	if _, err := toolchoice.None().To(p.Host.Tools); err == nil {
		p.Call.Tools, p.Call.Choice = p.req.Tools, toolchoice.None()
	}
}

// planToolsAsSchema sends a union over the tools as the answer's form.
func (p *planner) planToolsAsSchema() error {
	if err := p.planThinkingForSchema(); err != nil {
		return err
	}
	tools := make([]schema.Alternative, 0, len(p.expect.Tools))
	p.expect.Schemas = make(map[string]json.RawMessage, len(p.expect.Tools))
	for _, name := range p.expect.Tools {
		t := p.findTool(name)
		p.expect.Schemas[name] = t.Schema
		tools = append(tools, schema.Alternative{Name: name, Description: t.Description, Schema: objectSchema(t.Schema)})
	}
	union, err := schema.Union(unionMember, tools)
	if err != nil {
		return p.refuse("forced tool choice any", err.Error(), p.choiceWaysOut()...)
	}
	format, err := p.adaptFormat(&chat.Output{
		Name: "tool_call", Description: "Which tool to call, and its arguments.", Schema: union, Strict: true,
	}, "ToolChoice")
	if err != nil {
		return err
	}
	p.Call.Format = format
	p.expect.Rewrite = toolsAsSchema
	p.addSchemaToSystem("Answer with a call of one tool and its arguments as one JSON object")
	p.keepToolsForPrefix()
	p.addStep(chat.StepToolsAsSchema, "%s: any of %d tools travels as one union schema, the answer becomes a synthetic call",
		p.whyNotForced(), len(tools))
	return nil
}

// adaptTools writes the tools' schemas for wires that refuse what they don't
// know.
func (p *planner) adaptTools() error {
	if !p.Host.Schemas.RefusesTools() {
		return nil
	}
	tools := slices.Clone(p.Call.Tools)
	for i := range tools {
		if len(tools[i].Schema) == 0 {
			continue
		}
		field := fmt.Sprintf("Tools[%d].Schema", slices.Index(p.expect.Offered, tools[i].Name))
		if err := p.adaptTool(&tools[i], field); err != nil {
			return err
		}
	}
	p.Call.Tools = tools
	return nil
}

// adaptTool writes one tool's schema for the wire.
func (p *planner) adaptTool(t *chat.ToolDef, field string) error {
	adapted, err := schema.Adapt(p.Host.Schemas, t.Schema)
	if err != nil {
		return p.refuse("the schema in "+field, err.Error())
	}
	for _, n := range adapted.Notes {
		p.addWarning(field, "the server does not enforce all of it: %s", n)
	}
	t.Schema = adapted.Schema
	return nil
}

// planStrict leaves strict out where it would be refused.
func (p *planner) planStrict() {
	for i, t := range p.Call.Tools {
		if !t.Strict {
			continue
		}
		strict, why := json.RawMessage(nil), "this engine does not enforce tool schemas"
		if p.caps.Can.Has(profile.StrictTools) {
			strict, why = p.strictSchema(t.Schema)
		}
		if &p.Call.Tools[0] == &p.req.Tools[0] {
			p.Call.Tools = slices.Clone(p.Call.Tools)
		}
		if why == "" {
			p.Call.Tools[i].Schema = strict
			continue
		}
		p.Call.Tools[i].Strict = false
		p.addWarning(fmt.Sprintf("Tools[%d].Strict", slices.Index(p.expect.Offered, t.Name)), "left out: %s", why)
	}
}

// strictSchema is a tool's schema as the wire enforces it, or why it can't be
// without a change of what it means.
func (p *planner) strictSchema(raw json.RawMessage) (strict json.RawMessage, why string) {
	raw = objectSchema(raw)
	if p.Host.Schemas.TakesAnySchema() {
		if _, ok, why := schema.ForOpenAI(raw); !ok {
			return nil, why
		}
		return raw, ""
	}
	adapted, err := schema.Adapt(p.Host.Schemas, raw)
	switch {
	case err != nil:
		return nil, err.Error()
	case len(adapted.Notes) > 0:
		return nil, adapted.Notes[0]
	}
	return adapted.Schema, ""
}

// objectSchema is a tool's schema; a tool without one takes an empty object.
func objectSchema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)
	}
	return raw
}
