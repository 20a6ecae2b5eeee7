package wire

import (
	"sync"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// scanners keeps scanners, for the scratch space in which they unescape:
// without it each delta with an escape in it would allocate.
var scanners = sync.Pool{New: func() any { return new(rawjson.Scanner) }}

// Borrow returns a scanner at the beginning of data, to be given back.
func Borrow(data []byte) *rawjson.Scanner {
	s, ok := scanners.Get().(*rawjson.Scanner)
	if !ok {
		s = new(rawjson.Scanner)
	}
	s.Reset(data)
	return s
}

// maxKept is how much may have been read with a scanner that is kept: its
// scratch space is no larger.
const maxKept = 64 << 10

// GiveBack takes back a scanner with which read bytes were read.
func GiveBack(s *rawjson.Scanner, read int) {
	if read > maxKept {
		return
	}
	s.Reset(nil) // let go of the input
	scanners.Put(s)
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
