package rawjson

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxDepth is how many containers may be open at once.
const maxDepth = 1000

// The errors of a Scanner match one of these under errors.Is, or
// io.ErrUnexpectedEOF when the document is cut short.
var (
	// ErrSyntax means a byte that no JSON document can have at its place.
	ErrSyntax = errors.New("invalid JSON")
	// ErrDepth means more than 1,000 containers inside each other.
	ErrDepth = errors.New("JSON nested too deeply")
)

// Kind says what sort of value comes next.
type Kind uint8

// The kinds of JSON values. Invalid stands for everything else: the end of the
// input or of a container, a byte that starts no value, an earlier error.
const (
	Invalid Kind = iota
	Object
	Array
	String
	Number
	Bool
	Null
)

var kinds = [256]Kind{
	'{': Object, '[': Array, '"': String, 't': Bool, 'f': Bool, 'n': Null, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// Scanner is a pull reader over one JSON document held in memory. The zero
// Scanner is ready for Reset.
//
// Objects are read by ranging over Members, arrays by ranging over Elems. In the
// loop, at most one call reads the value: a loop of its own, Bytes, Text, Int,
// Bool or Raw. What isn't read is skipped. Reading is lenient about kinds (a
// value of another kind than asked for is skipped and reads as zero) and
// strict about grammar.
//
// The first error sticks; after it every method returns its zero value, so
// that one look at Err or End, when all is read, is enough. A Scanner is not
// safe for concurrent use.
type Scanner struct {
	data    []byte
	pos     int
	depth   int
	value   int  // where the value of the last key, or the last element, starts
	fresh   bool // a container was just entered: no comma yet
	err     error
	scratch []byte // the last string or key that had to be rewritten
}

// Reset makes s read data from its start. The scratch space is kept, so a
// Scanner that is used again doesn't allocate. The caller must not change data
// while it is read.
func (s *Scanner) Reset(data []byte) {
	s.data, s.pos, s.depth, s.value, s.fresh, s.err = data, 0, 0, -1, false, nil
}

// Err returns the first error, or nil.
func (s *Scanner) Err() error { return s.err }

// End returns the first error; if there was none, it returns an error when
// containers are still open or when anything but white space is left.
func (s *Scanner) End() error {
	if s.err != nil {
		return s.err
	}
	if s.peek(); s.pos < len(s.data) || s.depth > 0 {
		s.fail()
	}
	return s.err
}

// Kind tells what the next value is, without reading it.
func (s *Scanner) Kind() Kind {
	if s.err != nil {
		return Invalid
	}
	return kinds[s.peek()]
}

// enterContainer steps into the object or array that comes next. Any other value is
// skipped, null included, and the answer is false.
func (s *Scanner) enterContainer(open byte) bool {
	if s.err != nil {
		return false
	}
	if s.peek() != open {
		s.Skip()
		return false
	}
	return s.openContainer()
}

// openContainer consumes an opening bracket.
func (s *Scanner) openContainer() bool {
	if s.depth >= maxDepth {
		s.failWith(ErrDepth)
		return false
	}
	s.pos++
	s.depth++
	s.fresh = true
	return true
}

// Members reads the object that comes next: the keys in the order of the input,
// unescaped, each valid until the next call of any method. A key that occurs
// twice is delivered twice. Any other value is skipped and has no members. A
// loop that is left early leaves s inside of the object.
func (s *Scanner) Members() iter.Seq[[]byte] {
	return func(yield func(key []byte) bool) {
		if !s.enterContainer('{') {
			return
		}
		for {
			if raw, plain, ok := s.nextKey(); !ok || !yield(s.decodeText(raw, plain)) {
				return
			}
		}
	}
}

// Elems reads the array that comes next, and numbers its elements from 0. Any
// other value is skipped and has no elements. A loop that is left early leaves s
// inside of the array.
func (s *Scanner) Elems() iter.Seq[int] {
	return func(yield func(n int) bool) {
		if !s.enterContainer('[') {
			return
		}
		for n := 0; s.nextElem() && yield(n); n++ {
		}
	}
}

// nextKey steps past the next key and its colon, and first past the value before
// it if that was not read.
func (s *Scanner) nextKey() (raw []byte, plain, ok bool) {
	if !s.advancePast('}') {
		return nil, false, false
	}
	if s.peek() != '"' {
		s.fail()
		return nil, false, false
	}
	raw, plain = s.skipString()
	if s.err != nil {
		return nil, false, false
	}
	if s.peek() != ':' {
		s.fail()
		return nil, false, false
	}
	s.pos++
	s.peek()
	s.value = s.pos
	return raw, plain, true
}

// nextElem steps to the next element, and past the one before if that was not
// read. It returns false when the array ends.
func (s *Scanner) nextElem() bool {
	if !s.advancePast(']') {
		return false
	}
	if s.peek() == ']' { // after a comma; before one, advance has seen it
		s.fail()
	}
	s.value = s.pos
	return s.err == nil
}

// advancePast consumes the comma before a member, or the end of the container. A
// value that was not read comes first: reading it would have moved on.
func (s *Scanner) advancePast(closing byte) bool {
	if s.pos == s.value {
		s.Skip()
	}
	if s.err != nil {
		return false
	}
	fresh := s.fresh
	s.fresh = false
	switch c := s.peek(); {
	case c == closing && s.depth > 0:
		s.pos++
		s.depth--
		return false
	case fresh:
		return true
	case c == ',' && s.depth > 0:
		s.pos++
		return true
	}
	s.fail()
	return false
}

// Raw returns the next value as it stands in the input, which it aliases, and
// steps past it. The whole value has been checked.
func (s *Scanner) Raw() []byte {
	if s.err != nil {
		return nil
	}
	s.peek()
	start := s.pos
	s.Skip()
	if s.err != nil {
		return nil
	}
	return s.data[start:s.pos:s.pos]
}

// Skip steps past the next value and checks all of it.
func (s *Scanner) Skip() {
	if s.err != nil {
		return
	}
	if c := s.peek(); c != '{' && c != '[' {
		s.skipScalar(c)
		return
	}
	s.skipContainer()
}

// skipContainer keeps the kinds of the open containers as bits: nesting costs
// no call stack.
func (s *Scanner) skipContainer() {
	var objects [maxDepth/64 + 1]uint64
	open := 0
	for s.err == nil {
		switch c := s.peek(); c {
		case '{', '[':
			bit := uint64(1) << (open % 64)
			objects[open/64] &^= bit
			if c == '{' {
				objects[open/64] |= bit
			}
			if !s.openContainer() {
				return
			}
			open++
		default:
			s.skipScalar(c)
		}
		for open > 0 && !s.nextItem(objects[(open-1)/64]>>((open-1)%64)&1 == 1) {
			if s.err != nil {
				return
			}
			open--
		}
		if open == 0 {
			return
		}
	}
}

func (s *Scanner) nextItem(inObject bool) bool {
	if inObject {
		_, _, ok := s.nextKey()
		return ok
	}
	return s.nextElem()
}

// skipScalar consumes a value that starts with c and is no container.
func (s *Scanner) skipScalar(c byte) {
	switch c {
	case '"':
		s.skipString()
	case 't':
		s.skipLiteral("true")
	case 'f':
		s.skipLiteral("false")
	case 'n':
		s.skipLiteral("null")
	default:
		s.skipNumber()
	}
}

func (s *Scanner) skipLiteral(word string) {
	for i := range len(word) {
		if s.pos >= len(s.data) || s.data[s.pos] != word[i] {
			s.fail()
			return
		}
		s.pos++
	}
}

func (s *Scanner) skipNumber() {
	end, ok := numberEnd(s.data, s.pos)
	s.pos = end
	if !ok {
		s.fail()
	}
}

// peek skips white space and returns the byte after it; 0 at the end.
func (s *Scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// fail records that the byte at the present position is wrong or missing.
func (s *Scanner) fail() {
	if s.pos >= len(s.data) {
		s.failWith(io.ErrUnexpectedEOF)
		return
	}
	s.failWith(ErrSyntax)
}

func (s *Scanner) failWith(err error) {
	if s.err == nil {
		s.err = fmt.Errorf("json: byte %d: %w", s.pos, err)
	}
}

// Valid reports whether data is one JSON value and nothing else.
func Valid(data []byte) bool {
	var s Scanner
	s.Reset(data)
	s.Skip()
	return s.End() == nil
}
