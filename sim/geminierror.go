package sim

import (
	"net/http"
	"strconv"
)

// geminiPersona is the Gemini API, vertexPersona the same on Google Cloud.
var (
	geminiPersona = &persona{
		prefix: "/v1beta", failure: geminiFailure, noWait: true,
		key: func(x *exchange) string { return x.r.Header.Get("X-Goog-Api-Key") },
	}
	vertexPersona = &persona{
		prefix: "/v1/projects/sim/locations/us-central1/publishers/google", failure: vertexFailure, noWait: true,
	}
)

// invalidArgument is a 400 of Google's APIs about one field.
func invalidArgument(field, format string, args ...any) *refusal {
	f := bad(field, "", format, args...)
	f.typ = "INVALID_ARGUMENT"
	if field != "" {
		f.details = []any{object{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []any{object{"field": field, "description": f.message}},
		}}
	}
	return f
}

// Source: go-genai v1.77.0, common.go; vercel/ai, packages/google,
// google-error.ts; read 2026-11-30.
func googleWords(status int) (typ, code, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED", "", "Request had invalid authentication credentials."
	case http.StatusForbidden:
		return "PERMISSION_DENIED", "", "The caller does not have permission"
	case http.StatusNotFound:
		return "NOT_FOUND", "", "Requested entity was not found."
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED", "", "You exceeded your current quota."
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE", "", "The model is overloaded. Please try again later."
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED", "", "The request timed out."
	}
	if status >= http.StatusInternalServerError {
		return "INTERNAL", "", "An internal error has occurred."
	}
	return "INVALID_ARGUMENT", "", "Request contains an invalid argument."
}

// geminiFailure: a key that is wrong is a bad argument here, and one that is
// missing a lack of permission. Source: vercel/ai, packages/google,
// google-error.ts, read 2026-11-30.
func geminiFailure(f *refusal, id string) (string, []byte) {
	if f.status == http.StatusUnauthorized && f.body == "" {
		f.status = http.StatusForbidden
		if f.keyless {
			f.message = "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
		} else {
			f.status, f.message = http.StatusBadRequest, "API key not valid. Please pass a valid API key."
			f.details = []any{object{
				"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
				"metadata": object{"service": "generativelanguage.googleapis.com"},
			}}
		}
	}
	return vertexFailure(f, id)
}

func vertexFailure(f *refusal, _ string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	return document(googleError(f))
}

// googleError has the wait in its details, not in a header. Source: vercel/ai,
// packages/google, google-error.ts, read 2026-11-30.
func googleError(f *refusal) object {
	f.fill(googleWords(f.status))
	if f.status == http.StatusTooManyRequests && f.retryAfter > 0 {
		f.details = append(f.details, object{
			"@type":      "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": strconv.FormatFloat(f.retryAfter.Seconds(), 'f', -1, 64) + "s",
		})
	}
	inner := object{"code": f.status, "message": f.message, "status": f.typ}
	if len(f.details) > 0 {
		inner["details"] = f.details
	}
	return object{"error": inner}
}
