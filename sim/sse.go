package sim

import (
	"bytes"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// sse writes server-sent events.
type sse struct {
	*flow
	eol string
}

func (x *exchange) openStream(f Fault, eol string) *sse {
	x.w.Header().Set("Cache-Control", "no-cache")
	return &sse{x.openFlow(f, "text/event-stream; charset=utf-8"), eol}
}

// event sends one event; name may be empty.
func (s *sse) event(name string, data []byte) {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + s.eol)
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString(s.eol + s.eol)
	s.frame(b.Bytes())
}

// json sends a document as an event.
func (s *sse) json(name string, doc object) {
	b, err := jsondoc.Marshal(doc)
	if err != nil {
		s.ended = true
		return
	}
	s.event(name, b)
}

// comment sends a comment line, which is no event.
func (s *sse) comment(text string) {
	if !s.ended {
		s.write([]byte(": " + text + s.eol + s.eol))
	}
}
