package frame

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	startSize     = 4 << 10  // net/http reads as much ahead
	maxPooled     = 16 << 10 // larger buffers are left to the collector
	minRead       = 512
	maxEmptyReads = 100
)

var errBadRead = errors.New("frame: reader returned an impossible count")

var pool = sync.Pool{New: func() any { b := make([]byte, 0, startSize); return &b }}

var byteOrderMark = []byte("\xEF\xBB\xBF")

// window reads lines over one buffer. It keeps two stretches of it: the data
// of the event being put together, buf[lo:hi], and what is not yet cut into
// lines, buf[scan:].
//
// All work is linear in the size of the stream: lf and cr remember how far the
// buffer was searched, and bytes are only moved when at least half of the
// buffer becomes free by it, or when it doubles.
type window struct {
	r      io.Reader
	limit  int
	buf    []byte
	pooled *[]byte // what buf was at first
	lo, hi int
	scan   int
	end    int  // where the last line ended, before its line end
	lf, cr int  // no line feed in buf[scan:lf], no carriage return in buf[scan:cr]
	skipLF bool // the last line ended with a CR at the end of what was read
	begun  bool // the first line is behind us
	clean  bool // the input ended with io.EOF
	err    error
}

func newWindow(r io.Reader, limit int) window {
	if limit <= 0 {
		limit = defaultMaxFrame
	}
	b, _ := pool.Get().(*[]byte)
	return window{r: r, limit: limit, buf: *b, pooled: b}
}

// readLine returns the next line without its end, reading on if need be; false
// when there is none. A last line without an end counts if the input is clean.
// With cr set, a CR ends a line too, alone or with the LF after it.
func (w *window) readLine(cr bool) ([]byte, bool) {
	for {
		w.dropLF()
		end := w.findLineEnd(cr)
		if w.hi-w.lo+end-w.scan > w.limit {
			w.stop(ErrFrameTooLong)
			return nil, false
		}
		if end < len(w.buf) {
			return w.cutLine(end), true
		}
		if !w.fill() {
			return w.cutLastLine()
		}
	}
}

// findLineEnd returns where the line at scan ends; len(buf) if its end is not
// there yet.
func (w *window) findLineEnd(cr bool) int {
	w.lf = findByte(w.buf, max(w.lf, w.scan), '\n')
	if !cr {
		return w.lf
	}
	w.cr = findByte(w.buf[:w.lf], max(w.cr, w.scan), '\r')
	return w.cr
}

// findByte returns the first place of c in b at or after i; len(b) if there is
// none.
func findByte(b []byte, i int, c byte) int {
	if i >= len(b) {
		return len(b)
	}
	if n := bytes.IndexByte(b[i:], c); n >= 0 {
		return i + n
	}
	return len(b)
}

func (w *window) cutLine(end int) []byte {
	line := w.buf[w.scan:end]
	w.scan, w.end = end+1, end
	w.skipLF = w.buf[end] == '\r'
	w.dropLF()
	return w.dropMark(line)
}

// dropLF skips the LF of a CR LF whose two halves may come in two reads. A line
// that ended with CR is returned without waiting for it.
func (w *window) dropLF() {
	if !w.skipLF || w.scan == len(w.buf) {
		return
	}
	w.skipLF = false
	if w.buf[w.scan] == '\n' {
		w.scan++
	}
}

func (w *window) cutLastLine() ([]byte, bool) {
	if !w.clean || w.scan == len(w.buf) {
		return nil, false
	}
	line := w.buf[w.scan:]
	w.scan, w.end = len(w.buf), len(w.buf)
	return w.dropMark(line), true
}

// dropMark cuts the byte order mark off the first line.
func (w *window) dropMark(line []byte) []byte {
	if w.begun {
		return line
	}
	w.begun = true
	return bytes.TrimPrefix(line, byteOrderMark)
}

// fill reads once; false if nothing came and nothing will.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	w.makeRoom()
	free := w.buf[len(w.buf):cap(w.buf)]
	for range maxEmptyReads {
		n, err := w.r.Read(free)
		if n < 0 || n > len(free) {
			n, err = 0, errBadRead
		}
		w.buf = w.buf[:len(w.buf)+n]
		if err != nil {
			w.err, w.clean = err, err == io.EOF
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// makeRoom makes room for at least minRead bytes.
func (w *window) makeRoom() {
	held, rest := w.hi-w.lo, len(w.buf)-w.scan
	if held+rest > 0 && cap(w.buf)-len(w.buf) >= minRead {
		return
	}
	to := w.buf[:cap(w.buf)]
	if 2*(held+rest) > cap(w.buf) {
		to = make([]byte, 2*cap(w.buf))
	}
	copy(to, w.buf[w.lo:w.hi])
	copy(to[held:], w.buf[w.scan:])
	w.buf = to[:held+rest]
	moved := w.scan - held
	w.lo, w.hi, w.scan = 0, held, held
	w.lf, w.cr = w.lf-moved, w.cr-moved
}

// stop ends the stream with err and drops what is left of it.
func (w *window) stop(err error) {
	w.err, w.clean = err, false
	w.lo, w.hi, w.scan = 0, 0, len(w.buf)
}

// release gives back the buffer, or the one it grew from if it is large. Reads
// return io.EOF from then on.
func (w *window) release() {
	if w.pooled != nil {
		if cap(w.buf) <= maxPooled {
			*w.pooled = w.buf[:0]
		}
		pool.Put(w.pooled)
	}
	*w = window{err: io.EOF}
}

// peek returns the next n bytes without stepping past them, reading on if need
// be; false if the input ends before.
func (w *window) peek(n int) ([]byte, bool) {
	for len(w.buf)-w.scan < n {
		if w.fill() {
			continue
		}
		if w.clean && w.scan < len(w.buf) {
			w.stop(io.ErrUnexpectedEOF)
		}
		return nil, false
	}
	return w.buf[w.scan : w.scan+n : w.scan+n], true
}
