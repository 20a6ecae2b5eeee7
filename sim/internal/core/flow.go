package core

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Flow is a body that is sent bit by bit, and cut off where a fault says so.
type Flow struct {
	x     *Exchange
	fault Fault
	Sent  int // frames
	Ended bool
}

// OpenFlow begins an answer of status 200.
func (x *Exchange) OpenFlow(f Fault, contentType string) *Flow {
	h := x.W.Header()
	x.Persona.writeHeaders(h, x.ID, http.StatusOK)
	h.Set("Content-Type", contentType)
	x.Host.RecordStatus(http.StatusOK)
	x.W.WriteHeader(http.StatusOK)
	return &Flow{x: x, fault: f, Ended: http.NewResponseController(x.W).Flush() != nil}
}

// WriteFrame sends one event, framed.
func (s *Flow) WriteFrame(b []byte) {
	if s.isOpen() {
		s.Sent++
		s.WriteRaw(b)
	}
}

// isOpen waits for the delay and reports whether the stream goes on.
func (s *Flow) isOpen() bool {
	if s.Ended {
		return false
	}
	if s.fault.CutAfter > 0 && s.Sent >= s.fault.CutAfter {
		s.cutOff()
		return false
	}
	if d := s.x.Settings.Delay; d > 0 {
		select {
		case <-time.After(d):
		case <-s.x.R.Context().Done():
			s.Ended = true
			return false
		}
	}
	return true
}

// WriteRaw sends bytes that count as no frame.
func (s *Flow) WriteRaw(b []byte) {
	if _, err := s.x.W.Write(b); err != nil {
		s.Ended = true
		return
	}
	if http.NewResponseController(s.x.W).Flush() != nil {
		s.Ended = true
	}
}

// FailureDue reports whether the scripted failure is due.
func (s *Flow) FailureDue() bool {
	return !s.Ended && s.fault.FailAfter > 0 && s.Sent >= s.fault.FailAfter
}

func (s *Flow) cutOff() {
	s.Ended = true
	if s.fault.Reset {
		dropConnection(s.x.W)
	}
}

// dropConnection breaks the connection off without the end of the body.
func dropConnection(w http.ResponseWriter) {
	if p, ok := w.(interface{ BreakOff() }); ok {
		p.BreakOff()
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// cutText cuts a text for a stream: by words where size is 0 and words is set,
// else by size bytes. Characters stay whole.
func cutText(text string, size int, words bool) []string {
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

// CutText cuts a text as the options and the fault want it.
func (x *Exchange) CutText(f Fault, text string, words bool) []string {
	size := x.Settings.ChunkSize
	if f.OneByteDeltas {
		size = 1
	}
	return cutText(text, size, words)
}

// Interleave takes one element of each list in turn.
func Interleave[T any](lists [][]T) []T {
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
