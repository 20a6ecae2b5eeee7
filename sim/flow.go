package sim

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// flow is a body that is sent bit by bit, and cut off where a fault says so.
type flow struct {
	x     *exchange
	fault Fault
	sent  int // frames
	ended bool
}

func (x *exchange) openFlow(f Fault, contentType string) *flow {
	h := x.w.Header()
	x.persona.headers(h, x.id, http.StatusOK)
	h.Set("Content-Type", contentType)
	x.host.noteStatus(http.StatusOK)
	x.w.WriteHeader(http.StatusOK)
	return &flow{x: x, fault: f, ended: http.NewResponseController(x.w).Flush() != nil}
}

// frame sends one event, framed.
func (s *flow) frame(b []byte) {
	if s.open() {
		s.sent++
		s.write(b)
	}
}

// open waits for the delay and reports whether the stream goes on.
func (s *flow) open() bool {
	if s.ended {
		return false
	}
	if s.fault.CutAfter > 0 && s.sent >= s.fault.CutAfter {
		s.cut()
		return false
	}
	if d := s.x.settings.delay; d > 0 {
		select {
		case <-time.After(d):
		case <-s.x.r.Context().Done():
			s.ended = true
			return false
		}
	}
	return true
}

func (s *flow) write(b []byte) {
	if _, err := s.x.w.Write(b); err != nil {
		s.ended = true
		return
	}
	if http.NewResponseController(s.x.w).Flush() != nil {
		s.ended = true
	}
}

// fails reports whether the scripted failure is due.
func (s *flow) fails() bool {
	return !s.ended && s.fault.FailAfter > 0 && s.sent >= s.fault.FailAfter
}

// cut ends the stream early.
func (s *flow) cut() {
	s.ended = true
	if s.fault.Reset {
		drop(s.x.w)
	}
}

// drop breaks the connection off without the end of the body.
func drop(w http.ResponseWriter) {
	if p, ok := w.(interface{ breakOff() }); ok {
		p.breakOff()
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// pieces cuts a text for a stream: by words where size is 0 and words is set,
// else by size bytes. Characters stay whole.
func pieces(text string, size int, words bool) []string {
	if size <= 0 && !words {
		size = 8
	}
	var out []string
	for text != "" {
		n := 0
		if size > 0 {
			for n < size && n < len(text) {
				_, w := utf8.DecodeRuneInString(text[n:])
				n += w
			}
		} else if n = strings.IndexByte(text[1:], ' ') + 1; n == 0 {
			n = len(text)
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// pieces cuts a text as the options and the fault want it.
func (x *exchange) pieces(f Fault, text string, words bool) []string {
	size := x.settings.chunkSize
	if f.OneByteDeltas {
		size = 1
	}
	return pieces(text, size, words)
}

// alternate takes one element of each list in turn.
func alternate[T any](lists [][]T) []T {
	var out []T
	for i := 0; ; i++ {
		more := false
		for _, l := range lists {
			if i < len(l) {
				out = append(out, l[i])
				more = true
			}
		}
		if !more {
			return out
		}
	}
}
