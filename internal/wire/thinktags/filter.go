package thinktags

import (
	"bytes"

	"github.com/sabir-go/sabir/internal/wire"
)

// Tags are the marks around thoughts. The zero value means <think> and
// </think>.
type Tags struct {
	Open, Close string
	// Opened says that the prompt already ends with the opening tag, so that a
	// text begins with thoughts even where it doesn't show. It is for models
	// that always think: without a closing tag, all of the text is a thought.
	Opened bool
}

// NewFilter returns a filter for one reply. Thoughts count as such at the
// beginning of the text only, white space aside; tags that come later are what
// the model talks about and stay text. Thoughts that are never closed are
// thoughts to the end. White space around thoughts is dropped. Where several
// pairs of tags are given, the one whose opening tag comes is used; none means
// the zero Tags.
func NewFilter(tags ...Tags) wire.TextFilter {
	if len(tags) == 0 {
		tags = make([]Tags, 1)
	}
	f := &filter{}
	for _, t := range tags {
		if t.Open == "" && t.Close == "" {
			t.Open, t.Close = "<think>", "</think>"
		}
		f.opens = append(f.opens, t.Open)
		f.closes = append(f.closes, t.Close)
		if t.Opened && f.close == "" {
			f.close = t.Close
		}
	}
	return f
}

type state uint8

const (
	beginning state = iota // nothing but white space so far
	thought
	answer // white space after the thoughts
	text   // everything to come
)

type filter struct {
	state         state
	opens, closes []string
	close         string // ends the thoughts; set in the beginning if they are open already
	held          []byte // what may be the beginning of a tag
	space         []byte // white space that counts only if something follows
	said          bool   // some thought was passed on
}

func (f *filter) Text(a *wire.Assembly, b []byte) {
	for len(b) > 0 && f.state != text {
		if len(f.held) > 0 {
			b = append(f.held, b...)
			f.held = nil
		}
		switch f.state {
		case beginning:
			b = f.decideStart(a, b)
		case thought:
			b = f.passThought(a, b)
		case answer:
			if b = bytes.TrimLeft(b, whiteSpace); len(b) > 0 {
				f.state = text
			}
		case text:
		}
	}
	if len(b) > 0 {
		a.PlainText(b)
	}
}

const whiteSpace = " \t\r\n"

// decideStart looks for an opening tag and returns what comes after it, or after the
// white space that means nothing yet.
func (f *filter) decideStart(a *wire.Assembly, b []byte) (rest []byte) {
	rest = bytes.TrimLeft(b, whiteSpace)
	f.space = append(f.space, b[:len(b)-len(rest)]...)
	if len(rest) == 0 {
		return nil
	}
	at, which := wire.FindMark(rest, f.opens...)
	switch {
	case at > 0 && f.close != "":
		f.state = thought
	case at > 0:
		f.state = text
		if len(f.space) > 0 {
			a.PlainText(f.space)
		}
	case which < 0:
		f.held = bytes.Clone(rest)
		return nil
	default:
		f.state, f.close = thought, f.closes[which]
		rest = rest[len(f.opens[which]):]
	}
	f.space = f.space[:0]
	return rest
}

// passThought passes thoughts on and returns what comes after the closing tag.
func (f *filter) passThought(a *wire.Assembly, b []byte) (rest []byte) {
	at, which := wire.FindMark(b, f.close)
	f.passText(a, b[:at])
	if which < 0 {
		f.held = bytes.Clone(b[at:])
		return nil
	}
	f.state = answer
	return b[at+len(f.close):]
}

// passText passes a thought on but for the white space around all of it.
func (f *filter) passText(a *wire.Assembly, b []byte) {
	if !f.said {
		b = bytes.TrimLeft(b, whiteSpace)
	}
	end := len(bytes.TrimRight(b, whiteSpace))
	if end == 0 {
		f.space = append(f.space, b...)
		return
	}
	f.said = true
	if len(f.space) > 0 { // as one event, not two
		f.space = append(f.space, b[:end]...)
		a.Think(wire.ThoughtSlot, f.space)
	} else {
		a.Think(wire.ThoughtSlot, b[:end])
	}
	f.space = append(f.space[:0], b[end:]...)
}

// End passes on what turned out to be no tag.
func (f *filter) End(a *wire.Assembly) {
	switch {
	case f.state == thought, f.state == beginning && f.close != "":
		f.passText(a, f.held)
	case f.state == beginning && len(f.space)+len(f.held) > 0:
		a.PlainText(append(f.space, f.held...))
	}
	f.state, f.held, f.space = text, nil, nil
}
