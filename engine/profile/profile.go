package profile

import (
	"slices"
	"strings"

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

// Quirks are small, named departures from a dialect, as data. The zero value
// is the dialect as its inventor documents it.
type Quirks struct {
	// MaxTokensKey names the output limit's member.
	MaxTokensKey string
	// SystemRole is the role of system text.
	SystemRole string
	// SeedKey names the seed's member.
	SeedKey string
	// ThinkingObject sends Thinking.Type as {"thinking":{"type":…}} beside
	// reasoning_effort.
	ThinkingObject bool
	// ReplayThinking names the assistant member in which thoughts go back,
	// such as "reasoning_content"; empty: they don't.
	ReplayThinking string
	// ReplayOnToolTurns sends that member on every turn with tool calls, empty
	// if there was no thought.
	ReplayOnToolTurns bool
	// NoStreamOptions leaves out stream_options, for servers that report usage
	// unasked or refuse the member.
	NoStreamOptions bool
	// ShortToolIDs sends tool call ids as nine letters and digits.
	ShortToolIDs bool
	// ThinkTags reads <think>…</think> at the beginning of the text as thoughts.
	ThinkTags bool
	// NoResultStatus leaves out the status of tool results, for models that
	// refuse it; a failure is then said in words.
	NoResultStatus bool
	// TextOnlyContent sends text-only content as one string, never as a list.
	TextOnlyContent bool
	// CallSignature is sent in the place of a missing token on the calls of
	// the current turn, where the API refuses calls without one; empty: none is.
	CallSignature string
}

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

// Clone is a copy that shares nothing that can be changed.
func (p *Profile) Clone() Profile {
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

// Capabilities is the profile as it stands for one model.
func (p *Profile) Capabilities(model string) Capabilities {
	for _, prefix := range modelPrefixes {
		model = strings.TrimPrefix(model, prefix)
	}
	c := Capabilities{
		Can: p.Can, Unsure: p.Unsure, Choice: p.Choice, Guard: p.Guard, Thinking: p.Thinking, Quirks: p.Quirks,
	}
	for i := range p.Models {
		r := &p.Models[i]
		if !r.matches(model) {
			continue
		}
		c.Can = c.Can&^r.Drop | r.Add
		c.Unsure &= c.Can &^ r.Add
		if r.Quirks != nil {
			c.Quirks = *r.Quirks
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
