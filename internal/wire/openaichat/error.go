package openaichat

import (
	"errors"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

// DecodeError reads the body of an answer that failed: OpenAI's error object
// and everything that compatible servers put in its place, text and HTML
// included. It doesn't read Retry-After, which is not of this dialect alone.
func (Codec) DecodeError(status int, h http.Header, body []byte) *chat.Error {
	e := readFailure(body).err(status)
	for _, name := range requestIDs {
		if id := h.Get(name); id != "" {
			e.RequestID = id
			break
		}
	}
	return e
}

// requestIDs are the headers in which providers name a request.
// Source: OpenAI, "Rate limits"; Anthropic, "Errors"; a Mistral error recorded
// in 0xPlaygrounds/rig, tests/cassettes/mistral/response_identity_edge;
// aws-sdk-go-v2, service/bedrockruntime; read 2026-11-30.
var requestIDs = [...]string{"X-Request-Id", "Request-Id", "Mistral-Correlation-Id", "X-Amzn-Requestid"}

// failureInside reads an error that came with status 200, in a reply or a
// stream. Its kind follows from what it says.
func failureInside(body []byte) *chat.Error { return readFailure(body).err(http.StatusOK) }

func (f *failure) err(status int) *chat.Error {
	said := status
	if status < 300 { // the code in the body stands for the status
		said = f.status
	}
	kind, sure := f.kind(said)
	return &chat.Error{
		Kind: kind, Status: status, Type: f.typ, Code: f.code, Param: f.param, Message: f.message,
		RequestID: f.requestID, RetryAfter: f.retryAfter, Retryable: sure && retryable(kind, said),
	}
}

func retryable(kind error, status int) bool {
	if is(kind, chat.ErrServer) {
		return status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported
	}
	return is(kind, chat.ErrRateLimited) || is(kind, chat.ErrOverloaded)
}

// words are codes and types whose meaning doesn't hang on the status: 429 is
// also an empty account, 400 also a prompt that is too long.
// Sources, all read 2026-11-30: OpenAI's error guide; llama.cpp's server
// (exceed_context_size_error); console.groq.com/docs/errors (tool_use_failed);
// Anthropic's error page for proxies that pass its errors on; DashScope
// (data_inspection_failed, Arrearage); Azure OpenAI's content filter page.
var words = map[string]error{
	"context_length_exceeded":        chat.ErrTooLong,
	"context_window_exceeded":        chat.ErrTooLong,
	"exceed_context_size_error":      chat.ErrTooLong,
	"request_too_large":              chat.ErrTooLong,
	"insufficient_quota":             chat.ErrQuota,
	"insufficient_balance":           chat.ErrQuota,
	"billing_error":                  chat.ErrQuota,
	"billing_not_active":             chat.ErrQuota,
	"billing_hard_limit_reached":     chat.ErrQuota,
	"exceeded_current_quota_error":   chat.ErrQuota,
	"arrearage":                      chat.ErrQuota,
	"content_filter":                 chat.ErrFiltered,
	"content_policy_violation":       chat.ErrFiltered,
	"responsibleaipolicyviolation":   chat.ErrFiltered,
	"data_inspection_failed":         chat.ErrFiltered,
	"tool_use_failed":                chat.ErrMalformedCall,
	"invalid_api_key":                chat.ErrAuth,
	"api_key_invalid":                chat.ErrAuth,
	"rate_limit_exceeded":            chat.ErrRateLimited,
	"rate_limit_error":               chat.ErrRateLimited,
	"server_is_overloaded":           chat.ErrOverloaded,
	"slow_down":                      chat.ErrOverloaded,
	"overloaded_error":               chat.ErrOverloaded,
	"engine_overloaded_error":        chat.ErrOverloaded,
	"capacity_exceeded":              chat.ErrOverloaded,
	"service_tier_capacity_exceeded": chat.ErrOverloaded,
}

// hints are types that decide where the status doesn't: inside a 200, or
// behind the 500 that llama.cpp's server answers to a bad request.
var hints = map[string]error{
	"invalid_request_error":     chat.ErrBadRequest,
	"badrequesterror":           chat.ErrBadRequest,
	"invalid_argument":          chat.ErrBadRequest,
	"authentication_error":      chat.ErrAuth,
	"permission_error":          chat.ErrAuth,
	"unauthenticated":           chat.ErrAuth,
	"permission_denied":         chat.ErrAuth,
	"not_found":                 chat.ErrNotFound,
	"not_found_error":           chat.ErrNotFound,
	"notfounderror":             chat.ErrNotFound,
	"model_not_found":           chat.ErrNotFound,
	"resource_exhausted":        chat.ErrRateLimited,
	"service_unavailable_error": chat.ErrOverloaded,
	"unavailable":               chat.ErrOverloaded,
	"server_error":              chat.ErrServer,
	"internal_server_error":     chat.ErrServer,
	"internal":                  chat.ErrServer,
	"api_error":                 chat.ErrServer,
}

// kind says what sort of error it is, by code, type and status in that order.
// It isn't sure where none of them is known, which can only be inside a 200.
func (f *failure) kind(status int) (kind error, sure bool) {
	said := [...]string{f.code, f.typ, f.reason}
	if k := firstOf(words, said[:]); k != nil {
		return k, true
	}
	kind = wire.KindOfFailure(status)
	hint := firstOf(hints, said[:])
	switch {
	case hint == nil:
		if kind == nil {
			return chat.ErrServer, false
		}
	case kind == nil, is(kind, chat.ErrServer), is(kind, chat.ErrOverloaded) && !is(hint, chat.ErrServer),
		is(kind, chat.ErrBadRequest) && is(hint, chat.ErrNotFound):
		return hint, true
	}
	return kind, true
}

// is compares kinds.
func is(kind, sentinel error) bool { return errors.Is(kind, sentinel) }

func firstOf(table map[string]error, said []string) error {
	for _, w := range said {
		if k := table[strings.ToLower(w)]; k != nil {
			return k
		}
	}
	return nil
}
