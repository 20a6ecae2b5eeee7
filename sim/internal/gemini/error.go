package gemini

import (
	"net/http"
	"strconv"

	"github.com/sabir-go/sabir/sim/internal/core"
)

// Gemini is the Gemini API, Vertex the same on Google Cloud.
var (
	Gemini = &core.Persona{
		Prefix: "/v1beta", Failure: encodeGeminiFailure, NoWait: true,
		Key: func(x *core.Exchange) string { return x.R.Header.Get("X-Goog-Api-Key") },
	}
	Vertex = &core.Persona{
		Prefix: "/v1/projects/sim/locations/us-central1/publishers/google", Failure: encodeFailure, NoWait: true,
	}
)

// refuseArgument makes a 400 of Google's APIs about one field.
func refuseArgument(field, format string, args ...any) *core.Refusal {
	f := core.RefuseParam(field, "", format, args...)
	f.Type = "INVALID_ARGUMENT"
	if field != "" {
		f.Details = []any{object{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []any{object{"field": field, "description": f.Message}},
		}}
	}
	return f
}

// Source: go-genai v1.77.0, common.go; vercel/ai, packages/google,
// google-error.ts; read 2026-11-30.
func wordsFor(status int) (typ, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case http.StatusForbidden:
		return "PERMISSION_DENIED", "The caller does not have permission"
	case http.StatusNotFound:
		return "NOT_FOUND", "Requested entity was not found."
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED", "You exceeded your current quota."
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE", "The model is overloaded. Please try again later."
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED", "The request timed out."
	}
	if status >= http.StatusInternalServerError {
		return "INTERNAL", "An internal error has occurred."
	}
	return "INVALID_ARGUMENT", "Request contains an invalid argument."
}

// encodeGeminiFailure: a key that is wrong is a bad argument here, and one that is
// missing a lack of permission. Source: vercel/ai, packages/google,
// google-error.ts, read 2026-11-30.
func encodeGeminiFailure(f *core.Refusal, id string) (string, []byte) {
	if f.Status == http.StatusUnauthorized && f.Body == "" {
		f.Status = http.StatusForbidden
		if f.Keyless {
			f.Message = "Method doesn't allow unregistered callers (callers without established identity). " +
				"Please use API Key or other form of API consumer identity to call this API."
		} else {
			f.Status, f.Message = http.StatusBadRequest, "API key not valid. Please pass a valid API key."
			f.Details = []any{object{
				"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
				"metadata": object{"service": "generativelanguage.googleapis.com"},
			}}
		}
	}
	return encodeFailure(f, id)
}

func encodeFailure(f *core.Refusal, _ string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	return core.EncodeDocument(encodeError(f))
}

// encodeError has the wait in its details, not in a header. Source: vercel/ai,
// packages/google, google-error.ts, read 2026-11-30.
func encodeError(f *core.Refusal) object {
	typ, message := wordsFor(f.Status)
	f.FillWords(typ, "", message)
	if f.Status == http.StatusTooManyRequests && f.RetryAfter > 0 {
		f.Details = append(f.Details, object{
			"@type":      "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": strconv.FormatFloat(f.RetryAfter.Seconds(), 'f', -1, 64) + "s",
		})
	}
	inner := object{"code": f.Status, "message": f.Message, "status": f.Type}
	if len(f.Details) > 0 {
		inner["details"] = f.Details
	}
	return object{"error": inner}
}
