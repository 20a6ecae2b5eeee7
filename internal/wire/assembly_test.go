package wire_test

import (
	"testing"

	"github.com/sabir-go/sabir/internal/wire"
)

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
