package ollama

import (
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeEvent reads one line. The line that says done is the last one.
// Source: api/client.go and docs/api/streaming.mdx, read 2026-11-30.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	d := takeDecoder(f.Data)
	defer d.release(len(f.Data))
	l, err := d.decodeLine(a, f.Data)
	switch {
	case err != nil:
		return err
	case l.failed:
		return failures.Inside(f.Data)
	case l.done:
		a.Stop()
	}
	return nil
}
