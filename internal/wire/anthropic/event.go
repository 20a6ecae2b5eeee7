package anthropic

import (
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeEvent reads one event. Its kind is the type in the data or, failing
// that, the event's name; kinds that aren't known are passed over. Only
// message_stop ends the stream: with a stop reason alone it is truncated.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if string(f.Event) == "error" { // whatever is in it: llama.cpp's server sends OpenAI's
		return failures.Inside(f.Data)
	}
	s := wire.Borrow(f.Data)
	defer wire.GiveBack(s, len(f.Data))
	ev := event{usage: usageOf(a.Usage)}
	ev.readFrom(s)
	if err := s.End(); err != nil {
		return failure.Unreadable(f.Data, err)
	}
	if ev.kind == noEvent {
		ev.kind = eventKindOf(f.Event)
	}
	if ev.kind == errorEvent || ev.failed {
		return failures.Inside(f.Data)
	}
	ev.feedTo(s, a)
	return nil
}

func (e *event) feedTo(s *rawjson.Scanner, a *wire.Assembly) {
	switch e.kind {
	case messageStart:
		e.message.feedTo(a)
	case blockStart:
		e.block.feedTo(s, a, e.index)
	case blockDelta:
		e.delta.feedTo(s, a, e.index)
	case messageDelta:
		e.delta.stop.feedTo(a)
		a.Usage = e.usage.toUsage()
	case messageStop:
		if a.ID == "" && a.Empty() && !a.Finished() {
			a.Fail(errNoMessage)
			return
		}
		a.Stop()
	case noEvent, unknownEvent, blockStop, pingEvent, errorEvent:
	}
}

// feedTo hands more of a block to the assembly. Blocks can be open side by side;
// the index tells them apart.
func (d *delta) feedTo(s *rawjson.Scanner, a *wire.Assembly, slot int) {
	switch d.kind {
	case textDelta:
		a.Text(slot, wire.Unquote(s, d.text))
	case thinkingDelta:
		a.Think(slot, wire.Unquote(s, d.thinking))
	case signatureDelta:
		signPart(a, slot, kindSignature, wire.Unquote(s, d.signature))
	case jsonDelta:
		a.Args(slot, wire.Unquote(s, d.json))
	case unknownDelta:
	}
}
