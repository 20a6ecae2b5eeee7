package gemini

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
// come; nothing else marks its end. A blocked prompt is an error, as in
// DecodeReply.
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
	if string(data) == "[DONE]" { // gateways add it
		if a.Ended() {
			a.Stop()
		}
		return nil
	}
	if string(event) == "error" {
		return failures.Inside(data)
	}
	d := take(a)
	defer d.release(len(data))
	_, err := d.document(data)
	if errors.Is(err, io.ErrUnexpectedEOF) { // cut in the middle of a frame
		return &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Err: io.ErrUnexpectedEOF}
	}
	if err != nil {
		return err
	}
	return a.Err()
}
