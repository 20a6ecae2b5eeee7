package wire

import "slices"

// CallKey is what a fragment says about the call it belongs to. Servers leave
// out, repeat, blank or invent every one of its members.
type CallKey struct {
	Index    int
	HasIndex bool
	ID, Name []byte
	// Sibling says that another fragment came before this one in the same list.
	Sibling bool
	// Empty says that the fragment brings no arguments.
	Empty bool
}

// callIDs is what CallSlot remembers of the calls of one reply.
type callIDs struct {
	calls   []callID
	byIndex map[int]int // to the latest call with that index
	byID    map[string]int
}

// callID is one call. Its id is the wire's, even where the caller knows the
// call by one that was made up before the wire's came.
type callID struct {
	id    string
	state jsonState
}

// CallSlot returns the slot of the call that a fragment belongs to, and opens
// the call or adds its id and name if need be; a codec adds the arguments, no
// more. Time is constant per fragment, memory is taken when a call opens.
//
// An index that wasn't seen opens a call. A known index goes on with its call,
// unless another id and a name come together (some gateways give every call
// index 0). Without an index the id decides, without an id the name: it opens a
// call once the call before is complete, or if it is another name. A fragment
// that says nothing goes on with the latest call.
//
// Source: vercel/ai, packages/openai-compatible/src/chat, read 2026-11-30;
// observed streams of Ollama, vLLM, Gemini's compatible path and several
// gateways.
func (a *Assembly) CallSlot(k CallKey) int {
	if a.err != nil {
		return FirstCallSlot
	}
	c := &a.ids
	n, ok := a.findCall(k)
	if !ok {
		return a.openCall(k)
	}
	slot := FirstCallSlot + n
	if len(k.ID) > 0 && c.calls[n].id == "" {
		a.StartCall(slot, c.learnID(n, string(k.ID)), "")
	}
	if p := a.findPart(slot); p != nil && p.name == "" && len(k.Name) > 0 {
		a.StartCall(slot, "", string(k.Name))
	}
	return slot
}

// findCall is the number of the call that a fragment goes on with.
func (a *Assembly) findCall(k CallKey) (int, bool) {
	c := &a.ids
	last := len(c.calls) - 1
	if last < 0 {
		return 0, false
	}
	if k.HasIndex {
		n, ok := c.byIndex[k.Index]
		if !ok {
			// A fragment without a name doesn't open a call under an id that
			// is known, whatever its index.
			same := len(k.ID) > 0 && len(k.Name) == 0 && c.calls[last].id == string(k.ID)
			return last, same
		}
		if len(k.ID) > 0 && c.calls[n].id != "" {
			return n, c.calls[n].id == string(k.ID) || len(k.Name) == 0
		}
		return n, !a.opensByName(n, k)
	}
	if len(k.ID) > 0 {
		if n, ok := c.byID[string(k.ID)]; ok {
			return n, true
		}
		return last, c.calls[last].id == "" && !k.Sibling && !a.opensByName(last, k)
	}
	if k.Sibling && len(k.Name) > 0 {
		return 0, false
	}
	return last, !a.opensByName(last, k)
}

// opensByName reports whether a fragment's name begins a new call although
// nothing else tells it from call n.
func (a *Assembly) opensByName(n int, k CallKey) bool {
	p := a.findPart(FirstCallSlot + n)
	switch {
	case len(k.Name) == 0 || p == nil || p.name == "":
		return false
	case p.name != string(k.Name):
		return true
	case k.Empty, len(k.ID) == 0 && a.ids.calls[n].id != "":
		return false // the name repeated; where calls have ids, a new one has its own
	}
	return a.ids.calls[n].state.completesObject(p.buf.String())
}

func (a *Assembly) openCall(k CallKey) int {
	c := &a.ids
	n := len(c.calls)
	c.calls = append(c.calls, callID{})
	if k.HasIndex {
		if c.byIndex == nil {
			c.byIndex = make(map[int]int, 4)
		}
		c.byIndex[k.Index] = n
	}
	a.StartCall(FirstCallSlot+n, c.learnID(n, string(k.ID)), string(k.Name))
	return FirstCallSlot + n
}

// learnID notes call n's id and returns the id for the caller to see: none, if
// another call of this reply has it. Ids are unique in a reply, so that call
// gets one of ours.
func (c *callIDs) learnID(n int, id string) string {
	c.calls[n].id = id
	if id == "" {
		return ""
	}
	if c.byID == nil {
		c.byID = make(map[string]int, 4)
	}
	if _, taken := c.byID[id]; taken {
		return ""
	}
	c.byID[id] = n
	return id
}

// jsonState finds out whether a growing text holds a whole JSON object or
// list. It goes on where it stopped, so the work is linear.
type jsonState struct {
	pos, depth     int
	inText, escape bool
	done           bool
}

func (j *jsonState) completesObject(s string) bool {
	for ; j.pos < len(s) && !j.done; j.pos++ {
		switch b := s[j.pos]; {
		case j.escape:
			j.escape = false
		case j.inText:
			j.escape = b == '\\'
			j.inText = b != '"'
		case b == '"':
			j.inText = true
		case b == '{', b == '[':
			j.depth++
		case b == '}', b == ']':
			j.depth--
			j.done = j.depth <= 0
		}
	}
	return j.done
}

// Heard reports whether a call that comes whole has come before: with the same
// id, name and arguments. A frame that a gateway sends twice must not make a
// tool run twice. Without an id nobody can tell.
func (a *Assembly) Heard(id, name, args string) bool {
	return id != "" && slices.ContainsFunc(a.parts, func(p *part) bool {
		return p.kind == callPart && p.id == id && p.name == name && p.buf.String() == args
	})
}
