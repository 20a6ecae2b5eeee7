package rawjson

import (
	"bytes"
	"encoding/json"
)

// Loose finds the JSON value in a model's loosely written answer. It takes the
// first of these that there is:
//
//  1. the whole text, white space around it aside; this may be a scalar
//  2. an object with which the text begins
//  3. an object or array with which a fenced block begins (``` or ~~~, any info
//     string, closed or not); a scalar too, if the block is the whole text
//  4. the first object in the text, or array that holds an object
//  5. the first other array, which in prose is often just a citation like [1]
//
// Only whole values count. What lies inside a value that breaks off or turns
// out malformed is not taken in its place, so an answer that was cut short is
// not mistaken for one of its parts. Which value of several was meant, Loose
// can't know: check the result against its schema.
//
// The work is linear in the length of the text, whatever it holds.
func Loose(text string) (json.RawMessage, bool) {
	f := finder{text: bytes.TrimSpace(bytes.TrimPrefix([]byte(text), []byte("\uFEFF")))}
	value := f.findValue()
	return bytes.Clone(value), value != nil
}

// finder looks for a value in text. steps counts the bytes looked at, those
// looked at twice twice.
type finder struct {
	text  []byte
	steps int
	found [2]span // the best so far: without and with an object
}

type span struct{ start, end int }

func (s span) isFound() bool { return s.end > 0 }

func (f *finder) findValue() []byte {
	if v := f.findLeading(); v != nil {
		return v
	}
	if v := f.findFenced(); v != nil {
		return v
	}
	return f.searchProse()
}

// findLeading is for rules 1 and 2.
func (f *finder) findLeading() []byte {
	v, whole := f.readPrefix(f.text)
	if whole || v != nil && v[0] == '{' {
		return v
	}
	return nil
}

// readPrefix returns the value at the start of b, if there is one, and whether
// only white space follows it.
func (f *finder) readPrefix(b []byte) (value []byte, whole bool) {
	var s Scanner
	s.Reset(b)
	value = s.Raw()
	whole = s.End() == nil
	f.steps += s.pos
	return value, whole
}

// findFenced is for rule 3. A fence at the start of a line can't be part of a JSON
// string, which holds no line breaks; so a value never reaches past the line
// that closes its block, and each line is looked at a fixed number of times.
func (f *finder) findFenced() []byte {
	for rest := f.text; len(rest) > 0; {
		line, after := cutLine(rest)
		f.steps += len(line) + 1
		open := findFence(line)
		if open == nil {
			rest = after
			continue
		}
		body, next := f.cutBlock(after, open)
		v, whole := f.readPrefix(body)
		only := len(rest) == len(f.text) && len(next) == 0
		if v != nil && (v[0] == '{' || v[0] == '[' || whole && only) {
			return v
		}
		rest = next
	}
	return nil
}

// cutBlock returns what comes before the line that closes a block, and what comes
// after it.
func (f *finder) cutBlock(b, open []byte) (body, next []byte) {
	for rest := b; len(rest) > 0; {
		line, after := cutLine(rest)
		f.steps += len(line) + 1
		mark := findFence(line)
		if bytes.HasPrefix(mark, open) && bytes.Equal(mark, bytes.TrimSpace(line)) {
			return b[:len(b)-len(rest)], after
		}
		rest = after
	}
	return b, nil
}

func cutLine(b []byte) (line, after []byte) {
	line, after, _ = bytes.Cut(b, []byte("\n"))
	return line, after
}

// findFence returns the run of backticks or tildes that starts a line that opens
// or closes a block, or nil.
func findFence(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t")
	for _, mark := range []string{"`", "~"} {
		info := bytes.TrimLeft(line, mark)
		n := len(line) - len(info)
		if n >= 3 && (mark == "~" || !bytes.Contains(info, []byte(mark))) {
			return line[:n]
		}
	}
	return nil
}
