package sim

import (
	"net/http"
)

// Source: Anthropic, "Errors", read 2026-11-30.
func anthropicWords(status int) (typ, code, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error", "", "invalid x-api-key"
	case http.StatusPaymentRequired:
		return "billing_error", "", "The credit balance is too low."
	case http.StatusForbidden:
		return "permission_error", "", "This key may not use the requested model."
	case http.StatusNotFound:
		return "not_found_error", "", "Not found"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large", "", "Request exceeds the maximum size"
	case http.StatusTooManyRequests:
		return "rate_limit_error", "", "This request would exceed the rate limit of your organization."
	case http.StatusGatewayTimeout:
		return "timeout_error", "", "The request timed out."
	case statusOverloaded:
		return "overloaded_error", "", "Overloaded"
	}
	if status >= http.StatusInternalServerError {
		return "api_error", "", "Internal server error"
	}
	return "invalid_request_error", "", http.StatusText(status)
}

// statusOverloaded exists at Anthropic only.
const statusOverloaded = 529

func anthropicFailure(f *refusal, id string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	return document(anthropicError(f, id))
}

func anthropicError(f *refusal, id string) object {
	f.fill(anthropicWords(f.status))
	inner := object{"type": f.typ, "message": f.message}
	if f.errorCode != "" {
		inner["details"] = object{"error_code": f.errorCode}
	}
	return object{"type": "error", "error": inner, "request_id": id}
}
