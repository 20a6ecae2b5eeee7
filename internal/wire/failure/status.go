package failure

import (
	"errors"

	"github.com/sabir-go/sabir/chat"
)

// statusKinds are the kinds of error that an HTTP status alone stands for; the
// rest are told by their hundred. 408 and 409 mean that the server gave up on a
// request that was right, as OpenAI's own clients read them; 424 that a model
// behind the server failed, on Bedrock and TEI; 499 that the caller was gone, of
// nginx, Google and Cohere; 529 is Anthropic's for having no capacity.
var statusKinds = map[int]error{
	401: chat.ErrAuth, 402: chat.ErrQuota, 403: chat.ErrAuth, 404: chat.ErrNotFound, 408: chat.ErrServer,
	409: chat.ErrServer, 413: chat.ErrTooLong, 424: chat.ErrServer, 429: chat.ErrRateLimited, 499: chat.ErrServer,
	503: chat.ErrOverloaded, 529: chat.ErrOverloaded,
}

// Redirects are ErrNotFound: they lead nowhere, as they aren't followed.
func kindOfStatus(status int) error {
	switch kind := statusKinds[status]; {
	case kind != nil:
		return kind
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
	case 429, 503, 529:
		return kindOfStatus(status)
	case 400, 413, 422:
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
	case !errors.Is(kind, chat.ErrServer), status == 501, status == 505:
		return false
	case status == 408, status == 409, status == 424:
		return true
	}
	return status < 400 || status >= 500
}
