package ollama

import (
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

var decoders wire.Pool[decoder]

func takeDecoder(data []byte) *decoder {
	d := decoders.Take()
	d.s.Reset(data)
	return d
}

func (d *decoder) release(read int) {
	for _, s := range []*rawjson.Scanner{&d.s, &d.id, &d.name, &d.arg} {
		s.Reset(nil) // don't hold on to the caller's bytes
	}
	decoders.GiveBack(d, read)
}
