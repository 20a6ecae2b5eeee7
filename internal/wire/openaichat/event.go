package openaichat

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeEvent reads one frame. The stream may end once a finish reason has
// come; usage and [DONE] follow it on most servers, not on all.
// Source: openai-go packages/ssestream, read 2026-11-30.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) ([]chat.Event, error) {
	data := bytes.TrimSpace(f.Data)
	if len(data) == 0 {
		return nil, nil
	}
	err := decodeFrame(a, f.Event, data)
	events := a.Drain()
	if err != nil {
		return nil, err
	}
	return events, nil
}

func decodeFrame(a *wire.Assembly, event, data []byte) error {
	if string(data) == "[DONE]" {
		return done(a)
	}
	if string(event) == "error" {
		return failures.Inside(data)
	}
	d := take(data)
	defer d.release()
	c, err := d.chunk(a, data)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF): // cut in the middle of a frame
		return &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Err: io.ErrUnexpectedEOF}
	case err != nil:
		return err
	case c.err != nil, c.failed, c.told && !c.chosen:
		return failures.Inside(data)
	}
	if a.Finished() {
		finishDetails(a)
	}
	return a.Err()
}

// done reads the end mark. A stream that brought no choice before it is no
// answer.
func done(a *wire.Assembly) error {
	if a.Empty() && !a.Finished() {
		return badReply("no choices", nil)
	}
	finishDetails(a)
	a.Stop()
	return a.Err()
}
