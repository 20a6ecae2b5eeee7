package plan

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine/profile"
)

// Guards remembers, for models whose guard the profile doesn't know for sure,
// what the provider itself said: a 400 about the tool choice.
type Guards struct {
	mu      sync.Mutex
	learned map[string]profile.Guard
}

// Apply puts a learned guard into a model's capabilities.
func (g *Guards) Apply(model string, c *profile.Capabilities) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if learned, ok := g.learned[model]; ok {
		c.Guard = learned
	}
}

// Learn reports whether an error taught something about a model: that a forced
// choice, sent in good faith, is refused. Planning anew then gives another plan
// or a refusal.
func (g *Guards) Learn(p *Plan, err error) bool {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || e.Status != 400 || !p.sendsForced() || !isAboutChoice(e) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	guard := profile.GuardAlways
	if p.thinks && g.learned[p.Model] != profile.GuardThinking {
		guard = profile.GuardThinking // the model may still be forced while it doesn't think
	}
	if g.learned[p.Model] == guard {
		return false
	}
	if g.learned == nil {
		g.learned = make(map[string]profile.Guard)
	}
	g.learned[p.Model] = guard
	return true
}

// sendsForced reports whether the plan sends a choice that forces a call, the
// caller's own or that of the reserved output tool.
func (p *Plan) sendsForced() bool { return p.Call.Choice.Forced() }

// choiceParams are what the wires call the parameter.
var choiceParams = []string{"tool_choice", "toolChoice", "functionCallingConfig", "function_calling_config"}

// isAboutChoice reports whether a 400 is about the tool choice. OpenAI and its
// kin name the parameter; others have nothing but their sentence, in which the
// parameter's name is all that is looked for.
func isAboutChoice(e *chat.Error) bool {
	return slices.ContainsFunc(choiceParams, func(param string) bool {
		return strings.HasPrefix(e.Param, param) || e.Param == "" && strings.Contains(e.Message, param)
	})
}
