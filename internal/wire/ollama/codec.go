package ollama

import (
	"sync"

	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Codec is the dialect's [wire.Codec]. It has no state; the zero value is
// ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// decoder is the scratch space of one decoding.
type decoder struct {
	s             rawjson.Scanner // the document
	id, name, arg rawjson.Scanner // members of a call, needed at the same time
	buf           []byte          // arguments
}

// decoders keeps scratch space between lines: strings with escapes are
// rewritten into it, which would cost an allocation per line. It holds no
// state that could be seen.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

func takeDecoder(data []byte) *decoder {
	d, ok := decoders.Get().(*decoder)
	if !ok {
		d = new(decoder)
	}
	d.s.Reset(data)
	return d
}

func (d *decoder) release() {
	for _, s := range []*rawjson.Scanner{&d.s, &d.id, &d.name, &d.arg} {
		s.Reset(nil) // don't hold on to the caller's bytes
	}
	decoders.Put(d)
}
