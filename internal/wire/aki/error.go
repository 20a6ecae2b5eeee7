package aki

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeError reads the body of an answer that failed: an error that is a text
// or a list of texts, or whatever a proxy puts in its place.
// Source: github.com/aki-io-labs/aki-io, js/aki_io.js, read 2026-11-30.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	var f failure
	body = bytes.TrimSpace(body)
	if !rawjson.Valid(body) {
		f.message = wire.Excerpt(body)
	} else {
		var s rawjson.Scanner
		s.Reset(body)
		if s.Kind() == rawjson.Array { // a proxy's; the first one counts
			s.EnterArray()
			s.NextElem()
		}
		f.read(&s)
	}
	e := f.build(status)
	e.RequestID = h.Get("X-Request-Id")
	return e
}

// failure is what an error body says.
type failure struct {
	message, code string
	status        int // a status inside the body; 0: none
}

// read takes in a text, or an object with an error.
func (f *failure) read(s *rawjson.Scanner) {
	if s.Kind() == rawjson.String {
		f.message = bounded(s.Bytes())
		return
	}
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		f.member(string(key), s)
	}
}

// member reads one member of an error, or skips another one.
func (f *failure) member(name string, s *rawjson.Scanner) {
	switch name {
	case "error", "errors", "message", "detail":
		if text := complaint(s); f.message == "" {
			f.message = text
		}
	case "error_code":
		raw := s.Bytes()
		f.code = bounded(raw)
		var n rawjson.Scanner
		n.Reset(raw)
		if status := n.Int(); status >= 400 && status < 600 {
			f.status = int(status)
		}
	default:
		s.Skip()
	}
}

// complaint is a text, a list of texts, or an object with a message.
func complaint(s *rawjson.Scanner) string {
	switch s.Kind() {
	case rawjson.String:
		return bounded(s.Bytes())
	case rawjson.Array:
		var all []string
		s.EnterArray()
		for s.NextElem() {
			if s.Kind() == rawjson.String && len(all) < 10 {
				all = append(all, bounded(s.Bytes()))
			} else {
				s.Skip()
			}
		}
		return strings.Join(all, "; ")
	case rawjson.Object:
		var text string
		s.EnterObject()
		for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
			if string(key) == "message" && s.Kind() == rawjson.String {
				text = bounded(s.Bytes())
			} else {
				s.Skip()
			}
		}
		return text
	case rawjson.Number, rawjson.Bool, rawjson.Null, rawjson.Invalid:
		s.Skip()
	}
	return ""
}

func bounded(b []byte) string {
	const most = 2 << 10
	return strings.ToValidUTF8(string(b[:min(len(b), most)]), "\uFFFD")
}

// build makes the error. Inside a 200 the kind can't be told: what is
// documented (wrong JSON, parameters out of range, no such endpoint, no access)
// is the caller's to mend, so it isn't tried again.
func (f *failure) build(status int) *chat.Error {
	said := status
	if status < 300 {
		said = f.status
	}
	kind := chat.ErrBadRequest
	if said != 0 {
		kind = wire.KindOfStatus(said)
	}
	return &chat.Error{
		Kind: kind, Status: status, Code: f.code, Message: f.message,
		Retryable: said != 0 && wire.RetryableStatus(kind, said),
	}
}
