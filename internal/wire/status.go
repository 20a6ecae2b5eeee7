package wire

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
)

// statusOverloaded is what Anthropic, and others after it, answer with when
// there is no capacity.
const statusOverloaded = 529

// KindOfStatus is the kind of error that an HTTP status alone stands for. 408
// and 409 mean that the server gave up on a request that was right, as OpenAI's
// own clients read them.
func KindOfStatus(status int) error {
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

// KindOfFailure is KindOfStatus for where a body may know better: nil if the
// status says nothing by itself. Redirects lead nowhere, as they aren't followed.
func KindOfFailure(status int) error {
	switch {
	case status >= 400:
		return KindOfStatus(status)
	case status >= 300:
		return chat.ErrNotFound
	}
	return nil
}

// Unreadable is the error for a body or frame that isn't the JSON it should be.
// cause says why; nil means that it is JSON, but no object.
func Unreadable(body []byte, cause error) *chat.Error {
	if cause == nil {
		cause = errors.New("not a JSON object")
	}
	return &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Message: Excerpt(body), Err: cause}
}

// RetryableStatus reports whether a request that failed with this kind and
// status may succeed later. A server error with another status than these is
// final: 501, say, never gets better.
func RetryableStatus(kind error, status int) bool {
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

// Bounds of what goes from a body into an error.
const (
	excerptLimit = 200
	titleLimit   = 4096 // how far to look for the title of a page
)

// Excerpt is what to show of a body that isn't the JSON it should be: the title
// of an HTML page, else the beginning; empty for an empty body.
func Excerpt(body []byte) string {
	text := bytes.TrimSpace(body)
	if len(text) == 0 || text[0] != '<' {
		return shorten(text)
	}
	head := bytes.Clone(text[:min(len(text), titleLimit)])
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
