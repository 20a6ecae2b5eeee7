package frame

import (
	"bytes"
	"io"
)

// NDJSON reads lines of JSON. Lines end with LF or CR LF; blank lines are left
// out, and so is white space around a line. The last line counts without a
// line end too, if the input ends as it should.
type NDJSON struct{ w window }

// NewNDJSON reads lines from r. maxLine limits the length of a line; 0 means
// 64 MiB, and more is ErrFrameTooLong. The caller closes r.
func NewNDJSON(r io.Reader, maxLine int) *NDJSON {
	return &NDJSON{w: newWindow(r, maxLine)}
}

// Next returns the next line as the Data of a frame.
func (n *NDJSON) Next() (Frame, error) {
	for {
		line, ok := n.w.readLine(false)
		if !ok {
			return Frame{}, n.w.err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return Frame{Data: line}, nil
		}
	}
}

// Release gives the buffer back to the pool; frames must no longer be used. It
// may be called more than once. Next returns io.EOF from then on.
func (n *NDJSON) Release() { n.w.release() }
