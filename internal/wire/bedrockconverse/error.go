package bedrockconverse

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeError reads an error body. The exception's name stands in a header or,
// from services in front of Bedrock, in the body.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	return readError(status, h, h.Get("X-Amzn-Errortype"), body)
}

// readError makes an error of a body whatever its shape. name is the
// exception's, if the framing told it.
func readError(status int, h http.Header, name string, body []byte) *chat.Error {
	var f failure
	f.read(body)
	f.typ = cmp.Or(exceptionName(name), exceptionName(f.typ))
	kind := f.kind(status)
	e := &chat.Error{
		Kind: kind, Status: status, Type: f.typ, Message: f.words(body),
		RequestID: h.Get("X-Amzn-Requestid"), Retryable: f.retryable(kind, status),
	}
	if f.original != 0 {
		e.Code = strconv.Itoa(f.original)
	}
	return e
}

// exceptionName brings the spellings of a name to that of the documentation:
// headers have an address after it, bodies a namespace in front, frames a small
// first letter. Source: smithy.io, "AWS restJson1", operation error
// serialization, read 2026-11-30.
func exceptionName(s string) string {
	s, _, _ = strings.Cut(s, ":")
	if i := strings.LastIndexByte(s, '#'); i >= 0 {
		s = s[i+1:]
	}
	s = strings.TrimSpace(s)
	if s != "" && 'a' <= s[0] && s[0] <= 'z' {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// failure is an error as the provider words it. What a model behind it said
// comes with a status of its own.
type failure struct {
	typ, message    string
	original        int
	originalMessage string
}

func (f *failure) read(body []byte) {
	var s rawjson.Scanner
	s.Reset(body)
	f.scan(&s)
	if s.End() != nil { // not JSON: nothing in it counts
		*f = failure{}
	}
}

func (f *failure) scan(s *rawjson.Scanner) {
	if s.Kind() == rawjson.String {
		f.message = cmp.Or(f.message, s.Text())
		return
	}
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		f.scanMember(string(key), s)
	}
}

func (f *failure) scanMember(key string, s *rawjson.Scanner) {
	switch key {
	case "__type", "code":
		f.typ = cmp.Or(f.typ, s.Text())
	case "message", "Message", "errorMessage":
		f.message = cmp.Or(f.message, s.Text())
	case "error": // of gateways and mocks: an object or a text
		f.scan(s)
	case "originalStatusCode":
		f.original = int(min(max(s.Int(), 0), 999))
	case "originalMessage":
		f.originalMessage = s.Text()
	default:
		s.Skip()
	}
}

func (f *failure) words(body []byte) string {
	switch {
	case f.message == "" && f.originalMessage == "":
		if len(body) > 0 && f.typ != "" && rawjson.Valid(body) {
			return "" // the name says it all
		}
		return wire.Excerpt(body)
	case f.message == "" || f.originalMessage == "" || f.message == f.originalMessage:
		return cmp.Or(f.message, f.originalMessage)
	}
	return strings.TrimSuffix(f.message, ".") + ": " + f.originalMessage
}

// kind classifies by the exception: inside a stream the status is 200 whatever
// happened. Source: aws-sdk-go-v2 bedrockruntime types/errors.go; Bedrock User
// Guide, "Troubleshooting API error codes"; AWS Signature Version 4 errors;
// read 2026-11-30.
func (f *failure) kind(status int) error {
	switch f.typ {
	case "AccessDeniedException", "AccessDenied", "UnrecognizedClientException", "NotAuthorized",
		"InvalidSignatureException", "SignatureDoesNotMatch", "IncompleteSignature", "IncompleteSignatureException",
		"MissingAuthenticationToken", "MissingAuthenticationTokenException", "InvalidClientTokenId",
		"ExpiredToken", "ExpiredTokenException", "OptInRequired":
		return chat.ErrAuth
	case "ResourceNotFoundException", "UnknownOperationException":
		return chat.ErrNotFound
	case "ThrottlingException", "Throttling", "TooManyRequestsException":
		return chat.ErrRateLimited
	case "ServiceQuotaExceededException":
		return chat.ErrQuota
	case "ServiceUnavailableException", "ServiceUnavailable", "ModelNotReadyException":
		return chat.ErrOverloaded
	case "InternalServerException", "InternalFailure", "ModelTimeoutException", "ConflictException":
		return chat.ErrServer
	case "ModelErrorException", "ModelStreamErrorException":
		return f.kindOfModel()
	case "ValidationException", "ValidationError", "SerializationException":
		return chat.ErrBadRequest
	}
	if status == http.StatusOK && (f.typ != "" || f.message != "") {
		return chat.ErrServer // an exception of a kind that isn't known
	}
	return wire.KindOfStatus(status)
}

// kindOfModel is what the model's own status means for us: it has nothing to do
// with our key or address.
func (f *failure) kindOfModel() error {
	switch f.original {
	case http.StatusTooManyRequests:
		return chat.ErrRateLimited
	case http.StatusServiceUnavailable, statusOverloaded:
		return chat.ErrOverloaded
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return chat.ErrBadRequest
	}
	return chat.ErrServer
}

// statusOverloaded is Anthropic's own status for having no capacity.
const statusOverloaded = 529

// retryable reports whether the same request may succeed later. 424, a failed
// dependency, is the model's status. Source: aws-sdk-go-v2 bedrockruntime
// types/errors.go, ModelErrorException, read 2026-11-30.
func (f *failure) retryable(kind error, status int) bool {
	if status == http.StatusFailedDependency {
		status = http.StatusBadGateway
	}
	return wire.RetryableStatus(kind, status)
}
