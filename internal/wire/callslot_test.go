package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/wire"
)

// at is a fragment with an index, bare one without.
func at(index int, id, name, args string) (wire.CallKey, string) {
	k, args := bare(id, name, args)
	k.Index, k.HasIndex = index, true
	return k, args
}

func bare(id, name, args string) (wire.CallKey, string) {
	return wire.CallKey{ID: []byte(id), Name: []byte(name), Empty: args == ""}, args
}

// feeder gives fragments to an assembly as a codec does.
type feeder struct{ a *wire.Assembly }

func (f feeder) add(k wire.CallKey, args string) {
	f.a.Args(f.a.CallSlot(k), []byte(args))
}

// calls lists the calls as id=name(arguments); ids of ours as "new".
func (f feeder) calls() string {
	calls := f.a.Reply().ToolCalls()
	out := make([]string, 0, len(calls))
	for _, c := range calls {
		if len(c.ID) == len(wire.MakeCallID()) {
			c.ID = "new"
		}
		out = append(out, fmt.Sprintf("%s=%s(%s)", c.ID, c.Name, c.Arguments))
	}
	return strings.Join(out, " ")
}

func TestCallSlot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		feed func(f feeder)
		want string
	}{
		{"index alone goes on", func(f feeder) {
			f.add(at(0, "a", "f", ""))
			f.add(at(1, "b", "g", ""))
			f.add(at(0, "", "", "{}"))
			f.add(at(1, "", "", "[]"))
		}, "a=f({}) b=g([])"},
		{"another id with a name opens, without one it doesn't", func(f feeder) {
			f.add(at(0, "a", "f", "{"))
			f.add(at(0, "random", "", "}"))
			f.add(at(0, "b", "f", "{}"))
		}, "a=f({}) b=f({})"},
		{"a new index under the last id, without a name, goes on", func(f feeder) {
			f.add(at(0, "a", "f", "{"))
			f.add(at(1, "a", "", "}"))
		}, "a=f({})"},
		{"no index: a known id goes on, in any order", func(f feeder) {
			f.add(bare("a", "f", "{"))
			f.add(bare("b", "g", "{"))
			f.add(bare("a", "", "}"))
			f.add(bare("b", "", "}"))
		}, "a=f({}) b=g({})"},
		{"no index: an id that comes late", func(f feeder) {
			f.add(bare("", "f", "{"))
			f.add(bare("a", "", "}"))
			f.add(bare("a", "", " "))
			f.add(bare("b", "g", "{}"))
		}, "new=f({}) b=g({})"},
		{"no index: an id that comes before the name", func(f feeder) {
			f.add(bare("a", "", ""))
			f.add(bare("", "f", "{}"))
		}, "a=f({})"},
		{"name repeated while the arguments go on", func(f feeder) {
			f.add(bare("", "f", `{"a":"}`))
			f.add(bare("", "f", `\"]"`))
			f.add(bare("", "f", `}`))
			f.add(bare("", "f", ``))
			f.add(bare("", "f", `{}`))
		}, `new=f({"a":"}\"]"}) new=f({})`},
		{"another name opens although the arguments are not whole", func(f feeder) {
			f.add(bare("", "f", `{"a"`))
			f.add(bare("", "g", `{}`))
		}, `new=f({"a") new=g({})`},
		{"siblings without ids", func(f feeder) {
			k, args := bare("", "f", "")
			f.add(k, args)
			k.Sibling = true
			f.add(k, args)
		}, "new=f({}) new=f({})"},
		{"a call with an id isn't opened again by its name", func(f feeder) {
			f.add(at(0, "a", "f", "{}"))
			f.add(at(0, "", "f", "\n"))
		}, "a=f({})"},
		{"negative and huge indexes", func(f feeder) {
			f.add(at(-1, "a", "f", "{}"))
			f.add(at(1<<40, "b", "g", "{}"))
			f.add(at(-1, "", "", " "))
		}, "a=f({}) b=g({})"},
		{"nothing but arguments", func(f feeder) { f.add(bare("", "", "{}")) }, "new=({})"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := feeder{wire.NewAssembly(wire.Limits{})}
			tt.feed(f)
			if got := f.calls(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestCallSlotOrder: calls come in the order in which they appeared, each in
// the slot after the one before.
func TestCallSlotOrder(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	for i, index := range []int{7, 3, 5} {
		k, _ := at(index, "", "f", "")
		if slot := a.CallSlot(k); slot != wire.FirstCallSlot+i {
			t.Errorf("index %d in slot %d", index, slot)
		}
	}
}

// TestCallSlotBounded: a server that opens calls without end is stopped by the
// assembly, and nothing is remembered after that.
func TestCallSlotBounded(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	for i := range 20_000 {
		k, _ := at(i, fmt.Sprint("id", i), "f", "")
		a.CallSlot(k)
	}
	if a.Err() == nil || len(a.Reply().ToolCalls()) > 10_000 {
		t.Errorf("%v, %d calls", a.Err(), len(a.Reply().ToolCalls()))
	}
}

// TestCallSlotCost: a fragment of a known call takes no memory, even where id
// and name are repeated each time.
//
//nolint:paralleltest // allocations are counted for the whole process
func TestCallSlotCost(t *testing.T) {
	a := wire.NewAssembly(wire.Limits{})
	k, _ := at(0, "a", "f", "{")
	a.CallSlot(k)
	named, _ := bare("a", "f", "1")
	if n := testing.AllocsPerRun(100, func() {
		a.CallSlot(k)
		a.CallSlot(named)
	}); n > 0 {
		t.Errorf("%v allocations per fragment", n)
	}
}

// TestResign rewrites a token, and only where there is one.
func TestResign(t *testing.T) {
	t.Parallel()
	a := wire.NewAssembly(wire.Limits{})
	twice := func(s string) string { return s + s }
	a.Resign(0, twice)
	a.Think(0, []byte("hm"))
	a.Resign(0, twice)
	a.Sign(0, "k", []byte("x"))
	a.Sign(0, "bare", nil)
	a.Resign(0, twice)
	a.Sign(0, "k", []byte("y"))
	if got := fmt.Sprintf("%+v", a.Reply().Parts[0]); !strings.Contains(got, "Kind:k Data:xxy") {
		t.Errorf("got %s", got)
	}
}
