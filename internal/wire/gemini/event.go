package gemini

import (
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeEvent reads one frame. The stream may end once a finish reason has
// come; nothing else marks its end. A blocked prompt is an error, as in
// DecodeReply.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if string(f.Data) == "[DONE]" { // gateways add it
		if a.Ended() {
			a.Stop()
		}
		return nil
	}
	if string(f.Event) == "error" {
		return failures.Inside(f.Data)
	}
	d := takeDecoder(a)
	defer d.release(len(f.Data))
	_, err := d.decodeDocument(f.Data)
	return err
}
