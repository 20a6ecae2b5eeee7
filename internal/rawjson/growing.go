package rawjson

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Growing follows an object while its text arrives and can at any time write
// down, as a complete document, what is there so far. It takes the first object
// in the text, whatever stands before it, such as prose or a fence. What turns
// out not to be JSON is given up, and the next object taken; Starts tells. That
// is a guess at what [Loose] will find in the whole text, mostly right.
//
// Each byte is looked at once, however it is cut into pieces; [Growing.Close]
// costs the length of what it writes. The zero Growing is ready for Feed.
type Growing struct {
	buf    []byte
	w      walker
	levels []level // the open containers
	starts int
	text   int // where the string value that is being read begins
	// escape and before are the last two backslashes that start an escape.
	escape, before int
}

// level is an open container.
type level struct {
	end            int // of the last whole member or element, or of the bracket
	keyFrom, keyTo int // the last key
}

// Starts counts the objects begun; all but the last broke off in the middle.
func (g *Growing) Starts() int { return g.starts }

// Len is the length of the object so far.
func (g *Growing) Len() int { return len(g.buf) }

// Feed takes more text. What follows the end of the object is ignored.
func (g *Growing) Feed(text string) {
	for text != "" && !g.w.done {
		if g.w.live {
			text = text[g.scanText(text):]
			continue
		}
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return
		}
		g.starts++
		g.w.beginValue('{', 0)
		g.buf, g.levels = append(g.buf[:0], '{'), append(g.levels[:0], level{end: 1})
		text = text[i+1:]
	}
}

// scanText reads text up to the end of the object or the byte that breaks it, and
// returns how much that is.
func (g *Growing) scanText(text string) int {
	base, i := len(g.buf), 0
	for i < len(text) && g.w.live {
		if g.w.state == inKey || g.w.state == inString {
			if i = findSpecial(text, i); i == len(text) {
				break
			}
		}
		was := g.w.state
		if g.w.takeByte(text[i]); !g.w.live && !g.w.done {
			g.buf, g.levels = g.buf[:0], g.levels[:0]
			return i
		}
		g.noteByte(was, base+i)
		i++
	}
	g.buf = append(g.buf, text[:i]...)
	return i
}

// noteByte keeps account of what the byte at i, which led out of the state was,
// has begun and ended.
func (g *Growing) noteByte(was state, i int) {
	top := &g.levels[len(g.levels)-1]
	if was >= inMinus && g.w.state < inMinus {
		top.end = i // the byte is what follows a number
	}
	switch now := g.w.state; {
	case g.w.depth > len(g.levels):
		g.levels = append(g.levels, level{end: i + 1})
	case g.w.depth < len(g.levels):
		if g.levels = g.levels[:g.w.depth]; g.w.depth > 0 {
			top = &g.levels[g.w.depth-1]
			top.end = i + 1
		}
	case now == wantCommaOrEnd && (was == inString || was == inWord):
		top.end = i + 1
	case now == inEscape:
		g.before, g.escape = g.escape, i
	case now == inKey && (was == wantKey || was == wantKeyOrEnd):
		top.keyFrom = i + 1
	case now == wantColon && was == inKey:
		top.keyTo = i
	case now == inString && (was == wantValue || was == wantValueOrEnd):
		g.text = i
	}
}

// Depth is how many containers are open.
func (g *Growing) Depth() int { return len(g.levels) }

// Member returns what is being read in the open container of that level, from
// 0: the key of an object's member, or nil for the element of an array. It is
// false if nothing is, or not yet its value. The key is valid until Feed.
func (g *Growing) Member(level int) (key []byte, ok bool) {
	if level == len(g.levels)-1 && !g.inText() && g.w.state < inWord {
		return nil, false
	}
	if !g.isObject(level) {
		return nil, true
	}
	l := g.levels[level]
	if key = g.buf[l.keyFrom:l.keyTo]; bytes.IndexByte(key, '\\') >= 0 {
		key = appendUnescaped(nil, key)
	}
	return key, true
}

// inText reports whether a string value is being read.
func (g *Growing) inText() bool {
	return g.w.state == inString || (g.w.state == inEscape || g.w.state == inHex) && !g.w.key
}

func (g *Growing) isObject(level int) bool {
	return g.w.objects[level/64]>>(level%64)&1 == 1
}

// Close appends the object as it is so far to dst: keys without a value,
// numbers and words that may still go on are left out, and so are characters
// of which only a part is there; then all is closed. Of the open containers
// only the outer levels are kept, from 1; if they are fewer than Depth, what is
// being read in the last of them is left out. A string that is being read is
// kept where text says so.
func (g *Growing) Close(dst []byte, levels int, text bool) []byte {
	if levels == 0 { // whole
		return append(dst, g.buf...)
	}
	if text && levels == len(g.levels) && g.inText() {
		dst = append(append(dst, g.buf[:g.textEnd()]...), '"')
	} else {
		dst = append(dst, g.buf[:g.levels[levels-1].end]...)
	}
	for i := range slices.Backward(g.levels[:levels]) {
		if g.isObject(i) {
			dst = append(dst, '}')
		} else {
			dst = append(dst, ']')
		}
	}
	return dst
}

// textEnd is where the last whole character of the string being read ends. The
// first half of a surrogate pair is none.
func (g *Growing) textEnd() int {
	end, last := len(g.buf), g.escape
	if g.w.state != inString { // in the middle of an escape
		end, last = g.escape, g.before
	}
	if last+6 == end && isHighSurrogate(hexRune(g.buf[last:])) {
		return last
	}
	for i := end - 1; i > g.text && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(g.buf[i]) {
			if !utf8.FullRune(g.buf[i:end]) {
				return i
			}
			break
		}
	}
	return end
}

func isHighSurrogate(r rune) bool { return utf16.IsSurrogate(r) && r < 0xDC00 }
