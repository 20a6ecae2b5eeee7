package wire

import (
	"sync"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// Pool keeps the scratch space of decoders from one frame to the next: strings
// with escapes in them are rewritten into it, which would cost an allocation
// each. The zero Pool is ready and safe for concurrent use.
type Pool[D any] struct{ pool sync.Pool }

// Take returns a decoder as it was given back, or a zero one.
func (p *Pool[D]) Take() *D {
	if d, ok := p.pool.Get().(*D); ok {
		return d
	}
	return new(D)
}

// maxKept is how much may have been read with scratch space that is kept: it
// is no larger than that.
const maxKept = 64 << 10

// GiveBack takes back a decoder with which read bytes were read. It must have
// let go of them.
func (p *Pool[D]) GiveBack(d *D, read int) {
	if read <= maxKept {
		p.pool.Put(d)
	}
}

var scanners Pool[rawjson.Scanner]

// Borrow returns a scanner at the beginning of data, for codecs that need no
// more than that, to be given back.
func Borrow(data []byte) *rawjson.Scanner {
	s := scanners.Take()
	s.Reset(data)
	return s
}

// GiveBack takes back a scanner with which read bytes were read.
func GiveBack(s *rawjson.Scanner, read int) {
	s.Reset(nil) // let go of the input
	scanners.GiveBack(s, read)
}

// Unquote turns a raw JSON string into what it says, valid until the scanner is
// used again; nothing for nothing and for null. Any other value stays as it is.
func Unquote(s *rawjson.Scanner, raw []byte) []byte {
	if len(raw) == 0 {
		return nil
	}
	s.Reset(raw)
	return s.Bytes()
}

// maxCount bounds a token count, so that sums of them can't overflow.
const maxCount = 1 << 40

// Count reads a token count; nonsense counts as nothing.
func Count(s *rawjson.Scanner) int { return int(min(max(s.Int(), 0), maxCount)) }

// Recount reads a token count into n; null leaves n as it is.
func Recount(s *rawjson.Scanner, n *int) {
	if s.Kind() == rawjson.Null {
		s.Skip()
		return
	}
	*n = Count(s)
}
