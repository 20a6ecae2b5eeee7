package rawjson

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// text is what strings are read from and written from.
type text interface{ ~string | ~[]byte }

// For arithmetic on eight bytes at a time: 1 in each, and the top bit of each.
const ones, highs = 0x0101010101010101, 0x8080808080808080

// findSpecial returns the first place at or after i of a byte that can't stand for
// itself in a JSON string: a quote, a backslash, a control character. The
// borrow of a subtraction can only set marks above a true one, so the lowest
// mark is right.
func findSpecial[T text](s T, i int) int {
	for ; i+8 <= len(s); i += 8 {
		x := loadWord(s[i : i+8])
		quote, slash := x^ones*'"', x^ones*'\\'
		marks := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & highs
		if marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// findUnplain is findSpecial, but stops at bytes that are not ASCII too.
func findUnplain[T text](s T, i int) int {
	for ; i+8 <= len(s); i += 8 {
		x := loadWord(s[i : i+8])
		marks := ((x ^ ones*'"' - ones) | (x ^ ones*'\\' - ones) | (x - ones*' ') | x) & highs
		if marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

func loadWord[T text](b T) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// skipString consumes a string, checks it, and returns what stands between its
// quotes; plain means that it holds no escape.
func (s *Scanner) skipString() (raw []byte, plain bool) {
	start, plain := s.pos+1, true
	for s.pos = start; ; {
		s.pos = findSpecial(s.data, s.pos)
		switch {
		case s.pos == len(s.data) || s.data[s.pos] < ' ':
			s.fail()
			return nil, false
		case s.data[s.pos] == '"':
			s.pos++
			return s.data[start : s.pos-1 : s.pos-1], plain
		}
		plain = false
		if !s.skipEscape() {
			return nil, false
		}
	}
}

// skipEscape consumes a backslash and what belongs to it.
func (s *Scanner) skipEscape() bool {
	s.pos++
	if s.pos < len(s.data) && escapes[s.data[s.pos]] != 0 {
		s.pos++
		return true
	}
	if s.pos == len(s.data) || s.data[s.pos] != 'u' {
		s.fail()
		return false
	}
	for range 4 {
		s.pos++
		if s.pos == len(s.data) || hexValue(s.data[s.pos]) < 0 {
			s.fail()
			return false
		}
	}
	s.pos++
	return true
}

// escapes holds what the letter after a backslash stands for.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// decodeText returns a string that skipString has checked, without escapes and as
// valid UTF-8.
func (s *Scanner) decodeText(raw []byte, plain bool) []byte {
	if plain && validUTF8(raw) {
		return raw
	}
	s.scratch = appendUnescaped(s.scratch[:0], raw)
	return s.scratch
}

func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		end := findSpecial(raw, i)
		dst = appendValid(dst, raw[i:end])
		if end == len(raw) {
			break
		}
		if c := raw[end+1]; c != 'u' {
			dst = append(dst, escapes[c])
			i = end + 2
			continue
		}
		var r rune
		r, i = unescapeRune(raw, end)
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// unescapeRune reads the \uXXXX at raw[i], together with the one after it if
// the two are a surrogate pair.
func unescapeRune(raw []byte, i int) (r rune, next int) {
	r = hexRune(raw[i:])
	i += 6
	if !utf16.IsSurrogate(r) {
		return r, i
	}
	if pair := utf16.DecodeRune(r, hexRune(raw[i:])); pair != utf8.RuneError {
		return pair, i + 6
	}
	return utf8.RuneError, i
}

// hexRune reads a \uXXXX at the start of b; -1 if there is none.
func hexRune(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		r = r<<4 | hexValue(c)
	}
	return r
}

func hexValue(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// appendValid appends b with U+FFFD in the place of every byte that is not
// part of valid UTF-8.
func appendValid(dst, b []byte) []byte {
	if validUTF8(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		dst = utf8.AppendRune(dst, r)
		b = b[size:]
	}
	return dst
}
