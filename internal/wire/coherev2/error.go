package coherev2

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Statuses of Cohere's own. Source: cohere-go v2, errors.go, read 2026-11-30.
const (
	statusDeniedToken  = 498 // the prompt or the answer has a word in it that is on a list
	statusClientClosed = 499
)

// DecodeError reads an error body: a message beside an id, or whatever a proxy
// or an imitator put there.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return readError(status, h, body)
}

func readError(status int, h http.Header, body []byte) *chat.Error {
	var f failure
	f.read(body)
	kind := f.kind(status)
	return &chat.Error{
		Kind: kind, Status: status, Type: f.typ, Code: f.code, Message: cmp.Or(f.message, wire.Excerpt(body)),
		RequestID: cmp.Or(h.Get("X-Debug-Trace-Id"), f.id, h.Get("X-Request-Id")),
		Retryable: wire.RetryableStatus(kind, status),
	}
}

// streamError is the error of an event that is one, whatever is in it.
func streamError(data []byte) *chat.Error {
	e := readError(http.StatusOK, nil, data)
	if errors.Is(e, chat.ErrBadReply) {
		e.Kind, e.Retryable = chat.ErrServer, true
	}
	return e
}

// failure is an error as the provider words it.
type failure struct{ id, typ, code, message string }

func (f *failure) read(body []byte) {
	var s rawjson.Scanner
	s.Reset(body)
	f.scan(&s)
	if s.End() != nil { // not JSON: nothing in it counts
		*f = failure{}
	}
}

func (f *failure) scan(s *rawjson.Scanner) {
	if s.Kind() == rawjson.String {
		f.message = s.Text()
		return
	}
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "id":
			f.id = s.Text()
		case "message", "detail", "msg":
			f.setMessage(s)
		case "error": // of imitators: an object or a text
			f.scan(s)
		case "type":
			if f.typ = s.Text(); f.typ == "error" { // the event's own
				f.typ = ""
			}
		case "code":
			f.code = s.Text()
		default:
			s.Skip()
		}
	}
}

// setMessage takes the first text; an imitator's list of details isn't one.
func (f *failure) setMessage(s *rawjson.Scanner) {
	if s.Kind() != rawjson.String {
		s.Skip()
		return
	}
	f.message = cmp.Or(f.message, s.Text())
}

// kind classifies by status: bodies have no type to go by, and texts change.
// Source: docs.cohere.com, "Errors"; cohere-go v2, errors.go; read 2026-11-30.
func (f *failure) kind(status int) error {
	switch status {
	case statusDeniedToken:
		return chat.ErrFiltered
	case statusClientClosed:
		return chat.ErrServer
	case http.StatusOK:
		if f.message != "" {
			return chat.ErrServer
		}
	}
	return wire.KindOfStatus(status)
}
