package frame

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A message is a prelude of three numbers, headers, a payload and a checksum.
// Source: docs.aws.amazon.com, Transcribe Developer Guide, "Event stream
// encoding"; smithy.io, "Amazon Event Stream Specification"; read 2026-11-30.
const (
	preludeSize  = 12 // length of it all, length of the headers, checksum of these two
	checksumSize = 4
	minMessage   = preludeSize + checksumSize
)

// EventStream reads the messages of an AWS event stream
// (application/vnd.amazon.eventstream). Both checksums of each are checked.
//
// A message of type event is a frame whose Event is its event type; those
// without a payload are left out. Messages of type exception and error are
// frames with Exception set: Event is the type or code, Data the payload or,
// failing that, the message in the headers. Other types are left out.
type EventStream struct{ w window }

// NewEventStream reads messages from r. maxFrame limits the size of a message,
// its headers and checksums included; 0 means 64 MiB, and more is
// ErrFrameTooLong. The caller closes r.
func NewEventStream(r io.Reader, maxFrame int) *EventStream {
	return &EventStream{w: newWindow(r, maxFrame)}
}

// Next returns the next event or exception. Input that ends inside of a
// message is io.ErrUnexpectedEOF.
func (e *EventStream) Next() (Frame, error) {
	for {
		head, payload, ok := e.readMessage()
		if !ok {
			return Frame{}, e.w.err
		}
		f, ok := decodeMessage(head, payload)
		if !ok {
			e.w.stop(ErrCorrupt)
			return Frame{}, ErrCorrupt
		}
		if len(f.Data) > 0 || f.Exception {
			return f, nil
		}
	}
}

// Release gives the buffer back to the pool; frames must no longer be used. It
// may be called more than once. Next returns io.EOF from then on.
func (e *EventStream) Release() { e.w.release() }

func (e *EventStream) readMessage() (head, payload []byte, ok bool) {
	w := &e.w
	prelude, ok := w.peek(preludeSize)
	if !ok {
		return nil, nil, false
	}
	size := int64(binary.BigEndian.Uint32(prelude))
	headSize := int64(binary.BigEndian.Uint32(prelude[4:]))
	switch {
	case !checksumFits(prelude), size < minMessage, headSize > size-minMessage:
		w.stop(ErrCorrupt)
		return nil, nil, false
	case size > int64(w.limit):
		w.stop(ErrFrameTooLong)
		return nil, nil, false
	}
	m, ok := w.peek(int(size))
	if !ok {
		return nil, nil, false
	}
	if !checksumFits(m) {
		w.stop(ErrCorrupt)
		return nil, nil, false
	}
	w.scan += len(m)
	body := preludeSize + int(headSize)
	return m[preludeSize:body:body], m[body : len(m)-checksumSize : len(m)-checksumSize], true
}

// checksumFits reports whether b ends with the checksum of what is before it.
func checksumFits(b []byte) bool {
	end := len(b) - checksumSize
	return crc32.ChecksumIEEE(b[:end]) == binary.BigEndian.Uint32(b[end:])
}

func decodeMessage(head, payload []byte) (Frame, bool) {
	var kind, event, exception, code, words []byte
	for len(head) > 0 {
		name, value, rest, ok := cutHeader(head)
		if !ok {
			return Frame{}, false
		}
		head = rest
		switch string(name) {
		case ":message-type":
			kind = value
		case ":event-type":
			event = value
		case ":exception-type":
			exception = value
		case ":error-code":
			code = value
		case ":error-message":
			words = value
		}
	}
	switch string(kind) {
	case "event":
		return Frame{Event: event, Data: payload}, true
	case "exception":
		return Frame{Event: exception, Data: payload, Exception: true}, true
	case "error":
		if len(payload) == 0 {
			payload = words
		}
		return Frame{Event: code, Data: payload, Exception: true}, true
	}
	return Frame{}, true
}

// Types of header values. Those of a fixed size are not looked at.
const (
	bytesHeader  = 6
	stringHeader = 7
)

// fixedSizes are the sizes of header values by their type: two booleans, four
// integers, bytes and strings (which say themselves), a time and a UUID.
var fixedSizes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

// cutHeader cuts off the first header. Only a string's value is returned.
func cutHeader(b []byte) (name, value, rest []byte, ok bool) {
	name, b, ok = cutSized(b[1:], int(b[0]))
	if !ok || len(name) == 0 || len(b) == 0 || int(b[0]) >= len(fixedSizes) {
		return nil, nil, nil, false
	}
	typ := b[0]
	b = b[1:]
	size := fixedSizes[typ]
	if typ == bytesHeader || typ == stringHeader {
		if len(b) < 2 {
			return nil, nil, nil, false
		}
		size = int(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	value, rest, ok = cutSized(b, size)
	if typ != stringHeader {
		value = nil
	}
	return name, value, rest, ok
}

func cutSized(b []byte, n int) (head, tail []byte, ok bool) {
	if n > len(b) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}
