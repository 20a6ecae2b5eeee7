package coherev2

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures names what only Cohere says: the body's id is the request's; 498
// means that a word on a list is in the prompt or in the answer; a stream ends
// with a finish reason that is an error. Source: cohere-go v2, errors.go and
// chat_finish_reason; docs.cohere.com, "Errors"; read 2026-11-30.
var failures = failure.Dialect{
	StatusKinds:  map[int]error{498: chat.ErrFiltered},
	Statuses:     map[int][]string{http.StatusInternalServerError: {"ERROR"}, http.StatusGatewayTimeout: {"TIMEOUT"}},
	RequestID:    "id",
	RetryUnknown: true,
}

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}
