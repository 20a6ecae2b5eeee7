package gemini

import (
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Codec speaks generateContent. The zero Codec is ready.
type Codec struct{}

var _ wire.Codec = Codec{}

// The kinds of signature that this dialect puts on parts.
const (
	// kindThought marks a thought that came without a token.
	kindThought = "thought"
	// kindSignature: the token is the part's thoughtSignature.
	kindSignature = "thought_signature"
	// kindSignedID is kindSignature on a call whose id is the API's.
	kindSignedID = "thought_signature+id"
	// kindID marks a call whose id is the API's. There is no token.
	kindID = "id"
	// kindContinuation: the token resumes a reply that was broken off.
	kindContinuation = "continuation_token"
)

// decoder is the scratch space of one decoding. Each scanner walks one level
// of a document: what is inside is put off until the members beside it are
// known.
type decoder struct {
	a  *wire.Assembly
	st *state

	list, doc, content, call, text rawjson.Scanner

	buf []byte // arguments on their way to the assembly
}

var decoders wire.Pool[decoder]

func takeDecoder(a *wire.Assembly) *decoder {
	d := decoders.Take()
	d.a, d.st = a, stateOf(a)
	return d
}

func (d *decoder) release(read int) {
	d.a, d.st = nil, nil
	for _, s := range []*rawjson.Scanner{&d.list, &d.doc, &d.content, &d.call, &d.text} {
		s.Reset(nil) // let go of the input
	}
	decoders.GiveBack(d, read)
}

// unquoteText turns a JSON string's text into what it says, valid until the next
// call; nil for nothing and for null.
func (d *decoder) unquoteText(raw []byte) []byte { return wire.Unquote(&d.text, raw) }

// isNull reports whether a member is missing or null.
func isNull(raw []byte) bool { return len(raw) == 0 || raw[0] == 'n' }
