package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// decode reads a document into the values that encoding/json would make.
func decode(s *rawjson.Scanner) any {
	switch s.Kind() {
	case rawjson.Object:
		m := map[string]any{}
		for key := range s.Members() {
			name := string(key)
			m[name] = decode(s)
		}
		return m
	case rawjson.Array:
		list := []any{}
		for range s.Elems() {
			list = append(list, decode(s))
		}
		return list
	case rawjson.String:
		return s.Text()
	case rawjson.Number:
		return json.Number(s.Text())
	case rawjson.Bool:
		return s.Bool()
	case rawjson.Null, rawjson.Invalid:
		s.Skip()
	}
	return nil
}

func FuzzScanner(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > 1000 {
			return // may be over the depth limit, which is lower than that of encoding/json
		}
		valid := json.Valid(data)
		if rawjson.Valid(data) != valid {
			t.Fatalf("%q: Valid is %v", data, !valid)
		}
		var s rawjson.Scanner
		s.Reset(data)
		got := decode(&s)
		if err := s.End(); (err == nil) != valid {
			t.Fatalf("%q: read to %v, valid is %v", data, err, valid)
		}
		if !valid {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if g, w := standard(t, got), standard(t, want); g != w {
			t.Fatalf("%q: got %s, want %s", data, g, w)
		}
		checkCompact(t, data)
	})
}

func checkCompact(t *testing.T, data []byte) {
	t.Helper()
	var want bytes.Buffer
	if err := json.Compact(&want, data); err != nil {
		t.Fatal(err)
	}
	if got := rawjson.AppendCompact(nil, data); !bytes.Equal(got, want.Bytes()) {
		t.Fatalf("%q: compacted to %s", data, got)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := rawjson.AppendString(nil, text)
		if other := rawjson.AppendStringBytes(nil, []byte(text)); !bytes.Equal(got, other) {
			t.Fatalf("%q: %s, as bytes %s", text, got, other)
		}
		want := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(standard(t, text))
		if string(got) != want && !strings.Contains(text, `\u202`) { // which the replacer takes for an escape
			t.Fatalf("%q: got %s, want %s", text, got, want)
		}
		var s rawjson.Scanner
		s.Reset(got)
		if back := s.Text(); utf8.ValidString(text) && back != text || s.End() != nil {
			t.Fatalf("%q: came back as %q, %v", text, back, s.End())
		}
	})
}

func FuzzLoose(f *testing.F) {
	for _, piece := range adversarial {
		f.Add(strings.Repeat(piece, 5) + `{"a":1}`)
		f.Add(piece + "\n```json\n" + piece + "\n```\n")
	}
	for _, doc := range documents {
		f.Add("so " + doc + " ok")
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := rawjson.Loose(text)
		if ok != (got != nil) || ok && !json.Valid(got) {
			t.Fatalf("%q: %s, %v", text, got, ok)
		}
		if !strings.Contains(text, string(got)) {
			t.Fatalf("%q: %s is not part of it", text, got)
		}
		if steps := rawjson.LooseSteps(text); steps > 6*len(text)+16 {
			t.Fatalf("%q: %d steps", text, steps)
		}
		if rawjson.SearchSteps(text) > 3*len(text) {
			t.Fatalf("%q: %d steps to search", text, rawjson.SearchSteps(text))
		}
		checkSearch(t, text)
	})
}
