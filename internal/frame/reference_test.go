package frame_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sabir-go/sabir/internal/frame"
)

// event is a frame with bytes of its own.
type event struct{ Event, Data, ID string }

// collect reads all frames of r and the error after them, which must stay.
func collect(tb testing.TB, r frame.Reader) ([]event, error) {
	tb.Helper()
	var events []event
	for {
		f, err := r.Next()
		if err == nil {
			events = append(events, event{string(f.Event), string(f.Data), string(f.ID)})
			continue
		}
		if again, err2 := r.Next(); !errors.Is(err2, err) || again.Data != nil {
			tb.Errorf("after %v came %q, %v", err, again.Data, err2)
		}
		return events, err
	}
}

// reference reads events in the plainest way there is: the whole input is
// split into lines, and lines into events.
func reference(input string) []event {
	input = strings.TrimPrefix(input, "\ufeff")
	input = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(input)
	var events []event
	var data []string
	var name, id string
	for line := range strings.SplitSeq(input+"\n\n", "\n") {
		if line == "" {
			if joined := strings.Join(data, "\n"); joined != "" {
				events = append(events, event{name, joined, id})
			}
			data, name = nil, ""
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			name = value
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		}
	}
	return events
}

// pieces hands out an input in pieces of the given sizes, over and over.
type pieces struct {
	rest  string
	sizes []int
	turn  int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		return 0, io.EOF
	}
	size := p.sizes[p.turn%len(p.sizes)]
	p.turn++
	n := copy(b, p.rest[:min(size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// readers gives the input whole, byte by byte, with the error beside the last
// bytes, and in random pieces, empty ones too.
func readers(input string) map[string]io.Reader {
	rnd := rand.New(rand.NewPCG(1, uint64(len(input))))
	m := map[string]io.Reader{
		"whole":        strings.NewReader(input),
		"byte by byte": iotest.OneByteReader(strings.NewReader(input)),
		"halves":       iotest.HalfReader(strings.NewReader(input)),
		"data and EOF": iotest.DataErrReader(strings.NewReader(input)),
	}
	for _, name := range []string{"pieces 1", "pieces 2", "pieces 3"} {
		sizes := make([]int, 20)
		for i := range sizes {
			sizes[i] = rnd.IntN(12)
		}
		sizes[0]++
		m[name] = &pieces{rest: input, sizes: sizes}
	}
	return m
}
