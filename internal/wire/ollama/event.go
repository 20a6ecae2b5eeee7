package ollama

import (
	"bytes"
	"io"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeEvent reads one line. The line that says done is the last one.
// Source: api/client.go and docs/api/streaming.mdx, read 2026-11-30.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) ([]chat.Event, error) {
	data := bytes.TrimSpace(f.Data)
	if len(data) == 0 {
		return nil, nil
	}
	err := decodeLine(a, data)
	events := a.Drain()
	if err != nil {
		return nil, err
	}
	return events, nil
}

func decodeLine(a *wire.Assembly, data []byte) error {
	d := take(data)
	defer d.release()
	l, err := d.line(a, data)
	switch {
	case cut(err):
		return &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Err: io.ErrUnexpectedEOF}
	case err != nil:
		return err
	case l.failed:
		return failures.Inside(data)
	case l.done:
		a.Stop()
	}
	return a.Err()
}
