package messages

import (
	"net/http"

	"github.com/sabir-go/sabir/sim/internal/core"
)

func writeLimits(h http.Header, left string) {
	h.Set("Anthropic-Ratelimit-Requests-Limit", "500")
	h.Set("Anthropic-Ratelimit-Requests-Remaining", left)
	h.Set("Anthropic-Ratelimit-Requests-Reset", "2026-11-30T12:00:01Z")
	h.Set("Anthropic-Ratelimit-Tokens-Limit", "200000")
	h.Set("Anthropic-Ratelimit-Tokens-Remaining", "199000")
	h.Set("Anthropic-Ratelimit-Tokens-Reset", "2026-11-30T12:00:01Z")
	h.Set("Anthropic-Organization-Id", "00000000-0000-4000-8000-000000000000")
}

// Source: Anthropic, "Errors", read 2026-11-30.
func wordsFor(status int) (typ, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error", "invalid x-api-key"
	case http.StatusPaymentRequired:
		return "billing_error", "The credit balance is too low."
	case http.StatusForbidden:
		return "permission_error", "This key may not use the requested model."
	case http.StatusNotFound:
		return "not_found_error", "Not found"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large", "Request exceeds the maximum size"
	case http.StatusTooManyRequests:
		return "rate_limit_error", "This request would exceed the rate limit of your organization."
	case http.StatusGatewayTimeout:
		return "timeout_error", "The request timed out."
	case statusOverloaded:
		return "overloaded_error", "Overloaded"
	}
	if status >= http.StatusInternalServerError {
		return "api_error", "Internal server error"
	}
	return "invalid_request_error", http.StatusText(status)
}

// statusOverloaded exists at Anthropic only.
const statusOverloaded = 529

func encodeFailure(f *core.Refusal, id string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	return core.EncodeDocument(encodeError(f, id))
}

func encodeError(f *core.Refusal, id string) object {
	typ, message := wordsFor(f.Status)
	f.FillWords(typ, "", message)
	inner := object{"type": f.Type, "message": f.Message}
	if f.ErrorCode != "" {
		inner["details"] = object{"error_code": f.ErrorCode}
	}
	return object{"type": "error", "error": inner, "request_id": id}
}
