package openaichat

import (
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Codec is the dialect's [wire.Codec]. It has no state; the zero value is
// ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// Slots of a reply's parts; calls come after them.
const (
	thoughtSlot = iota
	textSlot
)

// The kinds of signature that this dialect puts on parts.
const (
	// signReasoning: the thought came in reasoning_content and is to be said
	// back there. There is no token.
	signReasoning = "reasoning_content"
	// signDetails: the token is OpenRouter's reasoning_details, a JSON list.
	signDetails = "reasoning_details"
	// signThought: Gemini's thought signature on a call.
	signThought = "thought_signature"
	// signCustom: the call is one of a custom tool. There is no token.
	signCustom = "custom"
)

// decoder is the scratch space of one decoding.
type decoder struct {
	s             rawjson.Scanner // the document
	sub           rawjson.Scanner // a part of it that was put off
	id, name, arg rawjson.Scanner // members of a call, needed at the same time
	whole         bool            // a whole reply, not a step of a stream
}

var decoders wire.Pool[decoder]

func takeDecoder(data []byte) *decoder {
	d := decoders.Take()
	d.s.Reset(data)
	return d
}

func (d *decoder) release(read int) {
	for _, s := range []*rawjson.Scanner{&d.s, &d.sub, &d.id, &d.name, &d.arg} {
		s.Reset(nil) // don't hold on to the caller's bytes
	}
	d.whole = false
	decoders.GiveBack(d, read)
}
