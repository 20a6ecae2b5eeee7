package rawjson

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. Only quotes, backslashes and
// control characters are escaped (not <, > and &, and not U+2028); invalid
// UTF-8 becomes \ufffd.
func AppendString(dst []byte, s string) []byte {
	return appendQuoted(dst, s)
}

// AppendStringBytes is AppendString for text held in a byte slice.
func AppendStringBytes(dst, b []byte) []byte { return appendQuoted(dst, b) }

func appendQuoted[T text](dst []byte, s T) []byte {
	dst = append(dst, '"')
	run := 0 // start of what is not yet copied
	for i := findUnplain(s, 0); i < len(s); i = findUnplain(s, i) {
		if n := countCharacters(s[i:]); n > 0 {
			i += n
			continue
		}
		dst = append(dst, s[run:i]...)
		dst = appendEscape(dst, s[i])
		i++
		run = i
	}
	dst = append(dst, s[run:]...)
	return append(dst, '"')
}

// appendEscape appends what stands for a byte that can't stand for itself.
func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if c >= utf8.RuneSelf {
		return append(dst, `\ufffd`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}

// AppendInt appends n in decimal.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendFloat appends f as encoding/json spells it: the shortest digits that
// read back as f, with an exponent only for very small and very large values.
// JSON has no NaN and no infinities; they become null.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	abs := math.Abs(f)
	if abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 becomes e-9
		dst = dst[:n-1]
	}
	return dst
}

// AppendBool appends true or false.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// AppendCompact appends raw, which must be valid JSON, without the white space
// between its tokens. Input that is compact already is copied in one go; what
// is not JSON is not made any better.
func AppendCompact(dst, raw []byte) []byte {
	run := 0 // start of what is not yet copied
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = stringEnd(raw, i)
		case c > ' ':
			i++
		default:
			dst = append(dst, raw[run:i]...)
			i++
			run = i
		}
	}
	return append(dst, raw[run:]...)
}

// stringEnd returns the place after the string that starts at raw[i].
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		i = findSpecial(raw, i)
		if i == len(raw) || raw[i] == '"' {
			return min(i+1, len(raw))
		}
		if raw[i] == '\\' {
			i++
		}
	}
	return len(raw)
}
