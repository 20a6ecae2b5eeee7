package rawjson_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// closed is what is there of an object, with its unfinished string.
func closed(g *rawjson.Growing) string { return string(g.Close(nil, g.Depth(), true)) }

func TestGrowing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", ``, ``},
		{"prose", `Sure, here it is: `, ``},
		{"open", `{`, `{}`},
		{"in a key", `{"na`, `{}`},
		{"after a key", `{"name"`, `{}`},
		{"after a colon", `{"name": `, `{}`},
		{"an empty string", `{"name":"`, `{"name":""}`},
		{"in a string", `{"name":"Grav`, `{"name":"Grav"}`},
		{"after a string", `{"name":"Grav"`, `{"name":"Grav"}`},
		{"after a comma", `{"name":"Grav" , `, `{"name":"Grav"}`},
		{"in the second key", `{"name":"Grav" , "ye`, `{"name":"Grav"}`},
		{"in a number", `{"a":1,"year":118`, `{"a":1}`},
		{"after a number", `{"year":1180 `, `{"year":1180}`},
		{"after a number's comma", `{"year":-1.5e3,`, `{"year":-1.5e3}`},
		{"in a word", `{"a":null,"b":tru`, `{"a":null}`},
		{"after a word", `{"b":true`, `{"b":true}`},
		{"in an array", `{"a":[1,23`, `{"a":[1]}`},
		{"after an array's number", `{"a":[1,23]`, `{"a":[1,23]}`},
		{"objects in an array", `{"a":[{"b":"c"},{"b":"d`, `{"a":[{"b":"c"},{"b":"d"}]}`},
		{"empty containers", `{"a":[[],{"b":{`, `{"a":[[],{"b":{}}]}`},
		{"in an escape", `{"a":"b\`, `{"a":"b"}`},
		{"after an escape", `{"a":"b\n`, `{"a":"b\n"}`},
		{"in hex digits", `{"a":"b\u00e`, `{"a":"b"}`},
		{"half a pair", `{"a":"b\ud83d`, `{"a":"b"}`},
		{"half a pair and an escape", `{"a":"b\ud83d\`, `{"a":"b"}`},
		{"half a pair and digits", `{"a":"b\ud83d\ude0`, `{"a":"b"}`},
		{"a pair", `{"a":"b\ud83d\ude00`, `{"a":"b\ud83d\ude00"}`},
		{"what only looks like half a pair", `{"a":"b\\ud83d`, `{"a":"b\\ud83d"}`},
		{"half a pair in a key", `{"\ud83d":"`, `{"\ud83d":""}`},
		{"six bytes in", `{"":"a`, `{"":"a"}`},
		{"half a character", "{\"a\":\"b\xc3", `{"a":"b"}`},
		{"an escape in a key", `{"a\"b":"c","d\u00`, `{"a\"b":"c"}`},
		{"a string after an escaped key", `{"a\"b":"c`, `{"a\"b":"c"}`},
		{"whole", `{"a":1} and more {"b":2}`, `{"a":1}`},
		{"fenced", "Sure:\n```json\n{\"a\":\"b", `{"a":"b"}`},
		{"given up", `Use {braces} like {"a":"b`, `{"a":"b"}`},
		{"given up for good", `{"a":1 "b"}`, ``},
		{"the byte that breaks it begins the next", `{{"a":1,`, `{"a":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var whole, bytewise rawjson.Growing
			whole.Feed(tc.in)
			for i := range len(tc.in) {
				bytewise.Feed(tc.in[i : i+1])
			}
			if got := closed(&whole); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if got := closed(&bytewise); got != tc.want || bytewise.Starts() != whole.Starts() {
				t.Errorf("byte by byte: %q after %d starts, want %q after %d", got, bytewise.Starts(), tc.want, whole.Starts())
			}
		})
	}
}

// TestGrowingLevels: what is being read can be left out at each level.
func TestGrowingLevels(t *testing.T) {
	t.Parallel()
	var g rawjson.Growing
	g.Feed(`{"a":1,"b\u0063":[true,{"d":"e","f":"g`)
	for level, want := range []string{"bc", "", "f"} {
		if key, ok := g.Member(level); !ok || string(key) != want || (key == nil) != (level == 1) {
			t.Errorf("member of level %d: %q, %v", level, key, ok)
		}
	}
	for i, want := range []string{`{"a":1}`, `{"a":1,"b\u0063":[true]}`, `{"a":1,"b\u0063":[true,{"d":"e"}]}`} {
		if got := string(g.Close([]byte("x"), i+1, false)); got != "x"+want {
			t.Errorf("%d levels: %s, want %s", i+1, got, want)
		}
	}
	g.Feed(`",`)
	if key, ok := g.Member(2); ok {
		t.Errorf("between members: %q", key)
	}
	if ended(&g) || g.Depth() != 3 || g.Starts() != 1 {
		t.Errorf("ended %v, depth %d, starts %d", ended(&g), g.Depth(), g.Starts())
	}
	g.Feed(`"h":0}]} {`)
	if want := `{"a":1,"b\u0063":[true,{"d":"e","f":"g","h":0}]}`; !ended(&g) || closed(&g) != want || g.Len() != len(want) {
		t.Errorf("at last %q", closed(&g))
	}
}

// ended reports whether the last bracket was read.
func ended(g *rawjson.Growing) bool { return g.Starts() > 0 && g.Depth() == 0 }

// begins reports whether a value can grow into another one.
func begins(part, whole any) bool {
	switch part := part.(type) {
	case string:
		s, ok := whole.(string)
		return ok && strings.HasPrefix(s, part)
	case []any:
		list, ok := whole.([]any)
		if !ok || len(part) > len(list) {
			return false
		}
		for i := range part {
			if last := i == len(part)-1; !last && !reflect.DeepEqual(part[i], list[i]) || !begins(part[i], list[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		m, ok := whole.(map[string]any)
		for name, v := range part {
			if w, there := m[name]; !ok || !there || !begins(v, w) {
				return false
			}
		}
		return ok
	}
	return reflect.DeepEqual(part, whole)
}

// FuzzGrowing: wherever an object is cut, what is there is JSON and grows into
// the object.
func FuzzGrowing(f *testing.F) {
	for _, doc := range documents {
		f.Add(doc, uint(3))
		f.Add(`{"a":`+doc+`,"b":["\ud83d\ude00é🐙"]}`, uint(7))
	}
	f.Fuzz(func(t *testing.T, doc string, step uint) {
		if len(doc) > 1<<12 || !utf8.ValidString(doc) {
			return
		}
		var g rawjson.Growing
		var parts [][]byte
		size := int(step%16) + 1
		for rest := doc; rest != ""; rest = rest[min(size, len(rest)):] {
			starts := g.Starts()
			g.Feed(rest[:min(size, len(rest))])
			if g.Starts() != starts {
				parts = parts[:0]
			}
			for levels := min(1, g.Depth()); levels <= g.Depth() && g.Len() > 0; levels++ {
				parts = append(parts, g.Close(nil, levels, true))
			}
		}
		for _, p := range parts {
			if !json.Valid(p) {
				t.Fatalf("%q: %q is not JSON", doc, p)
			}
		}
		var whole any
		if !ended(&g) || json.Unmarshal(g.Close(nil, 0, true), &whole) != nil || repeats(g.Close(nil, 0, true)) {
			return
		}
		for _, p := range parts {
			var part any
			if err := json.Unmarshal(p, &part); err != nil || !begins(part, whole) {
				t.Fatalf("%q: %q does not grow into it (%v)", doc, p, err)
			}
		}
	})
}

// repeats reports whether a key may occur twice, so that a member can change.
func repeats(doc []byte) bool {
	var s rawjson.Scanner
	s.Reset(doc)
	return repeated(&s)
}

func repeated(s *rawjson.Scanner) bool {
	if s.Kind() == rawjson.Array {
		for range s.Elems() {
			if repeated(s) {
				return true
			}
		}
		return false
	}
	seen := map[string]bool{}
	for key := range s.Members() {
		if seen[string(key)] {
			return true
		}
		seen[string(key)] = true
		if repeated(s) {
			return true
		}
	}
	return false
}

// BenchmarkGrowing: the cost per byte is the same for long documents.
func BenchmarkGrowing(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		doc := `{"a":["` + strings.Repeat(`It was built in 1180.","`, size/24) + `"]}`
		b.Run(strconv.Itoa(size>>10)+"KB", func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				var g rawjson.Growing
				for rest := doc; rest != ""; rest = rest[min(8, len(rest)):] {
					g.Feed(rest[:min(8, len(rest))])
				}
				if !ended(&g) {
					b.Fatal("not whole")
				}
			}
		})
	}
}
