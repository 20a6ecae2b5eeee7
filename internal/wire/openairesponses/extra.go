package openairesponses

import (
	"slices"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// findExtra returns an extra member that shares an object of ours.
func (e *encoder) findExtra(name string) []byte {
	for _, m := range e.c.Extra {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// spliceObject writes the members of the caller's object into the one that is open,
// but for those that are ours.
func (e *encoder) spliceObject(name string, object []byte, ours ...string) {
	if object == nil {
		return
	}
	var s rawjson.Scanner
	s.Reset(object)
	if s.Kind() != rawjson.Object {
		e.fail("extra member %q is no object", name)
		return
	}
	for key := range s.Members() {
		member := string(key)
		if slices.Contains(ours, member) {
			e.fail("extra member %q of %q has a field of its own", member, name)
		}
		e.w.KeyString(member)
		e.w.Raw(s.Raw())
	}
	if s.End() != nil {
		e.fail("extra member %q is no JSON", name)
	}
}
