package rawjson

import "bytes"

// searchProse is for rules 4 and 5: one pass over the text, in which every opening
// bracket may be the start of the value. Each candidate has a walker of its
// own, and two walkers are always enough:
//
// A walker that is outside of a string either takes an opening bracket as part
// of its own value, and then a second walker from there would only repeat what
// this one does, or it fails there. So a new walker starts only when no other
// one is outside of a string. From then on the two see every quote from
// opposite sides: it ends the string of one and starts one in the other. A
// backslash would tell them apart, but fails whichever is outside of a string.
// Hence at most one walker is inside a string and at most one outside, and each
// byte costs two steps and a start at the most.
func (f *finder) searchProse() []byte {
	var walkers [2]walker
	for i := 0; i < len(f.text); i++ {
		if !walkers[0].live && !walkers[1].live {
			if i += f.skipProse(f.text[i:]); i == len(f.text) {
				break
			}
		}
		f.feedWalkers(&walkers, i)
		if f.isDecided(&walkers) {
			break
		}
	}
	for k := range walkers {
		f.dropInside(&walkers[k])
	}
	for _, s := range []span{f.found[1], f.found[0]} {
		if s.isFound() {
			return f.text[s.start:s.end]
		}
	}
	return nil
}

// skipProse returns how far the next opening bracket is.
func (f *finder) skipProse(b []byte) int {
	n := bytes.IndexAny(b, "{[")
	if n < 0 {
		n = len(b)
	}
	f.steps += n
	return n
}

// feedWalkers gives the byte at i to the walkers, and starts one if it is an opening
// bracket that none takes.
func (f *finder) feedWalkers(walkers *[2]walker, i int) {
	c := f.text[i]
	orphan := c == '{' || c == '['
	for k := range walkers {
		w := &walkers[k]
		if !w.live {
			continue
		}
		f.steps++
		quoted := w.inQuotes()
		if w.takeByte(c); w.live && !quoted {
			orphan = false
		}
		if w.done {
			f.takeValue(w, i+1)
		}
	}
	if !orphan {
		return
	}
	for k := range walkers {
		if !walkers[k].live {
			f.steps++
			walkers[k].beginValue(c, i)
			return
		}
	}
}

// takeValue notes the value that w has read. Values found inside its strings give
// way to it.
func (f *finder) takeValue(w *walker, end int) {
	w.done = false
	f.dropAfter(w.start)
	rank := 0
	if w.hasObject {
		rank = 1
	}
	if !f.found[rank].isFound() {
		f.found[rank] = span{w.start, end}
	}
}

// isDecided reports that nothing better than what was found can come.
func (f *finder) isDecided(walkers *[2]walker) bool {
	best := f.found[1]
	if !best.isFound() {
		return false
	}
	for k := range walkers {
		if walkers[k].live && walkers[k].start < best.start {
			return false
		}
	}
	return true
}

// dropInside drops what was found inside a value that the end of the text cut
// off.
func (f *finder) dropInside(w *walker) {
	if w.live {
		f.dropAfter(w.start)
	}
}

func (f *finder) dropAfter(start int) {
	for rank, s := range f.found {
		if s.start > start {
			f.found[rank] = span{}
		}
	}
}
