package gemini

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures has no words of its own: Google answers in the same shape on its
// OpenAI-compatible path and on Vertex for other publishers' models.
var failures failure.Dialect

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}
