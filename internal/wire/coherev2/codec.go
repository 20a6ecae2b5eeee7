package coherev2

import (
	"sync"

	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Codec speaks Chat v2. The zero Codec is ready and safe for concurrent use.
type Codec struct{}

var _ wire.Codec = Codec{}

// The kinds of signature that this dialect puts on a [chat.Thinking], to say
// where it came from. There is no token.
const (
	kindThinking = "thinking"
	kindPlan     = "tool_plan"
)

// planSlot puts the plan in front of everything else.
const planSlot = wire.ThoughtSlot - 1

// scanners keeps scanners, for the scratch space in which they unescape:
// without it each delta with an escape in it would allocate.
var scanners = sync.Pool{New: func() any { return new(rawjson.Scanner) }}

func borrow(data []byte) *rawjson.Scanner {
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

func giveBack(s *rawjson.Scanner, read int) {
	if read > maxKept {
		return
	}
	s.Reset(nil) // let go of the input
	scanners.Put(s)
}
