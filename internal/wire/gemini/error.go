package gemini

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeError reads an error body: Google's own, alone or in a list, or
// whatever a proxy put there. The wait that RetryInfo asks for is in it.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	e := readError(status, h, body)
	if e.Message == "" {
		e.Message = excerpt(body)
	}
	return e
}

// readError makes an error of a body whatever its shape. Inside a stream or a
// reply, where the status is 200, the code in the body stands for it.
func readError(status int, h http.Header, body []byte) *chat.Error {
	f := readFailure(body)
	said := status
	if status < 300 {
		said = cmp.Or(f.status, statusOfWord(f.typ))
	}
	kind := f.kind(said)
	return &chat.Error{
		Kind: kind, Status: status, Type: f.typ, Code: cmp.Or(f.reason, f.code), Param: f.param, Message: f.message,
		RequestID: h.Get("X-Request-Id"), RetryAfter: f.retryAfter, Retryable: wire.RetryableStatus(kind, said),
	}
}

// unreadable is the error for a body or frame that isn't the JSON it should be.
func unreadable(body []byte, cause error) *chat.Error {
	if cause == nil {
		cause = errors.New("not a JSON object")
	}
	return &chat.Error{Kind: chat.ErrBadReply, Status: http.StatusOK, Message: excerpt(body), Err: cause}
}

// kind classifies by quota, then by reason, then by the status in words, then by the number.
func (f *failure) kind(status int) error {
	if f.spent {
		return chat.ErrQuota
	}
	if k := kindOfReason(f.reason); k != nil {
		return k
	}
	if k := kindOfWord(f.typ); k != nil {
		return k
	}
	if k := wire.KindOfFailure(status); k != nil {
		return k
	}
	return chat.ErrServer // an error inside a reply that says nothing we know
}

// kindOfReason knows the reasons of ErrorInfo that say more than the status.
// A bad key comes with 400. Source: googleapis google/api/error_reason.proto,
// read 2026-11-30.
func kindOfReason(reason string) error {
	switch reason {
	case "API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED", "API_KEY_IP_ADDRESS_BLOCKED",
		"API_KEY_ANDROID_APP_BLOCKED", "API_KEY_IOS_APP_BLOCKED", "SERVICE_DISABLED", "CONSUMER_INVALID",
		"CONSUMER_SUSPENDED", "USER_PROJECT_DENIED", "SECURITY_POLICY_VIOLATED", "ACCESS_TOKEN_EXPIRED":
		return chat.ErrAuth
	case "BILLING_DISABLED", "RESOURCE_QUOTA_EXCEEDED":
		return chat.ErrQuota
	case "RATE_LIMIT_EXCEEDED":
		return chat.ErrRateLimited
	}
	return nil
}

// kindOfWord reads google.rpc.Code. Source: googleapis google/rpc/code.proto
// and its mapping to HTTP, read 2026-11-30.
func kindOfWord(word string) error {
	switch word {
	case "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "ALREADY_EXISTS":
		return chat.ErrBadRequest
	case "UNAUTHENTICATED", "PERMISSION_DENIED":
		return chat.ErrAuth
	case "NOT_FOUND":
		return chat.ErrNotFound
	case "RESOURCE_EXHAUSTED":
		return chat.ErrRateLimited
	case "UNAVAILABLE":
		return chat.ErrOverloaded
	case "INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED":
		return chat.ErrServer
	}
	return nil
}

// statusOfWord is the HTTP status of those failures of a server that pass; 0
// of all others.
func statusOfWord(word string) int {
	switch word {
	case "INTERNAL", "UNKNOWN":
		return http.StatusInternalServerError
	case "DEADLINE_EXCEEDED":
		return http.StatusGatewayTimeout
	case "ABORTED":
		return http.StatusConflict
	}
	return 0
}
