package anthropic

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
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
		Message: cmp.Or(f.message, excerpt(body)),
		// Anthropic sends request-id; imitators send the name that OpenAI uses.
		RequestID: cmp.Or(h.Get("Request-Id"), f.requestID, h.Get("X-Request-Id")),
		Retryable: retryable(kind, status),
	}
}

// unreadable is the error for a body that should be a message and isn't.
func unreadable(body []byte, cause error) *chat.Error {
	return &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Message: excerpt(body), Err: cause}
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
			return kindOfStatus(status)
		}
		return chat.ErrBadRequest
	}
	if status == http.StatusOK && (f.typ != "" || f.message != "") {
		return chat.ErrServer // an error event of a kind that isn't known
	}
	return kindOfStatus(status)
}

func kindOfStatus(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return chat.ErrAuth
	case http.StatusPaymentRequired:
		return chat.ErrQuota
	case http.StatusNotFound:
		return chat.ErrNotFound
	case http.StatusRequestTimeout, http.StatusConflict:
		return chat.ErrServer
	case http.StatusRequestEntityTooLarge:
		return chat.ErrTooLong
	case http.StatusTooManyRequests:
		return chat.ErrRateLimited
	case http.StatusServiceUnavailable, statusOverloaded:
		return chat.ErrOverloaded
	}
	switch {
	case status >= 500:
		return chat.ErrServer
	case status >= 400:
		return chat.ErrBadRequest
	}
	return chat.ErrBadReply
}

// statusOverloaded is Anthropic's own status for having no capacity.
const statusOverloaded = 529

// retryable reports whether the same request may succeed later. A server error
// with another status than these is final: 501, say, never gets better.
func retryable(kind error, status int) bool {
	if errors.Is(kind, chat.ErrRateLimited) || errors.Is(kind, chat.ErrOverloaded) {
		return true
	}
	if !errors.Is(kind, chat.ErrServer) {
		return false
	}
	switch status {
	case http.StatusOK, http.StatusRequestTimeout, http.StatusConflict, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
		return true
	}
	return false
}

// excerptLimit bounds what of an unreadable body goes into an error.
const excerptLimit = 200

// excerpt is what to show of a body that isn't an error object: the title of
// an HTML page, else the beginning.
func excerpt(body []byte) string {
	text := bytes.TrimSpace(body)
	if len(text) == 0 {
		return ""
	}
	if text[0] == '<' {
		return page(text)
	}
	return shorten(text)
}

func page(text []byte) string {
	head := bytes.Clone(text[:min(len(text), 4096)])
	for i, c := range head { // in ASCII only: places must stay the same
		if 'A' <= c && c <= 'Z' {
			head[i] = c + 'a' - 'A'
		}
	}
	start := bytes.Index(head, []byte("<title>"))
	end := bytes.Index(head, []byte("</title>"))
	if start < 0 || end < start {
		return "an HTML page"
	}
	return "an HTML page: " + shorten(bytes.TrimSpace(text[start+len("<title>"):end]))
}

func shorten(text []byte) string {
	if len(text) > excerptLimit {
		cut := excerptLimit
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
