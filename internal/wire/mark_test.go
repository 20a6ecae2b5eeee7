package wire_test

import (
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

func TestFindMark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		marks      []string
		at, which  int
	}{
		{"none", "abc", []string{"<a>"}, 3, -1},
		{"empty text", "", []string{"<a>"}, 0, -1},
		{"whole", "x<a>y", []string{"<a>"}, 1, 0},
		{"the first of two", "x<b><a>", []string{"<a>", "<b>"}, 1, 1},
		{"one that may begin", "x<a", []string{"<a>"}, 1, -1},
		{"one that doesn't begin", "x<ax<", []string{"<a>"}, 4, -1},
		{"one inside of a false start", "<<a>", []string{"<a>"}, 1, 0},
		{"the first listed wins", "<ab>", []string{"<a", "<ab>"}, 0, 0},
		{"the longer may still come", "<ab", []string{"<ab>", "<a"}, 0, -1},
		{"the longer didn't come", "<ac", []string{"<ab>", "<a"}, 0, 1},
		{"an empty mark is none", "ab", []string{""}, 2, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if at, which := wire.FindMark([]byte(tt.text), tt.marks...); at != tt.at || which != tt.which {
				t.Errorf("got %d, %d, want %d, %d", at, which, tt.at, tt.which)
			}
		})
	}
}

// echo is a filter that puts its letter around every piece, and behind all.
type echo string

func (e echo) Text(a *wire.Assembly, b []byte) { a.PlainText([]byte(string(e) + string(b))) }
func (e echo) End(a *wire.Assembly)            { a.PlainText([]byte(string(e) + ".")) }

// TestFilters: what one filter passes on is what the next one gets, at the end
// as well, and other slots are not theirs.
func TestFilters(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	a.Filter(echo("a"), nil, echo("b"))
	a.Text(wire.TextSlot, []byte("1"))
	a.Text(wire.TextSlot, []byte("2"))
	a.Text(9, []byte("!"))
	if got := a.Reply().Text(); got != "ba1ba2ba.b.!" {
		t.Errorf("got %q", got)
	}
	if events := a.Flush(); len(events) != 3 { // Reply told nobody of the ends
		t.Errorf("%d events", len(events))
	}
	if got := a.Reply().Text(); got != "ba1ba2ba.b.!" {
		t.Errorf("asked again: %q", got)
	}
}

// TestMalformedAndCut: a malformed call decides about the finish, unless the
// reply was cut.
func TestMalformedAndCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said      chat.FinishReason
		ended     bool
		malformed chat.FinishReason
		cut       bool
	}{
		{chat.FinishStop, true, chat.FinishMalformed, false},
		{chat.FinishToolCalls, true, chat.FinishMalformed, false},
		{chat.FinishOther, true, chat.FinishMalformed, false},
		{chat.FinishStop, false, chat.FinishMalformed, true},
		{"", false, chat.FinishMalformed, true},
		{chat.FinishLength, true, chat.FinishLength, true},
		{chat.FinishFiltered, true, chat.FinishFiltered, true},
		{chat.FinishError, true, chat.FinishError, true},
		{chat.FinishPaused, true, chat.FinishPaused, true},
	} {
		a := wire.NewAssembly(wire.Limits{})
		a.StartCall(wire.FirstCallSlot, "", "f")
		a.Malformed()
		a.Finish(tt.said, "")
		if tt.ended {
			a.End()
		}
		if got := a.Reply().Finish; got != tt.malformed || a.Cut() != tt.cut || a.Calls() != 1 {
			t.Errorf("%q: finish %q, cut %t, %d calls", tt.said, got, a.Cut(), a.Calls())
		}
	}
}
