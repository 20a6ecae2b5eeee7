package engine

import (
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Profile is all that is particular to a provider. It is data: what a
// provider can do is claimed here with its source, and decided upon in the
// planner only.
type Profile struct {
	Name    string
	BaseURL string // without a trailing slash; the dialect appends its path
	Auth    Auth
	// Region and Project fill {region} and {project} in BaseURL.
	Region, Project Place
	Dialect         Dialect
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

	// MinMaxTokens is the least limit that is taken.
	MinMaxTokens int
	// MetadataKeys are the only keys of metadata that are taken; nil: any.
	MetadataKeys []string
	// DefaultMaxTokens is sent when a request names no limit and the wire
	// demands one; 0 sends none.
	DefaultMaxTokens int
	Quirks           Quirks
	// Schemas is the subset of JSON Schema that the wire takes.
	Schemas schema.Target
	// HidesSchema: the model is not shown the schema of the answer, which is
	// only enforced; it is put into the prompt, too.
	HidesSchema bool
	// Template is how tools are written into the text, where Tools is Hermes.
	Template HermesTemplate
	// Example is a model that the provider serves, for documentation and for
	// the truth table.
	Example string
}

// Quirks are small, named departures from a dialect. See the fields of the
// type; the zero value departs in nothing.
type Quirks = wire.Quirks

// ModelRule changes a profile for the models that it matches.
type ModelRule struct {
	// Match lists model names; * matches any text.
	Match []string
	// Add and Drop change Profile.Can.
	Add, Drop Can
	// Choice, Guard, Thinking and Quirks replace the profile's when set.
	Quirks   *Quirks
	Choice   *ChoiceSupport
	Guard    Guard
	Thinking *ThinkingSupport
}

func (r *ModelRule) matches(model string) bool {
	return slices.ContainsFunc(r.Match, func(m string) bool { return glob(m, model) })
}

// clone is a copy that shares nothing that can be changed.
func (p *Profile) clone() Profile {
	c := *p
	c.MetadataKeys = slices.Clone(p.MetadataKeys)
	c.Thinking.Efforts = slices.Clone(p.Thinking.Efforts)
	c.Models = slices.Clone(p.Models)
	for i := range c.Models {
		r := &c.Models[i]
		r.Match = slices.Clone(r.Match)
		r.Choice, r.Quirks, r.Thinking = copied(r.Choice), copied(r.Quirks), copied(r.Thinking)
		if r.Thinking != nil {
			r.Thinking.Efforts = slices.Clone(r.Thinking.Efforts)
		}
	}
	return c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// glob matches a name against a pattern in which * stands for any text.
func glob(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	name, ok := strings.CutPrefix(name, pieces[0])
	if !ok || len(pieces) == 1 {
		return ok && name == ""
	}
	last := len(pieces) - 1
	for _, piece := range pieces[1:last] {
		if _, name, ok = strings.Cut(name, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(name, pieces[last])
}

// modelPrefixes stand before the names of models and say nothing about them:
// Gemini's resource names, OpenAI's tuned models, Ollama's library.
var modelPrefixes = []string{"models/", "ft:", "library/"}

// capabilities is the profile as it stands for one model.
func (p *Profile) capabilities(model string) Capabilities {
	for _, prefix := range modelPrefixes {
		model = strings.TrimPrefix(model, prefix)
	}
	c := Capabilities{
		Can: p.Can, Unsure: p.Unsure, Choice: p.Choice, Guard: p.Guard, Thinking: p.Thinking, quirks: p.Quirks,
	}
	for i := range p.Models {
		r := &p.Models[i]
		if !r.matches(model) {
			continue
		}
		c.Can = c.Can&^r.Drop | r.Add
		c.Unsure &= c.Can &^ r.Add
		if r.Quirks != nil {
			c.quirks = *r.Quirks
		}
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
