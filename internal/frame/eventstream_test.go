package frame_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/internal/frame"
)

// message is a frame of an event stream with bytes of its own.
type message struct {
	Event, Data string
	Exception   bool
}

func messages(tb testing.TB, r io.Reader, limit int) ([]message, error) {
	tb.Helper()
	e := frame.NewEventStream(r, limit)
	defer e.Release()
	var out []message
	for {
		f, err := e.Next()
		if err == nil {
			out = append(out, message{string(f.Event), string(f.Data), f.Exception})
			continue
		}
		if again, err2 := e.Next(); !errors.Is(err2, err) || again.Data != nil {
			tb.Errorf("after %v came %q, %v", err, again.Data, err2)
		}
		return out, err
	}
}

// text is a header whose value is a string.
func text(name, value string) string { return header(name, 7, sized(value)) }

func header(name string, typ byte, value string) string {
	return string([]byte{byte(len(name))}) + name + string([]byte{typ}) + value
}

func sized(s string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + s
}

// encode is a message on the wire.
func encode(headers, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

func encodeEvent(name, payload string) string {
	return encode(text(":event-type", name)+text(":message-type", "event"), payload)
}

var allHeaders = header("t", 0, "") + header("f", 1, "") + header("b", 2, "1") + header("s", 3, "12") +
	header("i", 4, "1234") + header("l", 5, "12345678") + header("raw", 6, sized("x:message-type")) +
	header("when", 8, "12345678") + header("id", 9, "1234567890123456")

func TestEventStream(t *testing.T) {
	t.Parallel()
	a, b := encodeEvent("a", "1"), encodeEvent("b", "22")
	tests := []struct {
		name, in string
		want     []message
		err      error
	}{
		{"nothing", "", nil, io.EOF},
		{"two events", a + b, []message{{Event: "a", Data: "1"}, {Event: "b", Data: "22"}}, io.EOF},
		{"without a payload", encodeEvent("a", "") + b, []message{{Event: "b", Data: "22"}}, io.EOF},
		{"without a name", encode(text(":message-type", "event"), "1"), []message{{Data: "1"}}, io.EOF},
		{"without headers", encode("", "1") + a, []message{{Event: "a", Data: "1"}}, io.EOF},
		{"of another type", encode(text(":message-type", "ping"), "1") + a, []message{{Event: "a", Data: "1"}}, io.EOF},
		{"all types of headers", encode(allHeaders+text(":event-type", "a")+text(":message-type", "event"), "1"), []message{{Event: "a", Data: "1"}}, io.EOF},
		{"a name that is no string", encode(header(":event-type", 6, sized("a"))+text(":message-type", "event"), "1"), []message{{Data: "1"}}, io.EOF},
		{
			"exception",
			encode(text(":exception-type", "throttlingException")+text(":message-type", "exception"), `{"message":"m"}`),
			[]message{{"throttlingException", `{"message":"m"}`, true}},
			io.EOF,
		},
		{"exception without words", encode(text(":message-type", "exception"), ""), []message{{Exception: true}}, io.EOF},
		{
			"error",
			encode(text(":message-type", "error")+text(":error-code", "InternalError")+text(":error-message", "it broke"), ""),
			[]message{{"InternalError", "it broke", true}},
			io.EOF,
		},
		{
			"error with a payload",
			encode(text(":message-type", "error")+text(":error-message", "it broke"), "{}"),
			[]message{{"", "{}", true}},
			io.EOF,
		},
		{"large payload", encodeEvent("a", big) + b, []message{{Event: "a", Data: big}, {Event: "b", Data: "22"}}, io.EOF},
		{"many", strings.Repeat(a, 3000), slices.Repeat([]message{{Event: "a", Data: "1"}}, 3000), io.EOF},

		{"cut in the prelude", a + b[:5], []message{{Event: "a", Data: "1"}}, io.ErrUnexpectedEOF},
		{"cut in the headers", a + b[:20], []message{{Event: "a", Data: "1"}}, io.ErrUnexpectedEOF},
		{"cut in the checksum", a + b[:len(b)-1], []message{{Event: "a", Data: "1"}}, io.ErrUnexpectedEOF},

		{"wrong checksum of the prelude", a + flip(b, 8), []message{{Event: "a", Data: "1"}}, frame.ErrCorrupt},
		{"wrong length", a + flip(b, 3), []message{{Event: "a", Data: "1"}}, frame.ErrCorrupt},
		{"wrong checksum", a + flip(b, len(b)-1) + a, []message{{Event: "a", Data: "1"}}, frame.ErrCorrupt},
		{"wrong payload", flip(a, len(a)-5), nil, frame.ErrCorrupt},
		{"wrong header", flip(a, 14), nil, frame.ErrCorrupt},
		{"HTML", "<html><title>502</title></html>", nil, frame.ErrCorrupt},
		{"length below the minimum", prelude(15, 0) + "1234", nil, frame.ErrCorrupt},
		{"headers longer than all", prelude(20, 5) + "12345678", nil, frame.ErrCorrupt},
		{"headers of four gigabytes", prelude(20, 1<<32-1) + "12345678", nil, frame.ErrCorrupt},
		{"header cut in its name", encode("\x09abc", "1"), nil, frame.ErrCorrupt},
		{"header without a name", encode("\x00\x07\x00\x01a", "1"), nil, frame.ErrCorrupt},
		{"header without a type", encode("\x01a", "1"), nil, frame.ErrCorrupt},
		{"header of an unknown type", encode("\x01a\x0a", "1"), nil, frame.ErrCorrupt},
		{"header without a length", encode("\x01a\x07\x00", "1"), nil, frame.ErrCorrupt},
		{"header cut in its value", encode("\x01a\x07\x00\x05abc", "1"), nil, frame.ErrCorrupt},
		{"header cut in a number", encode("\x01a\x05abc", "1"), nil, frame.ErrCorrupt},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range readers(tc.in) {
				if got, err := messages(t, r, 0); !slices.Equal(got, tc.want) || !errors.Is(err, tc.err) {
					t.Errorf("%s: got %.500v, %v; want %.500v, %v", name, got, err, tc.want, tc.err)
				}
			}
		})
	}
}

func flip(s string, at int) string {
	b := []byte(s)
	b[at] ^= 1
	return string(b)
}

func prelude(size, headers uint32) string {
	b := binary.BigEndian.AppendUint32(nil, size)
	b = binary.BigEndian.AppendUint32(b, headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// Any byte of a message that is changed is noticed.
func TestEventStreamNoticesEveryChange(t *testing.T) {
	t.Parallel()
	whole := encodeEvent("contentBlockDelta", `{"delta":{"text":"hi"}}`)
	for i := range whole {
		got, err := messages(t, strings.NewReader(flip(whole, i)), 0)
		if len(got) > 0 || !errors.Is(err, frame.ErrCorrupt) {
			t.Errorf("byte %d: got %v, %v", i, got, err)
		}
	}
}

func TestEventStreamLimit(t *testing.T) {
	t.Parallel()
	a := encodeEvent("a", strings.Repeat("1", 40))
	if got, err := messages(t, strings.NewReader(a+a), len(a)); len(got) != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("at the limit: got %v, %v", got, err)
	}
	if got, err := messages(t, strings.NewReader(a), len(a)-1); len(got) != 0 || !errors.Is(err, frame.ErrFrameTooLong) {
		t.Errorf("over it: got %v, %v", got, err)
	}
	// The length is believed before the bytes are there, but not waited for.
	r, w := io.Pipe()
	go func() { _, _ = w.Write([]byte(prelude(1<<31, 0))) }()
	if got, err := messages(t, r, 0); len(got) != 0 || !errors.Is(err, frame.ErrFrameTooLong) {
		t.Errorf("two gigabytes announced: got %v, %v", got, err)
	}
}

func TestEventStreamDoesNotWait(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	e := frame.NewEventStream(r, 0)
	for _, data := range []string{"1", "2"} {
		go func() { _, _ = w.Write([]byte(encodeEvent("a", data))) }()
		if f, err := e.Next(); err != nil || string(f.Data) != data {
			t.Errorf("got %q, %v; want %q", f.Data, err, data)
		}
	}
	_ = w.Close()
	if _, err := e.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
}

func TestEventStreamReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	a := encodeEvent("a", "1")
	for _, tail := range []string{"", a[:3], a[:30]} {
		in := io.MultiReader(strings.NewReader(a+tail), iotest.ErrReader(broken))
		got, err := messages(t, in, 0)
		if !slices.Equal(got, []message{{Event: "a", Data: "1"}}) || !errors.Is(err, broken) {
			t.Errorf("%q: got %v, %v", tail, got, err)
		}
	}
}

// Composed streams of Bedrock read as the lines of JSON beside them say.
func TestEventStreamFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.eventstream")
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
			lines, end := strings.TrimSuffix(path, ".eventstream"), io.EOF
			if strings.HasSuffix(lines, "-mid-frame") {
				end = io.ErrUnexpectedEOF
			}
			want := decoded(t, lines+".ndjson")
			for name, r := range readers(string(in)) {
				got, err := messages(t, r, 0)
				if !slices.Equal(got, want) || !errors.Is(err, end) {
					t.Errorf("%s: got %v, %v; want %v", name, got, err, want)
				}
			}
		})
	}
}

func decoded(t *testing.T, path string) []message {
	t.Helper()
	in, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []message
	for s := bufio.NewScanner(bytes.NewReader(in)); s.Scan(); {
		var line struct {
			Event     string          `json:"event"`
			Exception string          `json:"exception"`
			Payload   json.RawMessage `json:"payload"`
		}
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		out = append(out, message{line.Event + line.Exception, string(line.Payload), line.Exception != ""})
	}
	return out
}

func TestEventStreamAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	in := strings.Repeat(encodeEvent("contentBlockDelta", strings.Repeat("x", 200)), 20_000)
	n := testing.AllocsPerRun(5, func() {
		e := frame.NewEventStream(strings.NewReader(in), 0)
		defer e.Release()
		if got := drain(t, e); got != 20_000 {
			t.Errorf("%d frames", got)
		}
	})
	if n > 8 {
		t.Errorf("%v allocations for 20,000 frames", n)
	}
}

func BenchmarkEventStream(b *testing.B) {
	in := strings.Repeat(encodeEvent("contentBlockDelta", strings.Repeat("x", 200)), 20_000)
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		e := frame.NewEventStream(strings.NewReader(in), 0)
		drain(b, e)
		e.Release()
	}
}

// FuzzEventStream reads arbitrary bytes whole and in pieces: the same comes
// out, and never a byte more than went in.
func FuzzEventStream(f *testing.F) {
	f.Add([]byte(encodeEvent("a", "1")+encodeEvent("b", "")), "", "")
	f.Add([]byte(encode(text(":message-type", "error")+text(":error-code", "x"), "")), allHeaders, "p")
	f.Fuzz(func(t *testing.T, in []byte, headers, payload string) {
		for _, in := range []string{string(in), encode(headers, payload), encodeEvent("a", payload) + string(in)} {
			want, end := messages(t, strings.NewReader(in), 0)
			size := 0
			for _, m := range want {
				size += len(m.Event) + len(m.Data)
			}
			if size > len(in) {
				t.Fatalf("%d bytes of %d", size, len(in))
			}
			if got, err := messages(t, &pieces{rest: in, sizes: []int{1, 0, 7, 3}}, 0); !slices.Equal(got, want) || !errors.Is(err, end) {
				t.Fatalf("in pieces: %v, %v; whole: %v, %v", got, err, want, end)
			}
		}
	})
}
