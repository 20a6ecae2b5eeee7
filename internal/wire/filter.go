package wire

import (
	"fmt"

	"github.com/sabir-go/sabir/chat"
)

// The slots of dialects whose replies have one thought, one text and a list of
// calls. Text filters count on them.
const (
	ThoughtSlot   = 0
	TextSlot      = 1
	FirstCallSlot = 2
)

// TextFilter reads a reply's text as it comes and makes of it what it really
// is: thoughts between tags, calls written in words. It feeds the assembly
// through Think, CallSlot, Args, Malformed and PlainText; what it doesn't pass
// on isn't in the reply. A filter belongs to one reply.
type TextFilter interface {
	// Text takes the next piece of the text. b is valid until it returns.
	Text(a *Assembly, b []byte)
	// End says that no more text will come, whole reply or not.
	End(a *Assembly)
}

// Filter sends the text of TextSlot through the filters, one after the other:
// what the first takes for text is what the second gets. It is called before
// anything is fed, at most once. A nil filter is left out.
func (a *Assembly) Filter(filters ...TextFilter) {
	for _, f := range filters {
		if f != nil {
			a.filters = append(a.filters, f)
		}
	}
}

// PlainText is for filters: it passes text on to the next one, and past the
// last one into the reply.
func (a *Assembly) PlainText(b []byte) {
	if a.level == len(a.filters) {
		a.addText(TextSlot, b)
		return
	}
	f := a.filters[a.level]
	a.level++
	f.Text(a, b)
	a.level--
}

// filterText gives text to the filters. What they hold back is bounded as the
// reply is.
func (a *Assembly) filterText(b []byte) {
	if a.err != nil {
		return
	}
	if a.filtered += len(b); a.filtered > a.limits.Reply {
		a.Fail(fmt.Errorf("reply exceeds %d bytes", a.limits.Reply))
		return
	}
	a.PlainText(b)
}

// Flush ends the filters, and returns the events that this gave; valid until
// more is fed.
func (a *Assembly) Flush() []chat.Event {
	for len(a.filters) > 0 {
		f := a.filters[0]
		a.filters = a.filters[1:]
		f.End(a)
	}
	return a.Drain()
}

// Malformed notes that the model wrote a call that nobody can read, whose words
// the filter keeps as text. The reply's finish then says so, unless the reply
// was cut: that explains it.
func (a *Assembly) Malformed() { a.malformed = true }

// Cut reports whether the reply broke off before the model was done, as far as
// is known yet: what is incomplete then isn't the model's fault.
func (a *Assembly) Cut() bool {
	switch a.finish {
	case chat.FinishLength, chat.FinishFiltered, chat.FinishPaused, chat.FinishError:
		return true
	case chat.FinishStop, chat.FinishStopSequence, chat.FinishToolCalls, chat.FinishMalformed, chat.FinishOther, "":
	}
	return !a.ended
}

// Calls is the number of calls so far.
func (a *Assembly) Calls() int { return a.calls }
