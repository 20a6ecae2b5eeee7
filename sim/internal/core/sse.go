package core

import (
	"bytes"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// SSE writes server-sent events.
type SSE struct {
	*Flow
	eol string
}

// OpenSSE begins a stream whose lines end with eol.
func (x *Exchange) OpenSSE(f Fault, eol string) *SSE {
	x.W.Header().Set("Cache-Control", "no-cache")
	return &SSE{x.OpenFlow(f, "text/event-stream; charset=utf-8"), eol}
}

// WriteEvent sends one event; name may be empty.
func (s *SSE) WriteEvent(name string, data []byte) {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + s.eol)
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString(s.eol + s.eol)
	s.WriteFrame(b.Bytes())
}

// WriteJSON sends a document as an event.
func (s *SSE) WriteJSON(name string, doc object) {
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		s.Ended = true
		return
	}
	s.WriteEvent(name, b)
}

// WriteComment sends a comment line, which is no event.
func (s *SSE) WriteComment(text string) {
	if !s.Ended {
		s.WriteRaw([]byte(": " + text + s.eol + s.eol))
	}
}
