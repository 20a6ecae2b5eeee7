package ollama

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeError reads the body of an answer that failed: {"error":"text"}, what
// proxies make of it, or plain text such as "404 page not found". There are no
// codes; the status says all there is to know.
// Source: docs/api/errors.mdx; server/routes.go; read 2026-11-30.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	e := readFailure(body).err(status)
	e.RequestID = h.Get("X-Request-Id") // a proxy's; Ollama has none
	return e
}

// failureInside reads an error that came with status 200.
func failureInside(body []byte) *chat.Error { return readFailure(body).err(http.StatusOK) }

// failure is what an error body says.
type failure struct {
	message, typ, code string
	status             int // a status inside the body; 0: none
}

const maxErrorText = 4 << 10

func readFailure(body []byte) *failure {
	f := new(failure)
	body = bytes.TrimSpace(body)
	if !rawjson.Valid(body) {
		f.message = wire.Excerpt(body)
		return f
	}
	var s rawjson.Scanner
	s.Reset(body)
	const depth = 3
	f.read(&s, depth)
	return f
}

// read takes in a text, or an object that is or holds an error.
func (f *failure) read(s *rawjson.Scanner, depth int) {
	if s.Kind() == rawjson.String {
		set(&f.message, s.Bytes())
		return
	}
	if depth == 0 {
		s.Skip()
		return
	}
	if s.Kind() == rawjson.Array { // of a proxy: the first one counts
		for s.EnterArray(); s.NextElem(); {
			f.read(s, depth-1)
		}
		return
	}
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "error", "message", "detail":
			f.read(s, depth-1)
		case "type":
			set(&f.typ, text(s))
		case "code", "status", "status_code":
			f.readCode(s)
		default:
			s.Skip()
		}
	}
}

// readCode takes a code; a number that is a status counts as one.
func (f *failure) readCode(s *rawjson.Scanner) {
	if s.Kind() == rawjson.String {
		set(&f.code, s.Bytes())
		return
	}
	if n := s.Int(); f.status == 0 && n >= 400 && n < 600 {
		f.status = int(n)
	}
}

func set(to *string, b []byte) {
	if *to == "" {
		*to = strings.ToValidUTF8(string(b[:min(len(b), maxErrorText)]), "\uFFFD")
	}
}

// err makes the error. Inside a 200 there is no telling what went wrong, nor
// whether it would go better the next time, unless the body has a status.
func (f *failure) err(status int) *chat.Error {
	said := status
	if status < 300 {
		said = f.status
	}
	kind := chat.ErrServer
	if said != 0 {
		kind = wire.KindOfStatus(said)
	}
	return &chat.Error{
		Kind: kind, Status: status, Type: f.typ, Code: f.code, Message: f.message,
		Retryable: said != 0 && wire.RetryableStatus(kind, said),
	}
}
