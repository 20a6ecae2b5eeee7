package gemini

import "github.com/sabir-go/sabir/internal/wire"

// kind is what a slot of the assembly holds, as far as it matters to what
// comes next.
type kind uint8

const (
	nothing kind = iota
	textKind
	thoughtKind
	callKind
)

// state is what has to be remembered of a reply between frames. It hangs on
// the assembly.
type state struct {
	slots  int  // in use
	last   kind // of the last slot
	signed bool // the last slot has its token, so it is complete
	usage  usage
	ids    map[string]struct{} // of the calls so far
	// open is the call whose arguments are still coming in pieces, in the last
	// slot; nil: there is none.
	open *partialArgs
}

func stateOf(a *wire.Assembly) *state {
	st, ok := a.Memo.(*state)
	if !ok {
		st = new(state)
		a.Memo = st
	}
	return st
}

// slotFor returns where the next piece of a text or thought goes: into the part before
// it if that is of the same kind and has no token yet, as a stream brings the
// token last; else into a part of its own.
func (st *state) slotFor(k kind) (slot int, fresh bool) {
	if st.last == k && !st.signed {
		return st.currentSlot(), false
	}
	return st.addSlot(k), true
}

// addSlot opens a slot behind the others. They begin beyond those in which text
// filters look for text.
func (st *state) addSlot(k kind) int {
	st.slots++
	st.last, st.signed = k, false
	return st.currentSlot()
}

func (st *state) currentSlot() int { return wire.FirstCallSlot + st.slots - 1 }

// learnID returns the call's id if no other call of this reply has it, else
// none: ids are unique in a reply.
func (st *state) learnID(id string) string {
	if id == "" {
		return ""
	}
	if _, taken := st.ids[id]; taken {
		return ""
	}
	if st.ids == nil {
		st.ids = make(map[string]struct{}, 4)
	}
	st.ids[id] = struct{}{}
	return id
}
