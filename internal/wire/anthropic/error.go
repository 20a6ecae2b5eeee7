package anthropic

import (
	"cmp"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeError reads an error body: Anthropic's own, OpenAI's shape (llama.cpp's
// server uses it on this path), or whatever a proxy put there. How long to wait
// stands in headers that are the transport's to read.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return readError(status, h, body)
}

// readError makes an error of a body whatever its shape.
func readError(status int, h http.Header, body []byte) *chat.Error {
	var f failure
	f.read(body)
	kind := f.kind(status)
	return &chat.Error{
		Kind:    kind,
		Status:  status,
		Type:    f.typ,
		Code:    f.code,
		Param:   f.param,
		Message: cmp.Or(f.message, wire.Excerpt(body)),
		// Anthropic sends request-id; imitators send the name that OpenAI uses.
		RequestID: cmp.Or(h.Get("Request-Id"), f.requestID, h.Get("X-Request-Id")),
		Retryable: wire.RetryableStatus(kind, status),
	}
}

// failure is an error as the provider words it.
type failure struct {
	typ, code, param, message string
	requestID                 string
}

func (f *failure) read(body []byte) {
	var s rawjson.Scanner
	s.Reset(body)
	f.scan(&s)
	if s.End() != nil { // not JSON: nothing in it counts
		*f = failure{}
	}
}

// scan reads the body's top level: an object, a list of them (its first
// counts), or bare text.
func (f *failure) scan(s *rawjson.Scanner) {
	switch s.Kind() {
	case rawjson.Object:
		f.scanBody(s)
	case rawjson.Array:
		s.EnterArray()
		for first := true; s.NextElem(); first = false {
			if first && s.Kind() == rawjson.Object {
				f.scanBody(s)
				continue
			}
			s.Skip()
		}
	case rawjson.String:
		f.message = s.Text()
	case rawjson.Invalid, rawjson.Number, rawjson.Bool, rawjson.Null:
		s.Skip()
	}
}

func (f *failure) scanBody(s *rawjson.Scanner) {
	var outer failure // what the body says beside the error
	s.EnterObject()
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "error":
			f.scanError(s)
		case "request_id":
			f.requestID = s.Text()
		default:
			outer.scanMember(string(key), s)
		}
	}
	if outer.typ == "error" { // the envelope's own type
		outer.typ = ""
	}
	f.typ, f.code, f.param = cmp.Or(f.typ, outer.typ), cmp.Or(f.code, outer.code), cmp.Or(f.param, outer.param)
	f.message = cmp.Or(f.message, outer.message)
}

func (f *failure) scanError(s *rawjson.Scanner) {
	if s.Kind() != rawjson.Object {
		f.message = s.Text()
		return
	}
	s.EnterObject()
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		f.scanMember(string(key), s)
	}
}

// scanMember reads a member of an error object. details.error_code is what
// Anthropic promises to keep stable; messages may change. Source:
// platform.claude.com, "Errors", read 2026-11-30.
func (f *failure) scanMember(key string, s *rawjson.Scanner) {
	switch key {
	case "type":
		f.typ = s.Text()
	case "code":
		f.code = cmp.Or(f.code, s.Text())
	case "param":
		f.param = s.Text()
	case "message", "detail":
		f.message = s.Text()
	case "details":
		f.scanDetails(s)
	default:
		s.Skip()
	}
}

func (f *failure) scanDetails(s *rawjson.Scanner) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		if string(key) != "error_code" {
			s.Skip()
			continue
		}
		if code := s.Text(); code != "" {
			f.code = code
		}
	}
}

// kind classifies by code, then by type, then by status: inside a stream the
// status is 200 whatever happened. Source: platform.claude.com, "Errors", read
// 2026-11-30; the context codes are those of llama.cpp's server and OpenAI.
func (f *failure) kind(status int) error {
	switch f.code {
	case "enforced_spend_limit_reached": // comes with 429 and no retry-after
		return chat.ErrQuota
	case "context_length_exceeded":
		return chat.ErrTooLong
	}
	switch f.typ {
	case "authentication_error", "permission_error":
		return chat.ErrAuth
	case "billing_error":
		return chat.ErrQuota
	case "not_found_error":
		return chat.ErrNotFound
	case "request_too_large", "exceed_context_size_error":
		return chat.ErrTooLong
	case "rate_limit_error":
		return chat.ErrRateLimited
	case "overloaded_error":
		return chat.ErrOverloaded
	case "api_error", "timeout_error", "server_error":
		return chat.ErrServer
	case "invalid_request_error":
		if status >= 400 && status < 500 { // the status says it more closely
			return wire.KindOfStatus(status)
		}
		return chat.ErrBadRequest
	}
	if status == http.StatusOK && (f.typ != "" || f.message != "") {
		return chat.ErrServer // an error event of a kind that isn't known
	}
	return wire.KindOfStatus(status)
}
