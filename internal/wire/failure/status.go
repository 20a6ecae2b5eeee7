package failure

import (
	"errors"
	"net/http"

	"github.com/sabir-go/sabir/chat"
)

// Statuses that net/http has no names for.
const (
	statusClosedRequest = 499 // nginx's, Google's, Cohere's: the client was gone
	statusOverloaded    = 529 // Anthropic's, and that of others after it: no capacity
)

// kindOfStatus is the kind of error that an HTTP status alone stands for. 408
// and 409 mean that the server gave up on a request that was right, as OpenAI's
// own clients read them; 424 that a model behind the server failed, on Bedrock
// and TEI. Redirects lead nowhere, as they aren't followed.
func kindOfStatus(status int) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return chat.ErrAuth
	case http.StatusPaymentRequired:
		return chat.ErrQuota
	case http.StatusNotFound:
		return chat.ErrNotFound
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusFailedDependency, statusClosedRequest:
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
	case status >= 300:
		return chat.ErrNotFound
	}
	return chat.ErrBadReply
}

// kindBehind is what the status of a model behind a gateway means for us: it
// has nothing to do with our key or address.
func kindBehind(status int) error {
	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, statusOverloaded:
		return kindOfStatus(status)
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return chat.ErrBadRequest
	}
	return chat.ErrServer
}

// retryable reports whether a request that failed with this kind and HTTP
// status may succeed later; status 0 means that the kind was told from a word.
// A server error is final where the server says so: 501, say, never gets better.
func retryable(kind error, status int) bool {
	switch {
	case errors.Is(kind, chat.ErrRateLimited), errors.Is(kind, chat.ErrOverloaded):
		return true
	case !errors.Is(kind, chat.ErrServer):
		return false
	}
	switch status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusFailedDependency:
		return true
	}
	return status < 400 || status >= 500
}
