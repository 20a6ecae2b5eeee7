package profile

import (
	"github.com/sabir-go/sabir/chat"
)

// Capabilities says what a wire accepts for one model. Asking for more is
// refused or rewritten by the planner.
type Capabilities struct {
	// Can is what is accepted; Unsure is the part of it that is only hoped for.
	Can, Unsure Can
	Choice      ChoiceSupport
	Guard       Guard
	Thinking    ThinkingSupport

	// Quirks are the departures from the dialect for this model.
	Quirks Quirks
}

// Can is a set of things that a wire accepts.
type Can uint64

// What a wire can accept.
const (
	Streaming       Can = 1 << iota
	ToolUse             // tools can be offered
	StrictTools         // a tool's schema can be enforced
	ParallelSwitch      // several calls in one reply can be forbidden
	SubsetSwitch        // a forced choice can be restricted to some of the tools
	SubsetAuto          // so can auto
	JSONSchema          // the answer can be held to a JSON Schema
	JSONMode            // the answer can be held to be a JSON object
	OpenSchema          // schemas may leave objects open
	SchemaWithTools     // JSON output and offered tools go together
	SchemaAutoOnly      // … but with a choice of auto only
	CallsNeedTools      // a history with calls is refused without the tools
	Images
	Files
	Audio
	ImageURLs    // images by address, fetched by the provider
	FileURLs     // so files
	FileIDs      // files uploaded to the provider before
	ResultImages // images in tool results
	Temperature
	TopP
	OneSampling // temperature or top_p, not both
	Stop
	Seed
	Metadata
	CacheMarks // the cached prefix can be marked
	CacheKey   // requests can be grouped by a cache key
	// ChoiceInCache: a changed tool choice drops the cached messages.
	ChoiceInCache
	// ToolsInText: tools are written into the system text, and calls are read
	// from the model's.
	ToolsInText
)

// Has reports whether all of x is in c.
func (c Can) Has(x Can) bool { return c&x == x }

// Support says how a wire takes one way of choosing tools.
type Support uint8

// The kinds of support. The zero value claims nothing.
const (
	// Unknown: nothing is known. It is sent as is, the reply is checked, and a
	// warning says so.
	Unknown Support = iota
	// Native: the wire has it and the server keeps it.
	Native
	// Emulated: the wire lacks it; the planner can get there another way.
	Emulated
	// Ignored: the server takes it and does nothing. As good as missing, and
	// more dangerous.
	Ignored
	// Refused: the server answers with an error.
	Refused
)

var supportNames = [...]string{"unknown", "native", "emulated", "ignored", "refused"}

func (s Support) String() string {
	if int(s) < len(supportNames) {
		return supportNames[s]
	}
	return "unknown"
}

// ChoiceSupport is the support for each tool choice.
type ChoiceSupport struct{ Auto, Any, None, Named Support }

// Guard says when a forced choice (any, or a named tool) is blocked.
type Guard uint8

// The guards.
const (
	// GuardUnproven: not known; taken as blocked while thinking is on.
	GuardUnproven Guard = iota
	// GuardNever: a forced choice is always taken.
	GuardNever
	// GuardThinking: refused while the model thinks.
	GuardThinking
	// GuardEnabled: refused beside the thinking type enabled, taken beside
	// adaptive.
	GuardEnabled
	// GuardAlways: the model can never be forced.
	GuardAlways
	// GuardUpstream: decided by a server further up; sent, checked, warned about.
	GuardUpstream
)

var guardNames = [...]string{"unproven", "never", "while thinking", "while thinking is enabled", "always", "upstream"}

func (g Guard) String() string {
	if int(g) < len(guardNames) {
		return guardNames[g]
	}
	return "unproven"
}

// ThinkingState says whether a model thinks when nobody asks.
type ThinkingState uint8

// The states.
const (
	// ThinkingUnknown: nothing is known about the model.
	ThinkingUnknown ThinkingState = iota
	ThinksNever
	ThinksIfAsked
	ThinksByDefault
	ThinksAlways
)

// ThinkingSupport says how a model's thinking is controlled on the wire. The
// zero value claims nothing: thinking is passed on as an effort when asked for.
type ThinkingSupport struct {
	State ThinkingState
	// Efforts the wire takes, from least to most; nil: no such setting.
	Efforts []chat.Effort
	// OffEffort is the effort word that switches thinking off; OnEffort the one
	// that is sent for thinking without a stated effort.
	OffEffort, OnEffort string
	// OffType is the thinking type that switches it off ("disabled").
	OffType string
	// Enabled, Adaptive: the wire takes these thinking types.
	Enabled, Adaptive bool
	// Budget: the wire counts a budget of tokens, of at least MinBudget and
	// below MaxTokens.
	Budget    bool
	MinBudget int
	// MaxBudget is the largest budget that is taken; 0: only MaxTokens limits.
	MaxBudget int
	// Display: readable thoughts can be asked for. Hidden: they never come out.
	Display, Hidden bool
	// Format is where thoughts should be put whenever the model thinks.
	Format string
	// NoTools: tools are refused while the model thinks; NoToolsHint says what
	// to do instead.
	NoTools     bool
	NoToolsHint string
	// NoSampling: temperature and top_p are refused while the model thinks.
	NoSampling bool
	// ThoughtFirst: while a tool loop is open, its turn must begin with a
	// signed thought, if thinking is of the type enabled.
	ThoughtFirst bool
	// NoSchema: an output schema is not sure to be kept while the model thinks.
	NoSchema bool
}

// CanBeOff reports whether a request can be made without thinking.
func (t *ThinkingSupport) CanBeOff() bool {
	switch t.State {
	case ThinksNever, ThinksIfAsked, ThinkingUnknown:
		return true
	case ThinksByDefault:
		return t.OffType != "" || t.OffEffort != ""
	case ThinksAlways:
	}
	return false
}
