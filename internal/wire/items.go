package wire

import "fmt"

// ItemSlots is how many slots each item of a reply has for its parts.
const ItemSlots = 1 << 10

// ItemKey is what an event says about the item it belongs to. Servers leave
// out the index, change ids on the way, or give every item index 0.
type ItemKey struct {
	Index    int
	HasIndex bool
	ID       []byte
}

// Item is what an assembly remembers of one item, for wires whose replies are
// lists of items (messages, thoughts, calls) that events refer to.
type Item struct {
	// Kind is the codec's word for what the item is.
	Kind uint8
	// Slot is the first of the item's ItemSlots slots.
	Slot int
	// Part, Done and Signed are the codec's own notes: which of the item's
	// parts was fed last, that it was read to its end, and that its token was
	// put on it.
	Part         int
	Done, Signed bool

	id string
}

// Named reports whether id says that the item is another one.
func (it *Item) Named(id []byte) bool {
	return it.id == "" || len(id) == 0 || it.id == string(id)
}

// itemTable is what an assembly remembers of a reply's items.
type itemTable struct {
	last    *Item
	byIndex map[int]*Item // to the latest item with that index
	byID    map[string]*Item
	count   int
	next    int // the place after all that are taken
}

// FindItem returns the item that a key means, nil if there is none yet: the
// one with that id, or else with that index. A key that says nothing means the
// item opened last.
func (a *Assembly) FindItem(k ItemKey) *Item {
	t := &a.items
	if len(k.ID) > 0 {
		if it := t.byID[string(k.ID)]; it != nil {
			return it
		}
	}
	switch {
	case k.HasIndex:
		return t.byIndex[k.Index]
	case len(k.ID) > 0:
		return nil
	}
	return t.last
}

// OpenItem adds an item. Its place among the others is its index if that is
// free, else behind all others. It never returns nil: of too many items, which
// are an error, the last is one that nothing is remembered of.
func (a *Assembly) OpenItem(k ItemKey, kind uint8) *Item {
	t := &a.items
	it := &Item{Kind: kind, id: string(k.ID)}
	if t.count >= maxParts {
		a.Fail(fmt.Errorf("more than %d items", maxParts))
		return it
	}
	if t.count == 0 {
		t.byIndex, t.byID = make(map[int]*Item, 4), make(map[string]*Item, 4)
	}
	place := t.next
	if k.HasIndex && k.Index >= 0 && k.Index < maxParts && t.byIndex[k.Index] == nil {
		place = k.Index
	}
	it.Slot = FirstCallSlot + place*ItemSlots
	if !k.HasIndex {
		k.Index = place
	}
	t.byIndex[k.Index], t.last = it, it
	if it.id != "" {
		t.byID[it.id] = it
	}
	t.count++
	t.next = max(t.next, place+1)
	return it
}

// Has reports whether a slot holds a part.
func (a *Assembly) Has(slot int) bool { return a.findPart(slot) != nil }

// Rest is what a whole text has beyond the text, thought or arguments that a
// slot holds already. It is nothing where the slot's text isn't the beginning
// of the whole: what was fed can't be taken back.
func (a *Assembly) Rest(slot int, whole []byte) []byte {
	p := a.findPart(slot)
	if p == nil {
		return whole
	}
	held := p.buf.Len()
	if len(whole) < held || string(whole[:held]) != p.buf.String() {
		return nil
	}
	return whole[held:]
}
