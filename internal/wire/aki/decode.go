package aki

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeEvent reads a frame as a whole reply, as there are no streams.
func (c Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) error {
	if err := c.DecodeReply(a, f.Data); err != nil {
		return err
	}
	a.Stop()
	return nil
}

// DecodeReply reads a whole reply. Nothing is an answer that doesn't say
// success.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	var s rawjson.Scanner
	s.Reset(body)
	if s.Kind() != rawjson.Object {
		return failure.Unreadable(body, nil)
	}
	r := readResult(&s)
	if err := s.End(); err != nil {
		return failure.Unreadable(body, err)
	}
	switch {
	case r.failed || r.told && !r.success:
		return failures.Inside(body)
	case !r.success:
		return failure.BadReply("the reply doesn't say success", nil)
	case r.text == nil:
		return failure.BadReply("no text", nil)
	}
	r.feedTo(a)
	return nil
}

// feedTo gives a result to the assembly. The wire names no reason for the end;
// only that the context is full can be seen.
func (r *result) feedTo(a *wire.Assembly) {
	a.ID, a.Model = r.id, r.model
	a.Usage.Input, a.Usage.Output = r.prompt, r.generated
	a.Finish(chat.FinishStop, "")
	if r.most > 0 && r.context >= r.most {
		a.Finish(chat.FinishLength, "")
	}
	a.End()
	var s rawjson.Scanner
	s.Reset(r.text)
	if s.Kind() != rawjson.Object {
		a.Text(wire.TextSlot, s.Bytes())
		return
	}
	for key := range s.Members() {
		switch {
		case s.Kind() == rawjson.String && string(key) == "thinking":
			a.Think(wire.ThoughtSlot, s.Bytes())
		case s.Kind() == rawjson.String && string(key) == "content":
			a.Text(wire.TextSlot, s.Bytes())
		}
	}
}
