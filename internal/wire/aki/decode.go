package aki

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeReply reads a whole reply. Nothing is an answer that doesn't say
// success. The reply's Raw is body itself.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) (*chat.Reply, error) {
	if err := decode(a, body); err != nil {
		return nil, err
	}
	r := a.Reply()
	r.Raw = body
	return r, nil
}

// DecodeEvent reads a frame as a whole reply, as there are no streams.
func (Codec) DecodeEvent(a *wire.Assembly, f frame.Frame) ([]chat.Event, error) {
	data := bytes.TrimSpace(f.Data)
	if len(data) == 0 {
		return nil, nil
	}
	err := decode(a, data)
	events := a.Drain()
	if err != nil {
		return nil, err
	}
	a.Stop()
	return events, nil
}

func decode(a *wire.Assembly, body []byte) error {
	var s rawjson.Scanner
	s.Reset(body)
	if s.Kind() != rawjson.Object {
		return unreadable(body, errors.New("not a JSON object"))
	}
	r := readResult(&s)
	if err := s.End(); err != nil {
		return unreadable(body, err)
	}
	switch {
	case r.failed || r.told && !r.success:
		return failures.Inside(body)
	case !r.success:
		return badReply("the reply doesn't say success")
	case r.text == nil:
		return badReply("no text")
	}
	r.feed(a)
	return a.Err()
}

// feed gives a result to the assembly. The wire names no reason for the end;
// only that the context is full can be seen.
func (r *result) feed(a *wire.Assembly) {
	a.ID, a.Model = r.id, r.model
	a.Usage.Input, a.Usage.Output = r.prompt, r.generated
	a.Finish(chat.FinishStop, "")
	if r.most > 0 && r.context >= r.most {
		a.Finish(chat.FinishLength, "")
	}
	a.End()
	var s rawjson.Scanner
	s.Reset(r.text)
	if !s.EnterObject() { // a string: EnterObject has stepped over it
		s.Reset(r.text)
		a.Text(wire.TextSlot, s.Bytes())
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch {
		case s.Kind() == rawjson.String && string(key) == "thinking":
			a.Think(wire.ThoughtSlot, s.Bytes())
		case s.Kind() == rawjson.String && string(key) == "content":
			a.Text(wire.TextSlot, s.Bytes())
		default:
			s.Skip()
		}
	}
}

func badReply(message string) *chat.Error {
	return &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Message: message}
}

// unreadable is the error for a body that isn't the JSON it should be.
func unreadable(body []byte, cause error) *chat.Error {
	e := badReply(failure.Excerpt(body))
	if e.Err = cause; errors.Is(cause, io.ErrUnexpectedEOF) {
		e.Err = io.ErrUnexpectedEOF
	}
	return e
}
