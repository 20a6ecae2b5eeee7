package openairesponses // the table is the codec's own

import (
	"errors"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

func indexed(index int, id string) itemKey {
	return itemKey{index: index, hasIndex: true, id: []byte(id)}
}

func named(id string) itemKey { return itemKey{id: []byte(id)} }

func TestFindItem(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	items := itemsOf(a)
	if items.findItem(itemKey{}) != nil || items.findItem(indexed(0, "x")) != nil {
		t.Error("found an item in an empty reply")
	}
	one, two := items.openItem(a, indexed(0, "one"), 1), items.openItem(a, indexed(1, "two"), 2)
	bare := items.openItem(a, named("three"), 3)
	for name, tt := range map[string]struct {
		key  itemKey
		want *openedItem
	}{
		"id":                           {named("one"), one},
		"id before index":              {indexed(0, "two"), two},
		"index where the id is new":    {indexed(1, "rotated"), two},
		"index alone":                  {indexed(0, ""), one},
		"place of an item without one": {indexed(2, "rotated"), bare},
		"nothing: the last":            {itemKey{}, bare},
		"id that is new":               {named("four"), nil},
		"index that is new":            {indexed(7, ""), nil},
	} {
		if got := items.findItem(tt.key); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
	if one.kind != 1 || !one.isNamed([]byte("one")) || !one.isNamed(nil) || one.isNamed([]byte("two")) {
		t.Errorf("got %+v", one)
	}
}

// TestItemPlaces: items stand in the order of their indexes, whatever order
// they come in, and never in each other's slots.
func TestItemPlaces(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	items := itemsOf(a)
	slots := map[int]bool{}
	open := func(k itemKey) int {
		slot := items.openItem(a, k, 0).slot
		if slot < wire.FirstCallSlot || slots[slot] {
			t.Errorf("%+v in slot %d", k, slot)
		}
		slots[slot] = true
		return slot
	}
	second, first := open(indexed(1, "b")), open(indexed(0, "a"))
	again, behind := open(indexed(0, "c")), open(itemKey{})
	negative, huge := open(indexed(-1, "d")), open(indexed(1<<40, "e"))
	order := []int{first, second, again, behind, negative, huge}
	for i := 1; i < len(order); i++ {
		if order[i]-order[i-1] < itemSlots {
			t.Errorf("places %v", order)
		}
	}
}

// TestItemsBounded: a server that opens items without end is stopped.
func TestItemsBounded(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	items := itemsOf(a)
	for i := range 20_000 {
		if items.openItem(a, indexed(i, ""), 1) == nil {
			t.Fatal("no item")
		}
	}
	if !errors.Is(a.Err(), chat.ErrBadReply) || items.findItem(indexed(15_000, "")) != nil {
		t.Errorf("%v", a.Err())
	}
}
