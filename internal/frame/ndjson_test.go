package frame_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/internal/frame"
)

func TestNDJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		want     []event
	}{
		{"nothing", "", nil},
		{"lines", "{\"a\":1}\n{\"b\":2}\n", []event{{Data: `{"a":1}`}, {Data: `{"b":2}`}}},
		{"carriage returns", "{}\r\n[]\r\n", []event{{Data: `{}`}, {Data: `[]`}}},
		{"blank lines and white space", "\n\r\n  {} \n\n", []event{{Data: `{}`}}},
		{"no line end at the end", "1\n2", []event{{Data: `1`}, {Data: `2`}}},
		{"byte order mark", "\ufeff{}\n", []event{{Data: `{}`}}},
		{"carriage return inside", "[1,\r2]\n", []event{{Data: "[1,\r2]"}}},
		{"large line", `"` + big + "\"\n1\n", []event{{Data: `"` + big + `"`}, {Data: "1"}}},
		{"characters", "\"早安 🐙\"\n", []event{{Data: `"早安 🐙"`}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range readers(tc.in) {
				if got, err := collect(t, frame.NewNDJSON(r, 0)); !slices.Equal(got, tc.want) || !errors.Is(err, io.EOF) {
					t.Errorf("%s: got %.200q, %v; want %.200q", name, got, err, tc.want)
				}
			}
		})
	}
}

func TestNDJSONErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	in := io.MultiReader(strings.NewReader("1\n2"), iotest.ErrReader(broken))
	if got, err := collect(t, frame.NewNDJSON(in, 0)); !slices.Equal(got, []event{{Data: "1"}}) || !errors.Is(err, broken) {
		t.Errorf("broken: got %q, %v", got, err)
	}
	for name, r := range readers("1234567890\n12345678901\n1\n") {
		if got, err := collect(t, frame.NewNDJSON(r, 10)); len(got) != 1 || !errors.Is(err, frame.ErrFrameTooLong) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// A recorded stream: its frames are its lines.
func TestNDJSONFile(t *testing.T) {
	t.Parallel()
	in, err := os.ReadFile("testdata/ollama-chat.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var want []event
	for line := range strings.Lines(string(in)) {
		want = append(want, event{Data: strings.TrimSuffix(line, "\n")})
	}
	for name, r := range readers(string(in)) {
		if got, err := collect(t, frame.NewNDJSON(r, 0)); len(got) < 2 || !slices.Equal(got, want) || !errors.Is(err, io.EOF) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}
