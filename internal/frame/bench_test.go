package frame_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/internal/frame"
)

var twentyThousand = strings.Repeat("data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""+strings.Repeat("x", 250)+"\"}}]}\n\n", 20_000)

func drain(tb testing.TB, r frame.Reader) (n int) {
	tb.Helper()
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			tb.Fatal(err)
		}
		n++
	}
}

// The number of allocations does not depend on the number of events.
func TestAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts for the whole process
	lines := strings.ReplaceAll(twentyThousand, "\n\n", "\n")
	for name, open := range map[string]func() (frame.Reader, func()){
		"sse": func() (frame.Reader, func()) {
			s := frame.NewSSE(strings.NewReader(twentyThousand), 0)
			return s, s.Release
		},
		"ndjson": func() (frame.Reader, func()) {
			s := frame.NewNDJSON(strings.NewReader(lines), 0)
			return s, s.Release
		},
	} {
		n := testing.AllocsPerRun(5, func() {
			r, release := open()
			defer release()
			if got := drain(t, r); got != 20_000 {
				t.Errorf("%s: %d frames", name, got)
			}
		})
		if n > 8 {
			t.Errorf("%s: %v allocations for 20,000 frames", name, n)
		}
	}
}

// counter counts what is asked of it, to see that the buffer is not read into
// in ever smaller steps.
type counter struct {
	r     io.Reader
	calls int
}

func (c *counter) Read(b []byte) (int, error) {
	c.calls++
	return c.r.Read(b[:min(len(b), 1024)])
}

func TestLargeLineIsReadInFullSteps(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 8<<20)
	c := &counter{r: strings.NewReader("data: " + line + "\n\n")}
	if n := drain(t, frame.NewSSE(c, 0)); n != 1 {
		t.Fatalf("%d frames", n)
	}
	if limit := len(line)/1024 + 100; c.calls > limit {
		t.Errorf("%d reads, want at most %d", c.calls, limit)
	}
}

func BenchmarkSSE(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(twentyThousand)))
	for b.Loop() {
		s := frame.NewSSE(strings.NewReader(twentyThousand), 0)
		drain(b, s)
		s.Release()
	}
}

// One line in reads of 1 KB: four times the size takes about four times as
// long, and likewise for events ended by carriage returns only.
func BenchmarkLargeLine(b *testing.B) {
	for _, mb := range []int{2, 8, 32} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			in := "data: " + strings.Repeat("x", mb<<20) + "\n\n"
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s := frame.NewSSE(&counter{r: strings.NewReader(in)}, 0)
				drain(b, s)
				s.Release()
			}
		})
	}
}

func BenchmarkCarriageReturns(b *testing.B) {
	for _, mb := range []int{2, 8} {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			in := strings.Repeat("data: x\r", mb<<17) + "\r"
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s := frame.NewSSE(strings.NewReader(in), 0)
				drain(b, s)
				s.Release()
			}
		})
	}
}
