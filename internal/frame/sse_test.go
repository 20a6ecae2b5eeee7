package frame_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/internal/frame"
)

var big = strings.Repeat("x", 200_000)

var streams = []struct {
	name, in string
	want     []event
}{
	{"nothing", "", nil},
	{"one event", "data: a\n\n", []event{{Data: "a"}}},
	{"carriage returns and line feeds", "data: a\r\n\r\ndata: b\r\n\r\n", []event{{Data: "a"}, {Data: "b"}}},
	{"carriage returns", "data: a\r\rdata: b\rdata: c\r\r", []event{{Data: "a"}, {Data: "b\nc"}}},
	{"mixed line ends", "data: a\r\ndata: b\ndata: c\r\n\ndata: d\n\r\n\r\r", []event{{Data: "a\nb\nc"}, {Data: "d"}}},
	{"line feed and carriage return are two line ends", "data: a\n\rdata: b\n\r", []event{{Data: "a"}, {Data: "b"}}},
	{"byte order mark", "\ufeffdata: a\n\n", []event{{Data: "a"}}},
	{"byte order mark alone", "\ufeff", nil},
	{"byte order mark later", "data: a\n\n\ufeffdata: b\n\n", []event{{Data: "a"}}},
	{"two byte order marks", "\ufeff\ufeffdata: a\n\n", nil},
	{"half a byte order mark", "\xef\xbbdata: a\n\ndata: b\n\n", []event{{Data: "b"}}},
	{"no space", "data:a\n\n", []event{{Data: "a"}}},
	{"one space is taken off", "data:  a \n\n", []event{{Data: " a "}}},
	{"a tab is not", "data:\ta\n\n", []event{{Data: "\ta"}}},
	{"colons in the value", "data: a: b:\n\n", []event{{Data: "a: b:"}}},
	{"several data lines", "data: YHOO\ndata: +2\ndata: 10\n\n", []event{{Data: "YHOO\n+2\n10"}}},
	{"empty data lines", "data\n\ndata\ndata\n\ndata:\n\n", []event{{Data: "\n"}}},
	{"empty data lines around", "data:\ndata: a\ndata\n\n", []event{{Data: "\na\n"}}},
	{"long lines after short ones", "data: a\nevent: name\nid: 7\ndata: " + strings.Repeat("b", 300) + "\ndata: c\n\n", []event{{"name", "a\n" + strings.Repeat("b", 300) + "\nc", "7"}}},
	{"comments", ": hi\n:\n\n: ping\ndata: a\n:x\ndata: b\n\n:end\n", []event{{Data: "a\nb"}}},
	{"event name", "event: add\ndata: 1\n\ndata: 2\n\n", []event{{Event: "add", Data: "1"}, {Data: "2"}}},
	{"last event name counts", "event: a\nevent:b\ndata: 1\n\nevent: c\nevent\ndata: 2\n\n", []event{{Event: "b", Data: "1"}, {Data: "2"}}},
	{"event name after the data", "data: 1\nevent: ping\n\n", []event{{Event: "ping", Data: "1"}}},
	{"event without data", "event: a\n\ndata: 1\n\n", []event{{Data: "1"}}},
	{"event with empty data", "event: a\ndata:\n\ndata: 1\n\n", []event{{Data: "1"}}},
	{"ids stay", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []event{{Data: "a", ID: "1"}, {Data: "b", ID: "1"}, {Data: "c"}}},
	{"id of an event without data", "id: 1\n\ndata: a\n\n", []event{{Data: "a", ID: "1"}}},
	{"id with a null", "id: 1\x00\ndata: a\n\n", []event{{Data: "a"}}},
	{"unknown fields", "retry: 3000\nfoo: bar\nDATA: x\n data: y\ndata : z\ndata: a\nbar\n\n", []event{{Data: "a"}}},
	{"blank lines", "\n\n\r\n\rdata: a\n\n\n\n", []event{{Data: "a"}}},
	{"no blank line at the end", "data: a\n\ndata: b\n", []event{{Data: "a"}, {Data: "b"}}},
	{"no line end at the end", "data: a\n\nevent: x\ndata: b", []event{{Data: "a"}, {Event: "x", Data: "b"}}},
	{"carriage return at the end", "data: a\r", []event{{Data: "a"}}},
	{"field name at the end", "data: a\ndata", []event{{Data: "a\n"}}},
	{"characters", "data: naïve 🐙 早安\n\n", []event{{Data: "naïve 🐙 早安"}}},
	{"invalid characters", "data: \xff\xe4\xb8\n\n", []event{{Data: "\xff\xe4\xb8"}}},
	{"large line", "data: " + big + "\n\ndata: a\n\n", []event{{Data: big}, {Data: "a"}}},
	{"large event of small lines", strings.Repeat("data: 1234567\n", 2000) + "\n", []event{{Data: strings.Repeat("1234567\n", 1999) + "1234567"}}},
	{"many comments inside an event", "data: a\n" + strings.Repeat(": ping\n", 3000) + "data: b\n\n", []event{{Data: "a\nb"}}},
}

func TestSSE(t *testing.T) {
	t.Parallel()
	for _, tc := range streams {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if ref := reference(tc.in); !slices.Equal(ref, tc.want) {
				t.Fatalf("the reference reads %.500q", ref)
			}
			for name, r := range readers(tc.in) {
				got, err := collect(t, frame.NewSSE(r, 0))
				if !slices.Equal(got, tc.want) || !errors.Is(err, io.EOF) {
					t.Errorf("%s: got %.500q, %v; want %.500q", name, got, err, tc.want)
				}
			}
		})
	}
}

// Recorded and composed streams read as the reference reads them.
func TestSSEFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := reference(string(in))
			if len(want) == 0 {
				t.Fatal("the stream is empty")
			}
			for name, r := range readers(string(in)) {
				if got, err := collect(t, frame.NewSSE(r, 0)); !slices.Equal(got, want) || !errors.Is(err, io.EOF) {
					t.Errorf("%s: got %.500q, %v; want %.500q", name, got, err, want)
				}
			}
		})
	}
}

// An event is delivered as soon as its blank line is there, whatever the line
// ends: nothing waits for bytes that may be long in coming.
func TestSSEDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\n\r", "\r\r"} {
		r, w := io.Pipe()
		s := frame.NewSSE(r, 0)
		for _, data := range []string{"a", "b"} {
			go func() { _, _ = w.Write([]byte("data: " + data + end)) }()
			if f, err := s.Next(); err != nil || string(f.Data) != data {
				t.Errorf("%q: got %q, %v; want %q", end, f.Data, err, data)
			}
		}
		_ = w.Close()
		if _, err := s.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%q: ended with %v", end, err)
		}
	}
}

func TestSSEReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, tail := range []string{"", "data: b", "data: b\n", "data: b\r", "event: x\n"} {
		in := io.MultiReader(strings.NewReader("data: a\n\n"+tail), iotest.ErrReader(broken))
		got, err := collect(t, frame.NewSSE(in, 0))
		if !slices.Equal(got, []event{{Data: "a"}}) || !errors.Is(err, broken) {
			t.Errorf("%q: got %q, %v", tail, got, err)
		}
	}
	cut := io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if got, err := collect(t, frame.NewSSE(cut, 0)); len(got) != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: got %q, %v", got, err)
	}
}

func TestSSELimit(t *testing.T) {
	t.Parallel()
	const limit = 100
	for _, tc := range []struct {
		name, in string
		want     []event
		err      error
	}{
		{"at the limit", "data: " + big[:94] + "\n\n", []event{{Data: big[:94]}}, io.EOF},
		{"over it", "data: a\n\ndata: " + big[:95] + "\n\ndata: b\n\n", []event{{Data: "a"}}, frame.ErrFrameTooLong},
		{"over it without an end", "data: a\n\ndata: " + big, []event{{Data: "a"}}, frame.ErrFrameTooLong},
		{"in several lines", strings.Repeat("data: 123456789\n", 20) + "\ndata: b\n\n", nil, frame.ErrFrameTooLong},
		{"long comment", "data: a\n\n: " + big + "\n", []event{{Data: "a"}}, frame.ErrFrameTooLong},
		{"many comments", strings.Repeat(": ping\n", 1000) + "data: a\n\n", []event{{Data: "a"}}, io.EOF},
		{"many events", strings.Repeat("data: a\n\n", 3), []event{{Data: "a"}, {Data: "a"}, {Data: "a"}}, io.EOF},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range readers(tc.in) {
				if got, err := collect(t, frame.NewSSE(r, limit)); !slices.Equal(got, tc.want) || !errors.Is(err, tc.err) {
					t.Errorf("%s: got %q, %v", name, got, err)
				}
			}
		})
	}
}

// lazy returns nothing at all a number of times before each byte.
type lazy struct {
	rest  string
	empty int
	turn  int
}

func (l *lazy) Read(b []byte) (int, error) {
	if l.turn++; l.turn%(l.empty+1) != 0 {
		return 0, nil
	}
	if l.rest == "" {
		return 0, io.EOF
	}
	n := copy(b[:1], l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func TestSSEEmptyReads(t *testing.T) {
	t.Parallel()
	if got, err := collect(t, frame.NewSSE(&lazy{rest: "data: a\n\n", empty: 99}, 0)); len(got) != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("99 empty reads: got %q, %v", got, err)
	}
	if got, err := collect(t, frame.NewSSE(&lazy{rest: "data: a\n\n", empty: 100}, 0)); len(got) != 0 || !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("100 empty reads: got %q, %v", got, err)
	}
}

type liar int

func (l liar) Read([]byte) (int, error) { return int(l), nil }

func TestImpossibleReads(t *testing.T) {
	t.Parallel()
	for _, n := range []liar{-1, 1 << 30} {
		if _, err := frame.NewSSE(n, 0).Next(); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("a count of %d gives %v", n, err)
		}
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	type releaser interface {
		frame.Reader
		Release()
	}
	in := "data: a\n\ndata: " + big + "\n\ndata: b\n\n"
	for name, r := range map[string]releaser{
		"sse":    frame.NewSSE(strings.NewReader(in), 0),
		"ndjson": frame.NewNDJSON(strings.NewReader(in), 0),
	} {
		for range 2 {
			if _, err := r.Next(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for range 2 {
			r.Release()
			if f, err := r.Next(); !errors.Is(err, io.EOF) || f.Data != nil {
				t.Errorf("%s: after Release: %q, %v", name, f.Data, err)
			}
		}
	}
}

func FuzzSSE(f *testing.F) {
	for _, tc := range streams {
		if len(tc.in) < 1000 {
			f.Add([]byte(tc.in), uint64(len(tc.in)))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, split uint64) {
		want := reference(string(in))
		sizes := []int{int(split & 7), int(split >> 3 & 7), int(split >> 6 & 63), 1 + int(split>>12&1023)}
		for name, r := range map[string]io.Reader{
			"whole":  strings.NewReader(string(in)),
			"pieces": &pieces{rest: string(in), sizes: sizes},
		} {
			if got, err := collect(t, frame.NewSSE(r, 0)); !slices.Equal(got, want) || !errors.Is(err, io.EOF) {
				t.Fatalf("%s: got %q, %v; want %q", name, got, err, want)
			}
		}
	})
}
