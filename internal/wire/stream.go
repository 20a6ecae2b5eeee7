package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
)

// ReadReply reads a whole reply through an empty assembly. The reply's Raw is
// body itself.
func ReadReply(c Codec, a *Assembly, body []byte) (*chat.Reply, error) {
	if err := c.DecodeReply(a, body); err != nil {
		return nil, err
	}
	if a.Flush(); a.Err() != nil {
		return nil, a.Err()
	}
	r := a.Reply()
	r.Raw = body
	return r, nil
}

// ReadEvent reads one frame of a stream into the assembly and returns the
// events that it gave, valid until the next call. It is the one place that
// holds that there are no events beside an error.
func ReadEvent(c Codec, a *Assembly, f frame.Frame) ([]chat.Event, error) {
	if f.Data = bytes.TrimSpace(f.Data); len(f.Data) == 0 && !f.Exception {
		return nil, nil
	}
	err := c.DecodeEvent(a, f)
	var events []chat.Event
	if err == nil && a.Stopped() {
		events = a.Flush()
	} else {
		events = a.Drain()
	}
	if err == nil {
		err = a.Err()
	}
	if err != nil {
		return nil, err
	}
	return events, nil
}

// Stream reads a streamed reply. It is the one place that tells a stream that
// was cut, which is [chat.ErrTruncated], from one that makes no sense, which
// is [chat.ErrBadReply].
type Stream struct {
	codec    Codec
	frames   frame.Reader
	assembly *Assembly
	whole    bool
}

// NewStream returns a stream of frames that are read into an empty assembly.
func NewStream(c Codec, frames frame.Reader, a *Assembly) *Stream {
	return &Stream{codec: c, frames: frames, assembly: a}
}

// Whole reports whether the reply is complete. Nothing more is to be read then.
func (s *Stream) Whole() bool { return s.whole }

// Next reads one frame and returns the events that it gave, valid until the
// next call; there may be none. A connection that broke is an error as the
// frame reader gives it.
func (s *Stream) Next() ([]chat.Event, error) {
	f, err := s.frames.Next()
	if err != nil {
		return s.endStream(err)
	}
	events, err := ReadEvent(s.codec, s.assembly, f)
	if err != nil {
		return nil, s.checkCut(err)
	}
	s.whole = s.assembly.Stopped()
	return events, nil
}

var (
	errNoEndMark   = errors.New("the stream ended without its end mark")
	errInsideEvent = errors.New("the stream ended in the middle of an event")
)

// endStream says what it means that no frame follows.
func (s *Stream) endStream(err error) ([]chat.Event, error) {
	switch {
	case errors.Is(err, frame.ErrFrameTooLong), errors.Is(err, frame.ErrCorrupt):
		return nil, &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Err: err}
	case !isBodyEnd(err):
		return nil, err
	case !s.assembly.Ended():
		return nil, &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Err: errNoEndMark}
	}
	s.whole = true
	events := s.assembly.Flush()
	if err := s.assembly.Err(); err != nil {
		return nil, err
	}
	return events, nil
}

// checkCut returns err, or the error of a cut stream if what can't be read is
// half a frame and no other follows.
func (s *Stream) checkCut(err error) error {
	e, ok := errors.AsType[*chat.Error](err)
	if !ok || !errors.Is(e.Kind, chat.ErrBadReply) || !errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, end := s.frames.Next(); end == nil || !isBodyEnd(end) {
		return err
	}
	return &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Err: fmt.Errorf("%w: %w", errInsideEvent, e.Err)}
}

// isBodyEnd reports whether reading ended with the body, in the middle of a
// frame or not. A connection that broke is another matter: that is a
// *chat.Error.
func isBodyEnd(err error) bool {
	_, broke := errors.AsType[*chat.Error](err)
	return !broke && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}
