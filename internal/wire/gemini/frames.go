package gemini

import (
	"bytes"
	"io"

	"github.com/sabir-go/sabir/internal/frame"
)

// NewFrames reads the frames of a stream: server-sent events and, among them,
// JSON that stands there by itself, which is how the API reports some errors
// in the middle of a stream. Arguments and result are as of [frame.NewSSE].
// Source: go-genai api_client.go, read 2026-11-30.
func NewFrames(r io.Reader, maxFrame int) *frame.SSE {
	return frame.NewSSE(&bareJSON{r: r, fresh: true}, maxFrame)
}

// field goes before a line of JSON, which makes it one of an event's data.
const field = "data: "

// bareJSON passes on what it reads, but makes events of lines of bare JSON,
// however many it is spread over.
type bareJSON struct {
	r     io.Reader
	fresh bool   // the next byte begins a line
	json  bool   // bare JSON has begun and goes on
	held  []byte // read and changed, not yet passed on
	buf   []byte // of held
	err   error
}

// Read implements [io.Reader].
func (b *bareJSON) Read(p []byte) (int, error) {
	if len(b.held) > 0 {
		n := copy(p, b.held)
		b.held = b.held[n:]
		return n, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.err = err
	if b.isPlain(p[:n]) {
		return n, b.ifLast(n)
	}
	b.buf = b.wrapJSON(b.buf[:0], p[:n])
	n = copy(p, b.buf)
	b.held = b.buf[n:]
	return n, nil
}

// ifLast is the error to go with n bytes: none, unless there are none.
func (b *bareJSON) ifLast(n int) error {
	if n > 0 {
		return nil
	}
	return b.err
}

// isPlain reports whether no line in p is bare JSON, and goes on to its end.
func (b *bareJSON) isPlain(p []byte) bool {
	if b.json {
		return false
	}
	fresh := b.fresh
	for rest := p; len(rest) > 0; {
		if fresh {
			if rest = bytes.TrimLeft(rest, "\r"); len(rest) == 0 {
				break
			}
			if beginsJSON(rest[0]) {
				return false
			}
		}
		i := bytes.IndexByte(rest, '\n')
		if fresh = i >= 0; !fresh {
			break
		}
		rest = rest[i+1:]
	}
	if len(p) > 0 {
		b.fresh = fresh
	}
	return true
}

// beginsJSON reports whether a line that starts with c is bare JSON: no field of an
// event is called like that.
func beginsJSON(c byte) bool { return c == '{' || c == '[' }

// wrapJSON appends p to dst with the lines of bare JSON made fields. A line that
// starts with a letter is an event's again.
func (b *bareJSON) wrapJSON(dst, p []byte) []byte {
	for _, c := range p {
		if b.fresh && c != '\r' && c != '\n' {
			b.json = beginsJSON(c) || b.json && (c < 'a' || c > 'z') && c != ':'
			if b.json {
				dst = append(dst, field...)
			}
			b.fresh = false
		}
		b.fresh = b.fresh || c == '\n'
		dst = append(dst, c)
	}
	return dst
}
