package ollama

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures has no words of its own: Ollama has no codes, the status says all
// there is to know. Source: docs/api/errors.mdx; server/routes.go; read
// 2026-11-30.
var failures failure.Dialect

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}
