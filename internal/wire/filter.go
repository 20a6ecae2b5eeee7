package wire

import "github.com/sabir-go/sabir/chat"

// The slots of dialects whose replies have one thought, one text and a list of
// calls. Text filters count on them.
const (
	ThoughtSlot   = 0
	TextSlot      = 1
	FirstCallSlot = 2
)

// TextFilter reads a reply's text as it comes and makes of it what it really
// is: thoughts between tags, calls written in words. It feeds the assembly
// through Think, StartCall, Args and PlainText; what it doesn't pass on isn't
// in the reply. A filter belongs to one reply.
type TextFilter interface {
	// Text takes the next piece of the text. b is valid until it returns.
	Text(a *Assembly, b []byte)
	// End says that no more text will come, whole reply or not.
	End(a *Assembly)
}

// Filter sends the text of TextSlot through f. It is set before anything is
// fed. Nil filters nothing.
func (a *Assembly) Filter(f TextFilter) { a.filter = f }

// PlainText adds text past the filter.
func (a *Assembly) PlainText(b []byte) { a.addText(TextSlot, b) }

// Flush ends the filter, and returns the events that this gave; valid until
// more is fed.
func (a *Assembly) Flush() []chat.Event {
	if f := a.filter; f != nil {
		a.filter = nil
		f.End(a)
	}
	return a.Drain()
}
