package bedrockconverse

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeEvent reads one frame; its name says what it is, and names that aren't
// known are passed over. The reply is complete with messageStop; the usage
// comes after it in metadata, which is the last frame. A stream that is cut
// between the two counts as whole, without its usage.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if f.Exception || bytes.HasSuffix(f.Event, []byte("Exception")) {
		return decodeException(&f)
	}
	kind := eventKindOf(f.Event)
	if kind == unknownEvent {
		return nil
	}
	s := wire.Borrow(f.Data)
	defer wire.GiveBack(s, len(f.Data))
	ev := event{usage: usageOf(a.Usage)}
	ev.readFrom(s)
	if err := s.End(); err != nil {
		return failure.Unreadable(f.Data, err)
	}
	ev.feedTo(s, a, kind)
	return nil
}

func (e *event) feedTo(s *rawjson.Scanner, a *wire.Assembly, kind eventKind) {
	switch kind {
	case blockStart:
		if e.block.kind == unknownBlock {
			a.Skip(e.index)
			return
		}
		e.block.feedTo(s, a, e.index)
	case blockDelta:
		e.block.feedTo(s, a, e.index)
	case blockStop:
		if a.SignedAs(e.index) == kindRedacted {
			a.Resign(e.index, joinBlobs) // a blob may come in pieces, each encoded for itself
		}
	case messageStop:
		noteFinish(a, e.reason)
		a.End()
	case metadata:
		a.Usage = e.usage.toUsage()
		if a.Ended() {
			a.Stop()
		}
	case unknownEvent, messageStart:
	}
}

// joinBlobs makes one text in base64 of several that stand side by side. Anything
// else comes back unchanged.
func joinBlobs(data string) string {
	if at := strings.IndexByte(data, '='); at < 0 || strings.Trim(data[at:], "=") == "" {
		return data
	}
	blob := make([]byte, 0, len(data))
	for rest := data; rest != ""; {
		end := len(rest) // of this piece
		if at := strings.IndexByte(rest, '='); at >= 0 {
			end = at + 4 - at%4
		}
		if end > len(rest) {
			return data
		}
		var err error
		if blob, err = base64.StdEncoding.AppendDecode(blob, []byte(rest[:end])); err != nil {
			return data
		}
		rest = rest[end:]
	}
	return base64.StdEncoding.EncodeToString(blob)
}
