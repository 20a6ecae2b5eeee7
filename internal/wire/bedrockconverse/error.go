package bedrockconverse

import (
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/frame"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// failures names AWS's exceptions, which come with 200 inside a stream, and
// with 400 from what stands in front of Bedrock. Source: aws-sdk-go-v2
// bedrockruntime types/errors.go; Bedrock User Guide, "Troubleshooting API
// error codes"; AWS Signature Version 4 errors; read 2026-11-30.
var failures = failure.Dialect{
	Kinds: map[error][]string{
		chat.ErrAuth: {
			"AccessDenied", "AccessDeniedException", "UnrecognizedClientException", "NotAuthorized",
			"InvalidSignatureException", "SignatureDoesNotMatch", "IncompleteSignature", "IncompleteSignatureException",
			"MissingAuthenticationToken", "MissingAuthenticationTokenException", "InvalidClientTokenId",
			"ExpiredToken", "ExpiredTokenException", "OptInRequired",
		},
		chat.ErrNotFound:    {"ResourceNotFoundException", "UnknownOperationException"},
		chat.ErrRateLimited: {"Throttling"},
		chat.ErrOverloaded:  {"ServiceUnavailable", "ServiceUnavailableException", "ModelNotReadyException"},
		chat.ErrBadRequest:  {"ValidationException", "ValidationError", "SerializationException"},
	},
	Statuses: map[int][]string{
		http.StatusRequestTimeout:      {"ModelTimeoutException"},
		http.StatusConflict:            {"ConflictException"},
		http.StatusFailedDependency:    {"ModelErrorException", "ModelStreamErrorException"},
		http.StatusInternalServerError: {"InternalServerException", "InternalFailure"},
	},
	RetryUnknown: true,
}

// DecodeError implements [wire.Codec].
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return failures.Decode(status, h, body)
}

// decodeException reads the error of a frame that says that it is one, whatever is in
// it. Its name stands where a whole answer has a header.
func decodeException(f *frame.Frame) *chat.Error {
	return failures.Decode(http.StatusOK, http.Header{"X-Amzn-Errortype": {string(f.Event)}}, f.Data)
}
