package plan

import (
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/toolchoice"
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
	why := p.whyBlocked()
	if why == "" || p.switchThinkingOff() || p.weakenToAuto(why) {
		return nil
	}
	return p.refuse("forced tool choice "+p.choice.String(), why, p.thinkingWaysOut(p.choiceWaysOut()...)...)
}

// whyBlocked says why a choice can't be forced while the model thinks; empty if
// it can. Models that can never be forced are the business of planTools: there
// the choice is unsupported, not forbidden for this turn.
func (p *planner) whyBlocked() string {
	if !p.think.on {
		return ""
	}
	switch p.caps.Guard {
	case profile.GuardThinking:
		if !p.think.asked {
			return "not with extended thinking, which this model has on by default"
		}
		return "not with extended thinking"
	case profile.GuardUnproven:
		return "not with extended thinking: no source says that this model takes both"
	case profile.GuardEnabled:
		if p.Call.Thinking.Type == "enabled" {
			return "not with extended thinking of a fixed budget; adaptive thinking is taken"
		}
	case profile.GuardNever, profile.GuardAlways, profile.GuardUpstream:
	}
	return ""
}

func (p *planner) choiceWaysOut() []string {
	wish := "use toolchoice.Auto() and add chat.AskFor with the tool's name to the user message"
	if p.choice.Mode() == toolchoice.ModeTool {
		wish = fmt.Sprintf("use toolchoice.Auto() and add chat.AskFor(%q) to the user message", p.choice.Name())
	}
	return []string{wish, "use another engine"}
}

// weakenToAuto turns a forced choice into auto if the caller permits it.
func (p *planner) weakenToAuto(why string) bool {
	if !p.req.Adapt.ChoiceToAuto || !p.caps.Can.Has(profile.ToolUse) {
		return false
	}
	p.addStep(chat.StepChoiceToAuto, "%s is weakened to auto, as permitted: %s", p.choice, why)
	p.addWarning("ToolChoice", "%s was weakened to auto, as permitted: %s", p.choice, why)
	p.choice = toolchoice.Auto()
	return true
}

// planTools is rules 4 to 6.
func (p *planner) planTools() error {
	if len(p.req.Tools) == 0 {
		return nil
	}
	p.expect.Offered = toolNames(p.req.Tools)
	p.expect.Tools = p.expect.Offered
	if p.req.AllowedTools != nil {
		p.expect.Tools = p.req.AllowedTools
	}
	err := p.planChoice()
	p.expect.Choice = p.choice
	if err != nil || p.Call.Tools == nil {
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
		if len(p.expect.Tools) == 1 && !p.canSendForced(p.caps.Choice.Any) {
			return p.planNamed(p.expect.Tools[0])
		}
		return p.planAny()
	case toolchoice.ModeAuto, toolchoice.Unset:
	}
	if !p.caps.Can.Has(profile.ToolUse) {
		if p.dropIfPermitted("Tools", "this engine calls no tools") {
			return nil
		}
		return p.refuse("tools", "this engine calls no tools by itself",
			"force one by name: it travels as an output schema", "use another engine")
	}
	return p.offerTools()
}

// isSent reports whether the wire's own spelling is worth sending.
func isSent(s profile.Support) bool { return s == profile.Native || s == profile.Unknown }

// canSendForced reports whether a forced choice with that support may be sent.
func (p *planner) canSendForced(s profile.Support) bool {
	return isSent(s) && p.caps.Guard != profile.GuardAlways
}

// planNamed is rule 4.
func (p *planner) planNamed(name string) error {
	switch {
	case p.canSendForced(p.caps.Choice.Named):
		p.warnUnsureChoice(p.caps.Choice.Named)
		return p.offerTools()
	case p.caps.Choice.Any == profile.Native && p.canSendForced(profile.Native):
		p.addStep(chat.StepNamedAsAny, "only %s is sent, with any: this wire can't name a tool", name)
		p.Call.Tools = []chat.ToolDef{p.findTool(name)}
		return p.placeChoice(toolchoice.Any())
	case p.caps.Can.Has(profile.JSONSchema) && !p.caps.Unsure.Has(profile.JSONSchema):
		return p.planToolAsSchema(name)
	case p.caps.Can.Has(profile.ToolsInText | profile.ToolUse):
		return p.offerTools()
	}
	return p.refuseForced()
}

// planAny is rule 5.
func (p *planner) planAny() error {
	switch {
	case p.canSendForced(p.caps.Choice.Any):
		p.warnUnsureChoice(p.caps.Choice.Any)
		return p.offerTools()
	case p.caps.Can.Has(profile.JSONSchema) && !p.caps.Unsure.Has(profile.JSONSchema):
		return p.planToolsAsSchema()
	case p.caps.Can.Has(profile.ToolsInText | profile.ToolUse):
		return p.offerTools()
	}
	return p.refuseForced()
}

// whyNotForced says why a forced choice can't be sent as such.
func (p *planner) whyNotForced() string {
	switch {
	case !p.caps.Can.Has(profile.ToolUse):
		return "this engine calls no tools"
	case p.caps.Guard == profile.GuardAlways:
		return "this model can't be forced to call a tool"
	}
	return "this engine can't be forced in this way"
}

func (p *planner) refuseForced() error {
	why := p.whyNotForced() + ", and has no output schema, which could stand in"
	if p.weakenToAuto(why) {
		return p.offerTools()
	}
	return p.refuse("forced tool choice "+p.choice.String(), why, p.choiceWaysOut()...)
}

// planNone is rule 6. Leaving the tools out says the same where the wire has
// no word for it, or takes no tools beside JSON output or thinking.
func (p *planner) planNone() error {
	pair := p.req.Output != nil && (!p.caps.Can.Has(profile.SchemaWithTools) || p.caps.Can.Has(profile.SchemaAutoOnly)) || p.think.on && p.caps.Thinking.NoTools
	if isSent(p.caps.Choice.None) && !pair {
		p.warnUnsureChoice(p.caps.Choice.None)
		return p.offerTools()
	}
	if p.caps.Can.Has(profile.CallsNeedTools) && p.historyHasCalls() {
		p.Call.Tools = p.req.Tools
		p.addWarning("ToolChoice", "this wire has no none, and wants the tools of the calls in the history: calls in the reply are refused")
		return nil
	}
	p.leaveToolsOut()
	return nil
}

func (p *planner) leaveToolsOut() {
	p.Call.Tools, p.Call.Allowed, p.Call.Choice, p.Call.ParallelTools = nil, nil, toolchoice.Choice{}, nil
	p.addStep(chat.StepToolsLeftOut, "the tools are left out: that is how none is said here")
}

// offerTools sends the tools, restricted as the request says, and the choice.
func (p *planner) offerTools() error {
	p.Call.Tools = p.req.Tools
	if p.req.AllowedTools != nil && p.choice.Mode() != toolchoice.ModeNone {
		p.restrictTools()
	}
	return p.placeChoice(p.choice)
}

func (p *planner) restrictTools() {
	if p.choice.Mode() == toolchoice.ModeTool {
		return // naming one of them restricts enough
	}
	can := profile.SubsetSwitch
	if !p.choice.Forced() {
		can = profile.SubsetAuto
	}
	if p.caps.Can.Has(can) {
		p.Call.Allowed = p.req.AllowedTools
		return
	}
	p.addStep(chat.StepToolsTrimmed, "only the allowed tools are sent: this wire can't restrict them otherwise")
	p.Call.Tools = slices.DeleteFunc(slices.Clone(p.req.Tools), func(t chat.ToolDef) bool {
		return !slices.Contains(p.req.AllowedTools, t.Name)
	})
}

func (p *planner) placeChoice(c toolchoice.Choice) error {
	switch {
	case p.caps.Can.Has(profile.ToolsInText):
		return nil // said in words by writeToolsAsText
	case c.IsZero() && p.Call.Allowed != nil:
		c = toolchoice.Auto()
	case c.Mode() == toolchoice.ModeAuto && p.caps.Choice.Auto == profile.Emulated:
		return nil // left out, it means auto
	}
	if _, err := c.To(p.Host.Tools); err != nil {
		return p.refuse("tool choice "+c.String(), err.Error())
	}
	p.Call.Choice = c
	return nil
}

func (p *planner) warnUnsureChoice(s profile.Support) {
	switch {
	case s == profile.Unknown:
		p.addWarning("ToolChoice", "it is not known whether this server keeps %s: the reply is checked", p.choice)
	case p.caps.Guard == profile.GuardUpstream && p.choice.Forced():
		p.addWarning("ToolChoice", "whether %s is kept is decided upstream: the reply is checked", p.choice)
	}
}

// planParallel is the switch for several calls in one reply.
func (p *planner) planParallel() error {
	want := p.req.ParallelTools
	switch {
	case want == nil || p.choice.Mode() == toolchoice.ModeNone:
	case p.caps.Can.Has(profile.ParallelSwitch):
		p.Call.ParallelTools = want
		p.expect.OnlyOne = !*want
	case *want:
		p.addWarning("ParallelTools", "left out: this engine has no such switch")
	case !p.dropIfPermitted("ParallelTools", "this engine has no such switch"):
		return p.refuse("one call at a time", "this engine has no switch for parallel calls",
			`permit it with Adapt{Drop: []string{"ParallelTools"}}`)
	}
	return nil
}

func (p *planner) findTool(name string) chat.ToolDef {
	i := slices.IndexFunc(p.req.Tools, func(t chat.ToolDef) bool { return t.Name == name })
	return p.req.Tools[i]
}

func toolNames(tools []chat.ToolDef) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.Name
	}
	return out
}
