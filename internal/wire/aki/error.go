package aki

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures says what an error without a code is: what AKI documents for those
// (wrong JSON, parameters out of range, no such endpoint, no access) is the
// caller's to mend. Source: github.com/aki-io-labs/aki-io, js/aki_io.js, read
// 2026-11-30.
var failures = failure.Dialect{Unknown: chat.ErrBadRequest}

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}
