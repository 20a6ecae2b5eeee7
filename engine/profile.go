package engine

import (
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
)

// Profile is all that is particular to a provider. It is data: what a
// provider can do is claimed here with its source, and decided upon in the
// planner only.
type Profile struct {
	Name    string
	BaseURL string // without a trailing slash; the dialect appends its path
	Auth    Auth
	Dialect Dialect
	// Tools is how tools and tool choice are spelled. The zero value says that
	// the provider calls no tools.
	Tools toolchoice.WireFormat

	// Can is what the wire accepts; Unsure is the part of it that nobody has
	// seen working: it is sent as is, checked in the reply, and warned about.
	Can, Unsure Can
	Choice      ChoiceSupport
	Guard       Guard
	Thinking    ThinkingSupport
	// Models narrows or widens all this for some models; the first rule that
	// matches is taken.
	Models []ModelRule

	// MetadataKeys are the only keys of metadata that are taken; nil: any.
	MetadataKeys []string
	// DefaultMaxTokens is sent when a request names no limit and the wire
	// demands one; 0 sends none.
	DefaultMaxTokens int
	Quirks           Quirks
	// Example is a model that the provider serves, for documentation and for
	// the truth table.
	Example string
}

// Quirks are small, named departures from a dialect. See the fields of the
// type; the zero value departs in nothing.
type Quirks = wire.Quirks

// ModelRule changes a profile for the models that it matches.
type ModelRule struct {
	// Match lists model names; a trailing * matches any ending.
	Match []string
	// Add and Drop change Profile.Can.
	Add, Drop Can
	// Choice, Guard and Thinking replace the profile's when set.
	Choice   *ChoiceSupport
	Guard    Guard
	Thinking *ThinkingSupport
}

func (r *ModelRule) matches(model string) bool {
	for _, m := range r.Match {
		if prefix, open := strings.CutSuffix(m, "*"); m == model || open && strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

// capabilities is the profile as it stands for one model.
func (p *Profile) capabilities(model string) Capabilities {
	c := Capabilities{
		Can: p.Can, Unsure: p.Unsure, Choice: p.Choice, Guard: p.Guard, Thinking: p.Thinking,
	}
	for i := range p.Models {
		r := &p.Models[i]
		if !r.matches(model) {
			continue
		}
		c.Can = c.Can&^r.Drop | r.Add
		c.Unsure &= c.Can &^ r.Add
		if r.Choice != nil {
			c.Choice = *r.Choice
		}
		if r.Guard != GuardUnproven {
			c.Guard = r.Guard
		}
		if r.Thinking != nil {
			c.Thinking = *r.Thinking
		}
		break
	}
	if !c.Can.Has(ToolUse) || p.Tools == toolchoice.NoTools {
		c.Can &^= ToolUse
		c.Choice = ChoiceSupport{Auto: Refused, Any: Refused, None: Refused, Named: Refused}
	}
	return c
}

// invalid puts the engine's name on an error about the request.
func (p *Profile) invalid(e *chat.Error) *chat.Error {
	e.Engine = p.Name
	return e
}
