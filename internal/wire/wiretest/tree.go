package wiretest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Tree is JSON text as Go values; numbers keep their digits.
func Tree(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// At follows names and numbers into a tree.
func At(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				t.Fatalf("no element %d in %v", step, v)
			}
			v = list[step]
		}
	}
	return v
}

// WantAt compares what stands at a place of a body with JSON text; "" means
// that nothing stands there.
func WantAt(t *testing.T, body, want string, path ...any) {
	t.Helper()
	got := At(t, Tree(t, body), path...)
	if want == "" {
		if got != nil {
			t.Errorf("at %v: %v, want nothing", path, got)
		}
		return
	}
	if !reflect.DeepEqual(got, Tree(t, want)) {
		b, _ := json.Marshal(got)
		t.Errorf("at %v:\n got %s\nwant %s", path, b, want)
	}
}

// SameJSON compares two JSON texts, whatever their spaces and the order of
// their members.
func SameJSON(t *testing.T, got, want []byte) {
	t.Helper()
	if !reflect.DeepEqual(Tree(t, string(got)), Tree(t, string(want))) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
