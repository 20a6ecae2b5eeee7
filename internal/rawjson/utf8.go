package rawjson

import (
	"math/bits"
	"unicode/utf8"
)

// validUTF8 is utf8.Valid for both kinds of text. It goes back to eight bytes
// at a time after every character that is not ASCII, which the standard
// library does not: prose with a few accents is checked several times faster.
func validUTF8[T text](s T) bool {
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			marks := loadWord(s[i:i+8]) & highs
			i += bits.TrailingZeros64(marks) / 8
			if marks == 0 {
				continue
			}
		} else if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		n := countCharacters(s[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// countCharacters returns how many bytes at the start of s are characters that are
// not ASCII.
func countCharacters[T text](s T) int {
	i := 0
	for i < len(s) && s[i] >= utf8.RuneSelf {
		n := runeLen(s[i:min(len(s), i+utf8.UTFMax)])
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

// runeLen returns the length of the character that s starts with, which is not
// ASCII; 0 if it is not valid UTF-8.
//
// Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
func runeLen[T text](s T) int {
	n, low, high := 0, byte(0x80), byte(0xBF) // low and high bound the second byte
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		n = 2
	case c >= 0xE0 && c <= 0xEF:
		n = 3
		switch c {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		n = 4
		switch c {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	}
	if n == 0 || len(s) < n || s[1] < low || s[1] > high {
		return 0
	}
	for i := 2; i < n; i++ {
		if s[i]&0xC0 != 0x80 {
			return 0
		}
	}
	return n
}
