package gemini_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire/gemini"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// frames reads the data of all frames.
func frames(t *testing.T, r frame.Reader) []string {
	t.Helper()
	var out []string
	for {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(f.Data))
	}
}

func TestBareJSONIsAFrame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"events only", "data: {\"a\":1}\r\n\r\ndata: [\r\ndata: 1]\r\n\r\n", []string{`{"a":1}`, "[\n1]"}},
		{"a line", "data: 1\n\n{\"error\":{}}\n\n", []string{"1", `{"error":{}}`}},
		{"a line without an end", "data: 1\n\n{\"error\":{}}", []string{"1", `{"error":{}}`}},
		{"spread over lines", "data: 1\r\n\r\n{\r\n  \"error\": {\r\n    \"code\": 500\r\n  }\r\n}\r\n", []string{"1", "{\n  \"error\": {\n    \"code\": 500\n  }\n}"}},
		{"a list", "[{\n\"error\":{}\n}\n]\n", []string{"[{\n\"error\":{}\n}\n]"}},
		{"nothing but a line", `{"error":{}}`, []string{`{"error":{}}`}},
		{"an event behind it", "{\"a\":1}\n\ndata: 2\n\n", []string{`{"a":1}`, "2"}},
		{"a comment behind it", "{\"a\":1}\n\n: ping\n\ndata: 2\n\n", []string{`{"a":1}`, "2"}},
		{"braces inside an event", "data: x\ndata: {\nevent: {\n\n", []string{"x\n{"}},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for how, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.body), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.body)),
				"in halves": iotest.HalfReader(strings.NewReader(tt.body)), "with its EOF": iotest.DataErrReader(strings.NewReader(tt.body)),
			} {
				s := gemini.NewFrames(r, 0)
				if got := frames(t, s); strings.Join(got, "|") != strings.Join(tt.want, "|") || len(got) != len(tt.want) {
					t.Errorf("%s: got %q, want %q", how, got, tt.want)
				}
				s.Release()
			}
		})
	}
}

// TestErrorAsBareJSON: the error in the middle of a stream is found, and what
// came before it kept, on one line or on many.
func TestErrorAsBareJSON(t *testing.T) {
	t.Parallel()
	body := wiretest.Read(t, "fixtures", "error-mid-bare-json", "stream.sse")
	pretty := strings.Replace(body, `{"error": {`, "{\n  \"error\": {\n", 1)
	if pretty == body {
		t.Fatal("the fixture has changed")
	}
	for _, body := range []string{body, pretty} {
		s := gemini.NewFrames(strings.NewReader(body), 0)
		_, _, err := wiretest.Collect(codec, s)
		e, ok := errors.AsType[*chat.Error](err)
		if !ok || !errors.Is(e, chat.ErrServer) || !e.Retryable || e.Type != "INTERNAL" || e.Reply == nil || e.Reply.Text() != "Kittiwake can lie" {
			t.Errorf("got %v", err)
		}
		s.Release()
	}
}

// Lines that grow by their new field no longer fit where they were read to.
func TestMuchBareJSON(t *testing.T) {
	t.Parallel()
	const lines = 200_000
	s := gemini.NewFrames(strings.NewReader("data: 1\n\n"+strings.Repeat("[\n", lines)+"\ndata: 2\n\n"), 0)
	defer s.Release()
	got := frames(t, s)
	if len(got) != 3 || got[0] != "1" || got[2] != "2" || got[1] != strings.TrimSuffix(strings.Repeat("[\n", lines), "\n") {
		t.Errorf("%d frames", len(got))
	}
}

func TestFramesPassErrorsOn(t *testing.T) {
	t.Parallel()
	r := io.MultiReader(strings.NewReader("data: 1\n\n{\"a\""), iotest.ErrReader(io.ErrClosedPipe))
	s := gemini.NewFrames(r, 0)
	defer s.Release()
	if f, err := s.Next(); err != nil || string(f.Data) != "1" {
		t.Fatalf("got %q, %v", f.Data, err)
	}
	if _, err := s.Next(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// FuzzFrames: a stream without bare JSON reads as plain server-sent events
// do, and no stream depends on how it is cut into reads.
func FuzzFrames(f *testing.F) {
	for _, b := range wiretest.Seeds(f, "testdata", "stream.") {
		f.Add(b)
	}
	f.Add([]byte("{\n\"a\": 1}\n\ndata: 2\n\n[\n1\n]"))
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := frames(t, gemini.NewFrames(bytes.NewReader(body), 0))
		bits := frames(t, gemini.NewFrames(iotest.OneByteReader(bytes.NewReader(body)), 0))
		if strings.Join(whole, "|") != strings.Join(bits, "|") {
			t.Errorf("whole %q, byte by byte %q", whole, bits)
		}
		if bytes.ContainsAny(body, "{[") {
			return
		}
		if plain := frames(t, frame.NewSSE(bytes.NewReader(body), 0)); strings.Join(whole, "|") != strings.Join(plain, "|") {
			t.Errorf("got %q, plain %q", whole, plain)
		}
	})
}
