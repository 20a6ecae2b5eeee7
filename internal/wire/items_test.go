package wire_test

import (
	"errors"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

func indexed(index int, id string) wire.ItemKey {
	return wire.ItemKey{Index: index, HasIndex: true, ID: []byte(id)}
}

func named(id string) wire.ItemKey { return wire.ItemKey{ID: []byte(id)} }

func TestFindItem(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	if a.FindItem(wire.ItemKey{}) != nil || a.FindItem(indexed(0, "x")) != nil {
		t.Error("found an item in an empty reply")
	}
	one, two := a.OpenItem(indexed(0, "one"), 1), a.OpenItem(indexed(1, "two"), 2)
	bare := a.OpenItem(named("three"), 3)
	for name, tt := range map[string]struct {
		key  wire.ItemKey
		want *wire.Item
	}{
		"id":                           {named("one"), one},
		"id before index":              {indexed(0, "two"), two},
		"index where the id is new":    {indexed(1, "rotated"), two},
		"index alone":                  {indexed(0, ""), one},
		"place of an item without one": {indexed(2, "rotated"), bare},
		"nothing: the last":            {wire.ItemKey{}, bare},
		"id that is new":               {named("four"), nil},
		"index that is new":            {indexed(7, ""), nil},
	} {
		if got := a.FindItem(tt.key); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
	if one.Kind != 1 || !one.Named([]byte("one")) || !one.Named(nil) || one.Named([]byte("two")) {
		t.Errorf("got %+v", one)
	}
}

// TestItemPlaces: items stand in the order of their indexes, whatever order
// they come in, and never in each other's slots.
func TestItemPlaces(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	slots := map[int]bool{}
	open := func(k wire.ItemKey) int {
		slot := a.OpenItem(k, 0).Slot
		if slot < wire.FirstCallSlot || slots[slot] {
			t.Errorf("%+v in slot %d", k, slot)
		}
		slots[slot] = true
		return slot
	}
	second, first := open(indexed(1, "b")), open(indexed(0, "a"))
	again, behind := open(indexed(0, "c")), open(wire.ItemKey{})
	negative, huge := open(indexed(-1, "d")), open(indexed(1<<40, "e"))
	order := []int{first, second, again, behind, negative, huge}
	for i := 1; i < len(order); i++ {
		if order[i]-order[i-1] < wire.ItemSlots {
			t.Errorf("places %v", order)
		}
	}
}

// TestItemsBounded: a server that opens items without end is stopped.
func TestItemsBounded(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	for i := range 20_000 {
		if a.OpenItem(indexed(i, ""), 1) == nil {
			t.Fatal("no item")
		}
	}
	if !errors.Is(a.Err(), chat.ErrBadReply) || a.FindItem(indexed(15_000, "")) != nil {
		t.Errorf("%v", a.Err())
	}
}

func TestRest(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	rest := func(slot int, whole string) string { return string(a.Rest(slot, []byte(whole))) }
	if a.Has(5) || rest(5, "all") != "all" {
		t.Error("an empty slot holds something")
	}
	a.Text(5, []byte("Kitti"))
	a.Args(6, []byte(`{"a":`))
	for _, tt := range []struct {
		slot        int
		whole, want string
	}{{5, "Kittiwake", "wake"}, {5, "Kitti", ""}, {5, "Ki", ""}, {5, "Catamaran", ""}, {5, "", ""}, {6, `{"a":1}`, "1}"}} {
		if got := rest(tt.slot, tt.whole); got != tt.want {
			t.Errorf("rest of %q is %q, want %q", tt.whole, got, tt.want)
		}
	}
	if !a.Has(5) || !a.Has(6) || a.Has(7) {
		t.Error("Has")
	}
}
