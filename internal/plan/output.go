package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// reservedTool is the synthetic tool that carries an output schema. It is the
// same in every turn of a conversation, so that prefixes stay cached.
const reservedTool = "give_answer"

// planOutput is rule 7.
func (p *planner) planOutput() error {
	out := p.req.Output
	if out == nil {
		return nil
	}
	p.expect.Output = out
	switch {
	case p.Call.Tools != nil && !p.caps.Can.Has(profile.SchemaWithTools) && p.canForceOutput():
		return p.planOutputAsTool(out)
	case len(out.Schema) == 0 && p.caps.Can.Has(profile.JSONMode):
		// OpenAI, and others after it, want the word JSON in the messages.
		p.addToSystem(strings.TrimSpace("Answer with one JSON object. " + out.Description))
		return p.placeFormat(&wire.Format{}, "JSON output")
	case len(out.Schema) > 0 && p.caps.Can.Has(profile.JSONSchema), p.caps.Can.Has(profile.JSONSchema | profile.OpenSchema):
		format, err := p.adaptFormat(out, "Output")
		if err == nil {
			if p.caps.Unsure.Has(profile.JSONSchema) {
				p.addWarning("Output", "it is not known whether this server keeps the schema: the reply is checked")
			}
			if p.caps.Thinking.NoSchema && p.think.on {
				p.addWarning("Output", "the schema is not sure to be kept while the model thinks: the reply is checked")
			}
			return p.placeFormat(format, "an output schema")
		}
		if !p.canForceOutput() {
			return err
		}
	}
	if p.canForceOutput() {
		return p.planOutputAsTool(out)
	}
	if p.caps.Can.Has(profile.JSONMode) {
		return p.planOutputAsPrompt(out)
	}
	if p.whyBlocked() != "" && p.switchThinkingOff() && p.canForceOutput() {
		return p.planOutputAsTool(out)
	}
	if why := p.whyBlocked(); why != "" {
		return p.refuse("an output schema",
			"this engine has none, and the forced tool that could stand in is refused: "+why, p.thinkingWaysOut("use another engine")...)
	}
	return p.refuse("an output schema", "this engine has none, and nothing that could stand in", "use another engine")
}

// placeFormat applies the engine's pair rule for output beside offered tools.
func (p *planner) placeFormat(f *wire.Format, what string) error {
	if p.Call.Tools != nil && !p.caps.Can.Has(profile.SchemaWithTools) {
		ways := []string{"use toolchoice.None() for this turn", "make two calls"}
		if p.whyBlocked() != "" {
			ways = p.thinkingWaysOut(ways...)
		}
		return p.refuse(what+" beside tools", "this engine takes one or the other", ways...)
	}
	p.Call.Format = f
	return nil
}

// adaptFormat adapts a schema to the wire's subset. What its server can't enforce
// is a warning; settle holds the reply against the caller's own schema anyway.
func (p *planner) adaptFormat(out *chat.Output, field string) (*wire.Format, error) {
	f := &wire.Format{Name: out.Name, Description: out.Description, Schema: out.Schema, Strict: out.Strict}
	if f.Name == "" {
		f.Name = "output"
	}
	if field == "ToolChoice" || len(f.Schema) == 0 {
		f.Schema = objectSchema(f.Schema)
	}
	if len(out.Schema) == 0 && field == "Output" {
		f.Schema = json.RawMessage(`{"type":"object"}`)
	}
	if p.Host.Schemas.TakesAnySchema() {
		p.adaptStrictFormat(f, field)
		return f, nil
	}
	f.Schema = schema.Describe(f.Schema, f.Name, f.Description) // these wires have no place beside it
	adapted, err := schema.Adapt(p.Host.Schemas, f.Schema)
	if err == nil && !adapted.Strict {
		err = errors.New(strings.Join(adapted.Notes, "; "))
	}
	if err != nil {
		return nil, p.refuse("an output schema", err.Error())
	}
	for _, n := range adapted.Notes {
		p.addWarning(field, "the server does not enforce all of the schema: %s", n)
	}
	f.Schema = adapted.Schema
	return f, nil
}

// adaptStrictFormat keeps strict where the schema qualifies. An output schema that
// doesn't is written so that it does: optional properties may then come as null,
// which settle takes out again.
func (p *planner) adaptStrictFormat(f *wire.Format, field string) {
	if !f.Strict {
		return
	}
	_, qualifies, why := schema.ForOpenAI(f.Schema)
	if qualifies {
		return
	}
	if field == "Output" {
		if adapted, err := schema.Adapt(p.Host.Schemas, f.Schema); err == nil {
			for _, n := range adapted.Notes {
				p.addWarning(field, "the schema is sent in the strict form: %s", n)
			}
			p.expect.Nullable = f.Schema
			f.Schema = adapted.Schema
			return
		}
		p.addWarning("Output.Strict", "left out: %s", why)
	}
	f.Strict = false
}

// canForceOutput reports whether a forced tool may carry the output. It must
// not create the pair that rule 3 forbids.
func (p *planner) canForceOutput() bool {
	c := p.caps.Choice
	return p.caps.Can.Has(profile.ToolUse) && p.caps.Guard != profile.GuardAlways && p.whyBlocked() == "" &&
		(c.Named == profile.Native || c.Any == profile.Native)
}

// planOutputAsTool sends the schema as a reserved tool. Alone it is forced; beside
// offered tools the model must call one of them, or the reserved one to answer.
func (p *planner) planOutputAsTool(out *chat.Output) error {
	name := reservedTool
	for i := 2; slices.Contains(p.expect.Offered, name); i++ {
		name = fmt.Sprintf("%s_%d", reservedTool, i)
	}
	def := chat.ToolDef{Name: name, Description: "Give the final answer.", Schema: out.Schema}
	if out.Description != "" {
		def.Description += " " + out.Description
	}
	if err := p.wrapOutput(&def); err != nil {
		return err
	}
	if p.Host.Schemas.RefusesTools() {
		if err := p.adaptTool(&def, "Output.Schema"); err != nil {
			return err
		}
	}
	choice := toolchoice.Tool(name)
	if p.choice.Mode() == toolchoice.ModeNone && p.Call.Tools != nil {
		p.leaveToolsOut()
	}
	if len(p.Call.Tools) > 0 || p.caps.Choice.Named != profile.Native {
		choice = toolchoice.Any()
	}
	if choice.Mode() == toolchoice.ModeAny && p.caps.Choice.Any != profile.Native {
		return p.refuse("an output schema beside tools", "this engine has no any, which it would take",
			"make two calls")
	}
	p.Call.Tools = append(slices.Clone(p.Call.Tools), def)
	if p.Call.Allowed != nil {
		p.Call.Allowed = append(slices.Clone(p.Call.Allowed), name)
	}
	if p.caps.Can.Has(profile.ParallelSwitch) {
		p.Call.ParallelTools = new(false)
	}
	p.expect.Rewrite, p.expect.Reserved = outputAsTool, name
	p.addStep(chat.StepOutputAsTool, "the output schema travels as the forced tool %s; its arguments become the answer", name)
	return p.placeChoice(choice)
}

// wrapMember holds the answer where a wire takes objects only.
const wrapMember = "answer"

// wrapOutput makes arguments of an output schema: they are an object.
func (p *planner) wrapOutput(def *chat.ToolDef) error {
	switch {
	case len(def.Schema) == 0:
		def.Schema = json.RawMessage(`{"type":"object"}`)
	case !schema.IsObject(def.Schema):
		wrapped, err := schema.Wrap(wrapMember, def.Schema)
		if err != nil {
			return p.refuse("an output schema", err.Error())
		}
		def.Schema, p.expect.Wrapped = wrapped, true
	}
	return nil
}

// planOutputAsPrompt writes the schema into the system text, with JSON mode on.
func (p *planner) planOutputAsPrompt(out *chat.Output) error {
	if err := p.placeFormat(&wire.Format{}, "JSON output"); err != nil {
		return err
	}
	p.addToSystem("Answer with one JSON value" + inParentheses(out.Description) +
		" that fits this JSON Schema, and nothing else:\n" + string(out.Schema))
	p.addStep(chat.StepOutputAsPrompt, "the output schema is written into the prompt, with JSON mode on; the answer is checked")
	p.addWarning("Output", "the server does not enforce the schema: it is in the prompt, and the reply is checked")
	return nil
}
