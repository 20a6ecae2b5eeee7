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
		open: opening(t.Call), close: closing(t.Call),
		thinkOpen: opening(t.Think), thinkClose: closing(t.Think),
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
			b = f.text(a, b)
		case thought:
			b = f.thought(a, b)
		case opened:
			b = f.opened(b)
		case value:
			b = f.value(a, b)
		case after:
			b = f.after(a, b)
		case broken:
			b = f.broken(a, b)
		}
	}
}

// find is FindMark that keeps the beginning of a tag for the next piece.
func (f *filter) find(b []byte, marks ...string) (before, rest []byte, which int) {
	at, which := wire.FindMark(b, marks...)
	if which < 0 {
		if at < len(b) {
			f.held = bytes.Clone(b[at:])
		}
		return b[:at], nil, which
	}
	return b[:at], b[at+len(marks[which]):], which
}

// text passes text on and returns what comes after a tag.
func (f *filter) text(a *wire.Assembly, b []byte) []byte {
	before, rest, which := f.find(b, f.open, f.thinkOpen)
	f.say(a, before)
	switch {
	case which == 0 && !f.quoted:
		f.begin(opened)
	case which == 0:
		f.say(a, []byte(f.open))
	case which == 1:
		if f.lineStart {
			f.state = thought
		}
		f.say(a, []byte(f.thinkOpen))
	}
	return rest
}

func (f *filter) thought(a *wire.Assembly, b []byte) []byte {
	before, rest, which := f.find(b, f.thinkClose)
	f.say(a, before)
	if which == 0 {
		f.state = text
		f.say(a, []byte(f.thinkClose))
	}
	return rest
}

const whiteSpace = " \t\r\n"

// say passes text on. White space at the edges of what the calls leave of the
// text is dropped; between two texts, that before the calls is kept.
func (f *filter) say(a *wire.Assembly, b []byte) {
	if len(b) == 0 {
		return
	}
	f.follow(b)
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

// reported notes that a call stands here.
func (f *filter) reported() {
	if !f.said {
		f.space = f.space[:0]
	}
	f.called, f.keep = true, len(f.space) == 0
}

// follow notes how the text ends.
func (f *filter) follow(b []byte) {
	f.quoted = b[len(b)-1] == '`'
	line := bytes.LastIndexByte(b, '\n')
	f.lineStart = (f.lineStart || line >= 0) && len(bytes.TrimLeft(b[line+1:], whiteSpace)) == 0
}

// begin starts a call.
func (f *filter) begin(s state) {
	f.state, f.start = s, 0
	f.body = append(f.body[:0], f.open...)
	f.lineStart, f.quoted = true, false
}

// opened looks for the beginning of the JSON.
func (f *filter) opened(b []byte) []byte {
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

// value reads on to the end of the JSON.
func (f *filter) value(a *wire.Assembly, b []byte) []byte {
	n, end := f.json.read(b)
	f.body = append(f.body, b[:n]...)
	switch end {
	case goesOn:
	case whole:
		f.call(a)
	case noJSON:
		f.state = broken
	}
	return b[n:]
}

// call reports the value's calls.
func (f *filter) call(a *wire.Assembly) {
	calls, ok := readCalls(f.body[f.start:])
	if !ok {
		f.state = broken
		return
	}
	for _, c := range calls {
		add(a, c)
	}
	f.state, f.body = after, f.body[:0]
	f.reported()
}

// after looks for the closing tag. Another value, or another opening tag in
// its place, is another call. Stray brackets go with the call; words that
// stand there are text.
func (f *filter) after(a *wire.Assembly, b []byte) []byte {
	if len(f.body) == 0 {
		rest := bytes.TrimLeft(b, whiteSpace+",")
		if len(rest) == 0 {
			return nil
		}
		if rest[0] == '{' || rest[0] == '[' {
			f.begin(value)
			f.start, f.json = len(f.body), extent{}
			return rest
		}
		b = rest
	}
	before, rest, which := f.find(b, f.close, f.open)
	f.body = append(f.body, before...)
	if which >= 0 {
		f.leave(a)
	}
	if which == 1 {
		f.begin(opened)
	}
	return rest
}

// leave ends a call whose calls were reported.
func (f *filter) leave(a *wire.Assembly) {
	f.state = text
	if len(bytes.Trim(f.body, whiteSpace+"]},;`")) > 0 {
		f.say(a, f.body)
		f.reported()
	}
	f.body = f.body[:0]
}

// broken reads on to the closing tag of what can't be read. Another opening tag
// ends it, too: the closing one was forgotten, or the first was just a word.
func (f *filter) broken(a *wire.Assembly, b []byte) []byte {
	before, rest, which := f.find(b, f.close, f.open)
	f.body = append(f.body, before...)
	switch which {
	case 0:
		f.body = append(f.body, f.close...)
		f.giveUp(a, true)
	case 1:
		f.giveUp(a, f.start > 0)
		f.begin(opened)
	}
	return rest
}

// giveUp keeps what was written as text.
func (f *filter) giveUp(a *wire.Assembly, malformed bool) {
	if malformed {
		a.Malformed()
	}
	f.say(a, f.body)
	f.state, f.body = text, f.body[:0]
}

// End passes on what turned out to be no tag, and decides about a call that
// wasn't closed.
func (f *filter) End(a *wire.Assembly) {
	switch f.state {
	case text, thought:
		f.say(a, f.held)
	case after: // what is held is the beginning of a tag
		f.leave(a)
	case opened, value:
		f.unfinished(a)
	case broken:
		f.body = append(f.body, f.held...)
		f.giveUp(a, f.start > 0 && !a.Cut())
	}
	if !f.called && len(f.space) > 0 {
		a.PlainText(f.space)
	}
	f.state, f.held, f.space, f.body = text, nil, nil, nil
}

// unfinished is a call whose JSON isn't whole.
func (f *filter) unfinished(a *wire.Assembly) {
	if f.state == value && a.Cut() {
		if c, ok := readPart(f.body[f.start:]); ok {
			add(a, c)
			f.reported()
			return
		}
	}
	f.giveUp(a, !a.Cut())
}

func add(a *wire.Assembly, c call) {
	a.Args(a.CallSlot(wire.CallKey{Name: c.name, Sibling: true}), c.arguments)
}
