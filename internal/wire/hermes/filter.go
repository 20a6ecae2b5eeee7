package hermes

import (
	"bytes"

	"github.com/sabir-go/sabir/internal/wire"
)

// NewFilter returns a filter for one reply that takes calls out of the text.
// A call ends where its JSON value ends, whatever tags stand inside of its
// strings, and is reported as soon as it does; nothing of it is text, nor is
// the white space around it. Each tag may hold several calls, one after the
// other or in a list.
//
// What opens like a call and can't be read, or has no name, stays text and is
// marked by [wire.Assembly.Malformed]. If the reply was cut inside of a call
// whose name is known, the call is reported with what there is of its
// arguments; else its beginning stays text. Tags inside of thoughts that stand
// in the text open no call, nor does a tag right behind a backtick, as prose
// quotes it, or one that is never closed and followed by no JSON.
func NewFilter(t Template) wire.TextFilter {
	t = t.withDefaults()
	return &filter{
		open: openingTag(t.Call), close: closingTag(t.Call),
		thinkOpen: openingTag(t.Think), thinkClose: closingTag(t.Think),
		lineStart: true,
	}
}

type state uint8

const (
	text    state = iota
	thought       // thoughts, passed on as the text they stand in
	opened        // white space between the opening tag and the JSON
	value         // a JSON value
	after         // what stands between a value and the closing tag
	broken        // a call that is no JSON, up to its closing tag
)

type filter struct {
	open, close           string
	thinkOpen, thinkClose string

	state state
	held  []byte // what may be the beginning of a tag
	space []byte // white space that is text only if text follows
	body  []byte // the call from its tag on, as written
	start int    // of the value in body; 0: none has begun
	json  extent

	said      bool // text was passed on
	called    bool // a call came after that
	keep      bool // no white space stood before it: keep what follows it
	lineStart bool // the text's last line is white space so far
	quoted    bool // the text ends with a backtick
}

func (f *filter) Text(a *wire.Assembly, b []byte) {
	for len(b) > 0 {
		if len(f.held) > 0 {
			b = append(f.held, b...)
			f.held = nil
		}
		switch f.state {
		case text:
			b = f.readText(a, b)
		case thought:
			b = f.readThought(a, b)
		case opened:
			b = f.readOpening(b)
		case value:
			b = f.readValue(a, b)
		case after:
			b = f.readClosing(a, b)
		case broken:
			b = f.readBroken(a, b)
		}
	}
}

// findMark is FindMark that keeps the beginning of a tag for the next piece.
func (f *filter) findMark(b []byte, marks ...string) (before, rest []byte, which int) {
	at, which := wire.FindMark(b, marks...)
	if which < 0 {
		if at < len(b) {
			f.held = bytes.Clone(b[at:])
		}
		return b[:at], nil, which
	}
	return b[:at], b[at+len(marks[which]):], which
}

// readText passes text on and returns what comes after a tag.
func (f *filter) readText(a *wire.Assembly, b []byte) []byte {
	before, rest, which := f.findMark(b, f.open, f.thinkOpen)
	f.passText(a, before)
	switch {
	case which == 0 && !f.quoted:
		f.beginCall(opened)
	case which == 0:
		f.passText(a, []byte(f.open))
	case which == 1:
		if f.lineStart {
			f.state = thought
		}
		f.passText(a, []byte(f.thinkOpen))
	}
	return rest
}

func (f *filter) readThought(a *wire.Assembly, b []byte) []byte {
	before, rest, which := f.findMark(b, f.thinkClose)
	f.passText(a, before)
	if which == 0 {
		f.state = text
		f.passText(a, []byte(f.thinkClose))
	}
	return rest
}

const whiteSpace = " \t\r\n"

// passText passes text on. White space at the edges of what the calls leave of the
// text is dropped; between two texts, that before the calls is kept.
func (f *filter) passText(a *wire.Assembly, b []byte) {
	if len(b) == 0 {
		return
	}
	f.noteEnd(b)
	if f.called {
		rest := bytes.TrimLeft(b, whiteSpace)
		if f.said && f.keep {
			f.space = append(f.space, b[:len(b)-len(rest)]...)
		}
		b = rest
	}
	end := len(bytes.TrimRight(b, whiteSpace))
	if end == 0 {
		f.space = append(f.space, b...)
		return
	}
	f.said, f.called = true, false
	if len(f.space) > 0 { // as one event, not two
		f.space = append(f.space, b[:end]...)
		a.PlainText(f.space)
	} else {
		a.PlainText(b[:end])
	}
	f.space = append(f.space[:0], b[end:]...)
}

func (f *filter) noteCall() {
	if !f.said {
		f.space = f.space[:0]
	}
	f.called, f.keep = true, len(f.space) == 0
}

func (f *filter) noteEnd(b []byte) {
	f.quoted = b[len(b)-1] == '`'
	line := bytes.LastIndexByte(b, '\n')
	f.lineStart = (f.lineStart || line >= 0) && len(bytes.TrimLeft(b[line+1:], whiteSpace)) == 0
}

func (f *filter) beginCall(s state) {
	f.state, f.start = s, 0
	f.body = append(f.body[:0], f.open...)
	f.lineStart, f.quoted = true, false
}

func (f *filter) readOpening(b []byte) []byte {
	rest := bytes.TrimLeft(b, whiteSpace)
	f.body = append(f.body, b[:len(b)-len(rest)]...)
	switch {
	case len(rest) == 0:
	case rest[0] == '{' || rest[0] == '[':
		f.state, f.start, f.json = value, len(f.body), extent{}
	default:
		f.state = broken
	}
	return rest
}

func (f *filter) readValue(a *wire.Assembly, b []byte) []byte {
	n, end := f.json.readValue(b)
	f.body = append(f.body, b[:n]...)
	switch end {
	case goesOn:
	case whole:
		f.reportCalls(a)
	case noJSON:
		f.state = broken
	}
	return b[n:]
}

func (f *filter) reportCalls(a *wire.Assembly) {
	calls, ok := readCalls(f.body[f.start:])
	if !ok {
		f.state = broken
		return
	}
	for _, c := range calls {
		addCall(a, c)
	}
	f.state, f.body = after, f.body[:0]
	f.noteCall()
}

// readClosing looks for the closing tag. Another value, or another opening tag in
// its place, is another call. Stray brackets go with the call; words that
// stand there are text.
func (f *filter) readClosing(a *wire.Assembly, b []byte) []byte {
	if len(f.body) == 0 {
		rest := bytes.TrimLeft(b, whiteSpace+",")
		if len(rest) == 0 {
			return nil
		}
		if rest[0] == '{' || rest[0] == '[' {
			f.beginCall(value)
			f.start, f.json = len(f.body), extent{}
			return rest
		}
		b = rest
	}
	before, rest, which := f.findMark(b, f.close, f.open)
	f.body = append(f.body, before...)
	if which >= 0 {
		f.leaveCall(a)
	}
	if which == 1 {
		f.beginCall(opened)
	}
	return rest
}

func (f *filter) leaveCall(a *wire.Assembly) {
	f.state = text
	if len(bytes.Trim(f.body, whiteSpace+"]},;`")) > 0 {
		f.passText(a, f.body)
		f.noteCall()
	}
	f.body = f.body[:0]
}

// readBroken reads on to the closing tag of what can't be read. Another opening tag
// ends it, too: the closing one was forgotten, or the first was just a word.
func (f *filter) readBroken(a *wire.Assembly, b []byte) []byte {
	before, rest, which := f.findMark(b, f.close, f.open)
	f.body = append(f.body, before...)
	switch which {
	case 0:
		f.body = append(f.body, f.close...)
		f.giveUp(a, true)
	case 1:
		f.giveUp(a, f.start > 0)
		f.beginCall(opened)
	}
	return rest
}

// giveUp keeps what was written as text.
func (f *filter) giveUp(a *wire.Assembly, malformed bool) {
	if malformed {
		a.Malformed()
	}
	f.passText(a, f.body)
	f.state, f.body = text, f.body[:0]
}

// End passes on what turned out to be no tag, and decides about a call that
// wasn't closed.
func (f *filter) End(a *wire.Assembly) {
	switch f.state {
	case text, thought:
		f.passText(a, f.held)
	case after: // what is held is the beginning of a tag
		f.leaveCall(a)
	case opened, value:
		f.reportUnfinished(a)
	case broken:
		f.body = append(f.body, f.held...)
		f.giveUp(a, f.start > 0 && !a.Cut())
	}
	if !f.called && len(f.space) > 0 {
		a.PlainText(f.space)
	}
	f.state, f.held, f.space, f.body = text, nil, nil, nil
}

// reportUnfinished reports a call whose JSON isn't whole.
func (f *filter) reportUnfinished(a *wire.Assembly) {
	if f.state == value && a.Cut() {
		if c, ok := readPart(f.body[f.start:]); ok {
			addCall(a, c)
			f.noteCall()
			return
		}
	}
	f.giveUp(a, !a.Cut())
}

func addCall(a *wire.Assembly, c call) {
	a.Args(a.CallSlot(wire.CallKey{Name: c.name, Sibling: true}), c.arguments)
}
