package openairesponses

import (
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Codec is the dialect's [wire.Codec]. It has no state; the zero value is
// ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// The kinds of signature that this dialect puts on parts.
const (
	// signReasoning: the token is a reasoning item with encrypted content.
	signReasoning = "reasoning_item"
	// signItem: the token is an item of a kind that has no part.
	signItem = "item"
	// signMessage: the token is an object with the id, status and phase of the
	// message that a text belongs to.
	signMessage = "message"
	// signRefusal is signMessage for a text that came as a refusal.
	signRefusal = "refusal"
	// signCall: the token is the id of a call's item, which is not the id by
	// which its result is known.
	signCall = "item_id"
	// signCustom is signCall for the call of a custom tool.
	signCustom = "custom_item"
)

// The kinds of items.
const (
	noItem uint8 = iota
	messageItem
	reasoningItem
	callItem
	customItem
	otherItem
)

// decoder is the scratch space of one decoding.
type decoder struct {
	s    rawjson.Scanner // the document
	sub  rawjson.Scanner // a response in it
	list rawjson.Scanner // a list in that: items, parts
	item rawjson.Scanner // an element of the list
	typ  rawjson.Scanner // strings that were put off: the type and id of an
	id   rawjson.Scanner // event, needed at the same time as any other
	str  rawjson.Scanner
	buf  []byte
}

var decoders wire.Pool[decoder]

func takeDecoder(data []byte) *decoder {
	d := decoders.Take()
	d.s.Reset(data)
	return d
}

func (d *decoder) release(read int) {
	for _, s := range []*rawjson.Scanner{&d.s, &d.sub, &d.list, &d.item, &d.typ, &d.id, &d.str} {
		s.Reset(nil) // don't hold on to the caller's bytes
	}
	decoders.GiveBack(d, read)
}

// unquoteText returns the text of a raw string, valid until the next call.
func (d *decoder) unquoteText(raw []byte) []byte { return wire.Unquote(&d.str, raw) }

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }
