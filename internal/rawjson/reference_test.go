package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// checkSearch compares the search with one that is simple and quadratic: try
// every opening bracket outside of what was tried before, and in the strings
// of that too.
func checkSearch(t *testing.T, text string) {
	t.Helper()
	if len(text) > 1000 {
		return
	}
	got, want := rawjson.Search(text), simpleSearch([]byte(text))
	if !bytes.Equal(got, want) {
		t.Fatalf("%q: searching finds %q, want %q", text, got, want)
	}
}

type attempt struct {
	start, end int // end of the value, or of what could be one
	whole, cut bool
	structural []int // the brackets taken for containers
}

func simpleSearch(text []byte) []byte {
	var whole []attempt
	taken := map[int]bool{}
	for i, c := range text {
		if c != '{' && c != '[' || taken[i] {
			continue
		}
		a := try(text, i)
		for _, at := range a.structural {
			taken[at] = true
		}
		if a.cut {
			// What the end of the text cut off takes all that follows with it.
			return best(text, whole)
		}
		if a.whole {
			whole = append(whole, a)
		}
	}
	return best(text, whole)
}

// best picks the first value that holds an object, else the first, of those
// that lie inside no other.
func best(text []byte, whole []attempt) []byte {
	var first []byte
	end := 0
	for _, a := range whole {
		if a.end <= end {
			continue
		}
		end = a.end
		v := text[a.start:a.end]
		if hasObject(v) {
			return v
		}
		if first == nil {
			first = v
		}
	}
	return first
}

func hasObject(v []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(v))
	for {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		if tok == json.Delim('{') {
			return true
		}
	}
}

// try reads the value at start with the Scanner.
func try(text []byte, start int) attempt {
	var s rawjson.Scanner
	s.Reset(text[start:])
	raw := s.Raw()
	a := attempt{start: start, end: start + len(raw), whole: s.Err() == nil}
	a.cut = errors.Is(s.Err(), io.ErrUnexpectedEOF)
	reach := len(raw)
	if !a.whole {
		reach = rawjson.Offset(&s)
	}
	quoted := false
	for i := 0; i < reach; i++ {
		switch c := text[start+i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			a.structural = append(a.structural, start+i)
		}
	}
	return a
}
