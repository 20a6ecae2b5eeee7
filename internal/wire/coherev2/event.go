package coherev2

import (
	"net/http"

	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeEvent reads one event. Its kind is the type in the data or, failing
// that, the event's name; kinds that aren't known are passed over. Only
// message-end ends the stream; the [DONE] that may follow says nothing.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if string(f.Data) == "[DONE]" {
		return nil
	}
	if string(f.Event) == "error" { // whatever is in it
		return failures.Inside(f.Data)
	}
	s := wire.Borrow(f.Data)
	defer wire.GiveBack(s, len(f.Data))
	var ev event
	ev.readFrom(s)
	if err := s.End(); err != nil {
		return failure.Unreadable(f.Data, err)
	}
	if ev.kind == noEvent {
		ev.kind = eventKindOf(f.Event)
	}
	if ev.kind == errorEvent || ev.kind == noEvent && ev.failed {
		return failures.Inside(f.Data)
	}
	if ev.delta.failure != "" {
		return failures.MakeError(http.StatusOK, failure.Failure{Type: ev.delta.reason, Message: ev.delta.failure})
	}
	ev.feedTo(s, a)
	return nil
}

func (e *event) feedTo(s *rawjson.Scanner, a *wire.Assembly) {
	switch e.kind {
	case messageStart:
		a.ID = e.id
		e.delta.message.feedTo(s, a, wire.CallKey{})
	case contentEvent:
		e.delta.message.feedTo(s, a, wire.CallKey{Index: e.index, HasIndex: e.hasIndex})
	case messageEnd:
		noteFinish(a, e.delta.reason)
		if a.ID == "" && a.Empty() && !a.Finished() {
			a.Fail(errNoMessage)
			return
		}
		a.Usage = e.delta.usage.toUsage()
		a.Stop()
	case noEvent, unknownEvent, errorEvent:
	}
}
