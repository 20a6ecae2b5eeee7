package rawjson

import (
	"math"
	"strconv"
)

// Bytes reads a string and returns it unescaped: a part of the input if
// nothing had to be rewritten, else scratch space of the Scanner, valid until
// the next call of any method. Invalid UTF-8 and lone surrogates become
// U+FFFD, as in encoding/json. null gives nil; of any other value the raw
// bytes are returned, so that an id sent as a number still reads as text.
func (s *Scanner) Bytes() []byte {
	switch s.Kind() {
	case String:
		raw, plain := s.skipString()
		if s.err != nil {
			return nil
		}
		return s.decodeText(raw, plain)
	case Null:
		s.Skip()
		return nil
	case Invalid, Object, Array, Number, Bool:
	}
	return s.Raw()
}

// Text is Bytes as a string of its own.
func (s *Scanner) Text() string { return string(s.Bytes()) }

// Bool reads true or false. Any other value is skipped and reads as false.
func (s *Scanner) Bool() bool {
	isTrue := s.Kind() == Bool && s.data[s.pos] == 't'
	s.Skip()
	return isTrue && s.err == nil
}

// Int reads a number, also one that was sent as a string. Fractions are cut
// off and values out of range are clamped. Any other value is skipped and
// reads as 0.
func (s *Scanner) Int() int64 {
	b := s.readNumeral()
	if n, ok := parseDigits(b); ok {
		return n
	}
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return n
	}
	switch f := toFloat(b); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(f)
	}
}

// readNumeral reads the next value and returns the text of the number in it; nil
// if there is none.
func (s *Scanner) readNumeral() []byte {
	switch s.Kind() {
	case Number:
		return s.Raw()
	case String:
		b := s.Bytes()
		if end, ok := numberEnd(b, 0); ok && end == len(b) {
			return b
		}
	case Invalid, Object, Array, Bool, Null:
		s.Skip()
	}
	return nil
}

// parseDigits is the short way for what nearly all numbers are: up to 18 digits.
func parseDigits(b []byte) (n int64, ok bool) {
	if len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func toFloat(b []byte) float64 {
	if len(b) == 0 {
		return 0
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil { // the grammar was checked: it can only be out of range
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// numberEnd returns where the number that starts at b[i] ends. If there is
// none, it returns the place of the byte that is wrong or missing, and false.
func numberEnd(b []byte, i int) (end int, ok bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i, ok = digitsEnd(b, i); !ok {
		return i, false
	}
	if i < len(b) && b[i] == '.' {
		if i, ok = digitsEnd(b, i+1); !ok {
			return i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digitsEnd(b, i)
	}
	return i, true
}

// digitsEnd steps over digits; there must be one.
func digitsEnd(b []byte, i int) (end int, ok bool) {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i, i > start
}
