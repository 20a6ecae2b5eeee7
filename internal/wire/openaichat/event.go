package openaichat

import (
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeEvent reads one frame. The stream may end once a finish reason has
// come; usage and [DONE] follow it on most servers, not on all.
// Source: openai-go packages/ssestream, read 2026-11-30.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if string(f.Data) == "[DONE]" {
		return decodeDone(a)
	}
	if string(f.Event) == "error" {
		return failures.Inside(f.Data)
	}
	d := takeDecoder(f.Data)
	defer d.release(len(f.Data))
	c, err := d.decodeChunk(a, f.Data)
	switch {
	case err != nil:
		return err
	case c.err != nil, c.failed, c.told && !c.chosen:
		return failures.Inside(f.Data)
	}
	if a.Finished() {
		finishDetails(a)
	}
	return nil
}

// decodeDone reads the end mark. A stream that brought no choice before it is no
// answer.
func decodeDone(a *wire.Assembly) error {
	if a.Empty() && !a.Finished() {
		return failure.BadReply("no choices", nil)
	}
	finishDetails(a)
	a.Stop()
	return nil
}
