package frame

import (
	"bytes"
	"io"
)

// SSE reads server-sent events by the rules of the WHATWG, with two
// departures: the last event counts even if no blank line follows it, as long
// as the input ends as it should; and an event whose data is empty is left
// out, also if it has a data field, because gateways send such events only to
// keep the connection open.
//
// Source: HTML Living Standard, "Server-sent events", 9.2.5 and 9.2.6, read
// 2026-11-30.
type SSE struct {
	w         window
	some      bool // the event has a data field
	event, id []byte
}

// NewSSE reads events from r. maxFrame limits what is held of one event: its
// data and the line being read; 0 means 64 MiB, and more is
// ErrFrameTooLong. The caller closes r.
func NewSSE(r io.Reader, maxFrame int) *SSE { return &SSE{w: newWindow(r, maxFrame)} }

// Next returns the next event that has data. It returns as soon as the event
// is complete, without waiting for what follows.
func (s *SSE) Next() (Frame, error) {
	s.resetEvent()
	for {
		line, ok := s.w.readLine(true)
		switch {
		case !ok:
			return s.takeLast()
		case len(line) > 0:
			s.addField(line)
		case s.w.lo < s.w.hi:
			return s.takeFrame(), nil
		default:
			s.resetEvent()
		}
	}
}

// Release gives the buffer back to the pool; frames must no longer be used. It
// may be called more than once. Next returns io.EOF from then on.
func (s *SSE) Release() {
	s.w.release()
	s.resetEvent()
}

// takeLast returns an event after which the input ends without a blank line.
func (s *SSE) takeLast() (Frame, error) {
	if s.w.clean && s.w.lo < s.w.hi {
		return s.takeFrame(), nil
	}
	return Frame{}, s.w.err
}

func (s *SSE) takeFrame() Frame {
	return Frame{Event: s.event, Data: s.w.buf[s.w.lo:s.w.hi:s.w.hi], ID: s.id}
}

// resetEvent drops the event being put together; the id stays.
func (s *SSE) resetEvent() {
	s.event, s.some = s.event[:0], false
	s.w.lo, s.w.hi = 0, 0
}

// addField reads a line that is not blank. Comments start with a colon: their
// name is empty. The retry field is for clients that reconnect.
func (s *SSE) addField(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		s.addData(value)
	case "event":
		s.event = append(s.event[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			s.id = append(s.id[:0], value...)
		}
	}
}

// addData adds a line to the data of the event, in place: what comes later
// moves up behind what is there, over the field name and line end between them.
func (s *SSE) addData(value []byte) {
	w := &s.w
	if !s.some {
		s.some = true
		w.lo, w.hi = w.end-len(value), w.end
		return
	}
	w.buf[w.hi] = '\n'
	w.hi += 1 + copy(w.buf[w.hi+1:], value)
}
