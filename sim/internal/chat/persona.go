package chat

import (
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// Persona is what is particular to one provider of Chat Completions.
type Persona struct {
	*core.Persona
	// engine is by what name the claims know it; empty: they don't.
	engine string
	// check holds a request against the provider's own rules; nil: it has none.
	check func(*request) *core.Refusal
	// thinks reports whether the model thinks before it answers this request.
	thinks func(*request) bool
	style  style
	// lax: what isn't known of a request is ignored, and the tool choice with
	// it.
	lax bool
	// textTools: tools and calls are written into the text.
	textTools bool
}

// thoughts says where a provider puts the readable thoughts.
type thoughts int

const (
	thoughtsHidden thoughts = iota
	thoughtsReasoningContent
	thoughtsReasoning
	thoughtsTags
	thoughtsParts
)

// usageMode says where the usage stands in a stream.
type usageMode int

const (
	usageWhenAsked usageMode = iota // a last chunk without choices
	usageInFinish                   // in the chunk with the finish reason
	usageInBoth
	usageEverywhere
)

// style is how a provider writes Chat Completions.
type style struct {
	openai        bool   // OpenAI's extra members
	extras        object // members of every reply and chunk
	replyID       func(id string) string
	thoughts      func(*request) thoughts
	emptyContent  any // the content beside calls
	callID        func(seed string) string
	indexedCalls  bool // whole replies carry the index of a call
	untypedCalls  bool
	wholeCalls    bool
	callsInFinish bool
	nullArguments bool // a call without arguments has the text null
	logprobs      bool // whole replies have the member, null
	chunkLogprobs bool // chunks, too
	xGroq         bool
	usage         usageMode
	usageDetails  func(doc object, u core.Usage) // nil: those that aren't 0
	nullUsage     bool                           // chunks without usage have the member
	crlf          bool
	noDone        bool
	cumulative    bool // each chunk repeats the message so far
	comment       string
}

// Plain is a compatible server without rules of its own: it takes any
// model and any extra member.
var Plain = &Persona{
	Persona: &core.Persona{Prefix: "/v1", IDHeader: "X-Request-Id", Failure: core.EncodeOpenAIFailure},
	thinks:  func(r *request) bool { return r.asksToThink() },
	style: style{
		thoughts: alwaysAt(thoughtsReasoningContent),
		callID:   func(seed string) string { return "call_" + strings.ToLower(core.MakeID(24, seed)) },
	},
}

// NewRuleless makes a provider of another dialect that takes Chat Completions, too.
func NewRuleless(p *core.Persona, callID func(seed string) string) *Persona {
	return &Persona{
		Persona: p,
		thinks:  func(*request) bool { return false },
		style:   style{thoughts: alwaysAt(thoughtsHidden), callID: callID},
	}
}

func alwaysAt(t thoughts) func(*request) thoughts {
	return func(*request) thoughts { return t }
}
