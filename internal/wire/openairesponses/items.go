package openairesponses

import (
	"fmt"

	"github.com/sabir-go/sabir/internal/wire"
)

const (
	// itemSlots is how many slots each item of a reply has for its parts.
	itemSlots = 1 << 10
	// maxItems bounds what a reply may hold.
	maxItems = 10_000
)

// itemKey is what an event says about the item it belongs to. Servers leave
// out the index, change ids on the way, or give every item index 0.
type itemKey struct {
	index    int
	hasIndex bool
	id       []byte
}

// openedItem is what is remembered of one item between events.
type openedItem struct {
	kind   uint8
	slot   int  // the first of its itemSlots slots
	part   int  // that was fed last
	done   bool // it was read to its end
	signed bool // its token was put on it
	id     string
}

// isNamed reports whether id doesn't say that the item is another one.
func (it *openedItem) isNamed(id []byte) bool {
	return it.id == "" || len(id) == 0 || it.id == string(id)
}

// itemTable is what is remembered of a reply's items. It hangs on the assembly.
type itemTable struct {
	last    *openedItem
	byIndex map[int]*openedItem // to the latest item with that index
	byID    map[string]*openedItem
	count   int
	next    int // the place after all that are taken
}

func itemsOf(a *wire.Assembly) *itemTable {
	t, ok := a.Memo.(*itemTable)
	if !ok {
		t = new(itemTable)
		a.Memo = t
	}
	return t
}

// findItem returns the item that a key means, nil if there is none yet: the
// one with that id, or else with that index. A key that says nothing means the
// item opened last.
func (t *itemTable) findItem(k itemKey) *openedItem {
	if len(k.id) > 0 {
		if it := t.byID[string(k.id)]; it != nil {
			return it
		}
	}
	switch {
	case k.hasIndex:
		return t.byIndex[k.index]
	case len(k.id) > 0:
		return nil
	}
	return t.last
}

// openItem adds an item. Its place among the others is its index if that is
// free, else behind all others. It never returns nil: of too many items, which
// are an error, the last is one that nothing is remembered of.
func (t *itemTable) openItem(a *wire.Assembly, k itemKey, kind uint8) *openedItem {
	it := &openedItem{kind: kind, id: string(k.id)}
	if t.count >= maxItems {
		a.Fail(fmt.Errorf("more than %d items", maxItems))
		return it
	}
	if t.count == 0 {
		t.byIndex, t.byID = make(map[int]*openedItem, 4), make(map[string]*openedItem, 4)
	}
	place := t.next
	if k.hasIndex && k.index >= 0 && k.index < maxItems && t.byIndex[k.index] == nil {
		place = k.index
	}
	it.slot = wire.FirstCallSlot + place*itemSlots
	if !k.hasIndex {
		k.index = place
	}
	t.byIndex[k.index], t.last = it, it
	if it.id != "" {
		t.byID[it.id] = it
	}
	t.count++
	t.next = max(t.next, place+1)
	return it
}
