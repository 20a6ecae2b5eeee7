package openaichat

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures has no words of its own: OpenAI's and those of compatible servers
// are passed on by gateways of every dialect.
var failures failure.Dialect

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}
