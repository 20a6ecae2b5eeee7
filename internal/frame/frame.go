package frame

import "errors"

const defaultMaxFrame = 64 << 20

// ErrFrameTooLong means a frame over the limit. Nothing can be read after it.
var ErrFrameTooLong = errors.New("frame: over the size limit")

// ErrCorrupt means bytes that are no frame: a wrong checksum or lengths that
// contradict each other. Nothing can be read after it.
var ErrCorrupt = errors.New("frame: corrupt event stream")

// Frame is one step of a stream. Its bytes belong to the reader and are valid
// until its next Next or Release.
type Frame struct {
	// Event is the name of the event; empty if it has none.
	Event []byte
	// Exception says that the frame reports a failure by its framing, as AWS
	// event streams do; Event is then its name.
	Exception bool
	// Data is the payload, never empty unless Exception is set. Bytes that are
	// not valid UTF-8 are passed on as they came.
	Data []byte
	// ID is the last event id that the stream has named; empty if none.
	ID []byte
}

// Reader cuts a stream into frames.
type Reader interface {
	// Next returns the next frame; io.EOF after the last one, if the stream
	// ended as it should; else what went wrong, after all frames that were
	// complete. An error is final.
	Next() (Frame, error)
}
