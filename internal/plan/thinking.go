package plan

import (
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// thinking is the effective thinking of a request: what it says, else what the
// model does by itself.
type thinking struct {
	on bool
	// asked: the request itself switched it on.
	asked bool
}

// planThinking is rule 2.
func (p *planner) planThinking() error {
	want := p.req.Thinking
	if want.Mode == chat.ThinkingDefault && (want.Effort != "" || want.Budget > 0) {
		want.Mode = chat.ThinkingOn
	}
	var err error
	switch want.Mode {
	case chat.ThinkingOff:
		err = p.planThinkingOff()
	case chat.ThinkingOn, chat.ThinkingAdaptive:
		err = p.planThinkingOn(want)
	case chat.ThinkingDefault:
		state := p.caps.Thinking.State
		p.think.on = state == profile.ThinksByDefault || state == profile.ThinksAlways
		if want.Show && p.think.on && p.caps.Thinking.Display {
			p.placeDisplay()
		}
	}
	if err != nil {
		return err
	}
	if want.Show && p.caps.Thinking.Hidden {
		p.addWarning("Thinking.Show", "left out: this wire never shows thoughts")
	}
	p.Call.Thinking.Replay = p.think.on
	return p.checkToolsWithThinking()
}

// planThinkingOff spells off where the model would think otherwise.
func (p *planner) planThinkingOff() error {
	t := &p.caps.Thinking
	p.think = thinking{}
	switch t.State {
	case profile.ThinksNever, profile.ThinksIfAsked:
	case profile.ThinkingUnknown:
		p.addWarning("Thinking", "nothing is sent: it is not known whether this model thinks, nor how to stop it")
	case profile.ThinksByDefault:
		if !t.CanBeOff() {
			return p.refuse("thinking off", "this model's thinking can't be switched off")
		}
		p.Call.Thinking = wire.Thinking{Type: t.OffType, Effort: t.OffEffort}
	case profile.ThinksAlways:
		return p.refuse("thinking off", "this model always thinks", "leave Thinking unset", "use another model")
	}
	return nil
}

func (p *planner) planThinkingOn(want chat.ThinkingConfig) error {
	t := &p.caps.Thinking
	p.think = thinking{on: true, asked: true}
	if t.State == profile.ThinksNever {
		if p.dropIfPermitted("Thinking", "this model does not think") {
			p.think = thinking{}
			return nil
		}
		return p.refuse("thinking", "this model does not think", "leave Thinking unset", "use another model")
	}
	effort := want.Effort
	if want.Budget > 0 && !t.Budget {
		effort = effortForBudget(want.Budget)
		p.addWarning("Thinking.Budget", "the wire counts no tokens: sent as effort %s", effort)
	}
	if err := p.placeThinkingType(want); err != nil {
		return err
	}
	p.placeEffort(effort)
	switch sent := p.Call.Thinking.Type+p.Call.Thinking.Effort != ""; {
	case t.State == profile.ThinkingUnknown && sent:
		p.addWarning("Thinking", "it is not known whether this model thinks: sent as it is")
	case t.State == profile.ThinkingUnknown:
		p.addWarning("Thinking", "it is not known whether this model thinks, nor how to ask for it: nothing is sent")
	}
	p.Call.Thinking.Format = t.Format
	if want.Show && t.Display {
		p.placeDisplay()
	}
	return nil
}

// placeThinkingType chooses between a budget and adaptive thinking where the
// wire has a thinking object.
func (p *planner) placeThinkingType(want chat.ThinkingConfig) error {
	t := &p.caps.Thinking
	switch {
	case !t.Enabled && !t.Adaptive:
		return nil
	case t.Adaptive && (want.Mode == chat.ThinkingAdaptive || !t.Enabled || t.Budget && want.Budget == 0):
		if want.Budget > 0 && t.Budget {
			p.addWarning("Thinking.Budget", "left out: adaptive thinking takes none")
		}
		p.Call.Thinking.Type = "adaptive"
		return nil
	case want.Mode == chat.ThinkingAdaptive:
		p.addWarning("Thinking.Mode", "this model has no adaptive thinking: it is switched on")
	}
	p.Call.Thinking.Type = "enabled"
	if t.Budget {
		return p.placeBudget(want)
	}
	return nil
}

// placeBudget finds a budget that the wire takes: at least MinBudget, below
// MaxTokens.
func (p *planner) placeBudget(want chat.ThinkingConfig) error {
	t := &p.caps.Thinking
	budget := want.Budget
	if budget == 0 {
		budget = budgetForEffort(want.Effort)
		if want.Effort != "" && len(t.Efforts) == 0 {
			p.addWarning("Thinking.Effort", "the wire has no efforts: sent as a budget of %d tokens", budget)
		}
	}
	if budget < t.MinBudget {
		p.addWarning("Thinking.Budget", "raised to the least that is taken, %d tokens", t.MinBudget)
		budget = t.MinBudget
	}
	if t.MaxBudget > 0 && budget > t.MaxBudget {
		p.addWarning("Thinking.Budget", "lowered to the most that is taken, %d tokens", t.MaxBudget)
		budget = t.MaxBudget
	}
	limit := p.req.MaxTokens
	switch {
	case limit == 0 && p.Host.DefaultMaxTokens > 0:
		p.Call.MaxTokens = budget + p.Host.DefaultMaxTokens
	case limit == 0:
	case budget >= limit && want.Budget > 0:
		return chat.Invalid("Thinking.Budget", fmt.Sprintf("%d tokens is not below MaxTokens, %d", budget, limit))
	case budget >= limit && limit <= t.MinBudget:
		return chat.Invalid("MaxTokens", fmt.Sprintf("%d leaves no room to think: the budget is at least %d and below it", limit, t.MinBudget))
	case budget >= limit:
		budget = max(t.MinBudget, limit/2)
	}
	p.Call.Thinking.Budget = budget
	return nil
}

func (p *planner) placeEffort(effort chat.Effort) {
	t := &p.caps.Thinking
	if effort == "" {
		p.Call.Thinking.Effort = t.OnEffort
		return
	}
	if len(t.Efforts) == 0 {
		if t.State == profile.ThinkingUnknown {
			p.Call.Thinking.Effort = string(effort)
		} else if !t.Budget {
			p.Call.Thinking.Effort = t.OnEffort
			p.addWarning("Thinking.Effort", "left out: this model's thinking has no efforts")
		}
		return
	}
	clamped := clampEffort(effort, t.Efforts)
	if clamped != effort {
		p.addWarning("Thinking.Effort", "%s is not taken by this model: sent as %s", effort, clamped)
	}
	p.Call.Thinking.Effort = string(clamped)
}

// placeDisplay asks for readable thoughts, keeping the type the model would
// use by itself.
func (p *planner) placeDisplay() {
	if t := &p.caps.Thinking; p.Call.Thinking.Type == "" && t.Adaptive && !t.Budget {
		p.Call.Thinking.Type = "adaptive" // the display is a setting of the type
	}
	p.Call.Thinking.Display = "summarized"
}

// checkToolsWithThinking refuses tools on wires that don't take them from a
// model that reasons.
func (p *planner) checkToolsWithThinking() error {
	if !p.think.on || !p.caps.Thinking.NoTools || len(p.req.Tools) == 0 || p.choice.Mode() == toolchoice.ModeNone {
		return nil
	}
	if p.switchThinkingOff() {
		return nil
	}
	return p.refuse("tools", "not on this wire while the model reasons", p.thinkingWaysOut(p.caps.Thinking.NoToolsHint)...)
}

// switchThinkingOff turns thinking off for this call if the caller permits it and the
// model can do without.
func (p *planner) switchThinkingOff() bool {
	if !p.req.Adapt.ThinkingOff || !p.caps.Thinking.CanBeOff() {
		return false
	}
	p.Call.Thinking = wire.Thinking{}
	p.Call.MaxTokens = p.req.MaxTokens
	if p.planThinkingOff() != nil {
		return false
	}
	p.addStep(chat.StepThinkingOff, "thinking is switched off for this call, as permitted")
	p.addWarning("Thinking", "switched off for this call, as permitted")
	return true
}

func (p *planner) thinkingWaysOut(more ...string) []string {
	var out []string
	if p.caps.Thinking.CanBeOff() {
		out = append(out, "switch thinking off for this turn (chat.ThinkingConfig{Mode: chat.ThinkingOff})")
	}
	for _, m := range more {
		if m != "" {
			out = append(out, m)
		}
	}
	return out
}

// The correspondence of budgets and efforts is ours: no provider publishes one.
var effortBudgets = []struct {
	effort chat.Effort
	budget int
}{
	{chat.EffortMinimal, 1024},
	{chat.EffortLow, 2048},
	{chat.EffortMedium, 8192},
	{chat.EffortHigh, 16384},
	{chat.EffortXHigh, 24576},
	{chat.EffortMax, 32000},
}

func budgetForEffort(e chat.Effort) int {
	for _, eb := range effortBudgets {
		if eb.effort == e {
			return eb.budget
		}
	}
	return 4096
}

func effortForBudget(budget int) chat.Effort {
	for _, eb := range effortBudgets {
		if budget <= eb.budget {
			return eb.effort
		}
	}
	return chat.EffortMax
}

var efforts = []chat.Effort{
	chat.EffortMinimal, chat.EffortLow, chat.EffortMedium, chat.EffortHigh, chat.EffortXHigh, chat.EffortMax,
}

// clampEffort is the strongest effort of those offered that is not above e;
// failing that, the weakest offered.
func clampEffort(e chat.Effort, offered []chat.Effort) chat.Effort {
	best := offered[0]
	for _, o := range offered {
		if slices.Index(efforts, o) <= slices.Index(efforts, e) {
			best = o
		}
	}
	return best
}
