package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// openaiPersona is OpenAI on both of its dialects.
var openaiPersona = &persona{
	prefix: "/v1", idHeader: "X-Request-Id", failure: openaiFailure, waitInMillis: true,
	limits: func(h http.Header, left string) {
		h.Set("Openai-Processing-Ms", "12")
		h.Set("Openai-Version", "2020-10-01")
		openaiLimits(h, left)
	},
}

// openaiLimits: source: OpenAI, "Rate limits"; maruel/genai,
// providers/groq/client.go; read 2026-11-30.
func openaiLimits(h http.Header, left string) {
	h.Set("X-Ratelimit-Limit-Requests", "500")
	h.Set("X-Ratelimit-Remaining-Requests", left)
	h.Set("X-Ratelimit-Reset-Requests", "120ms")
	h.Set("X-Ratelimit-Limit-Tokens", "200000")
	h.Set("X-Ratelimit-Remaining-Tokens", "199000")
	h.Set("X-Ratelimit-Reset-Tokens", "1m3.5s")
}

// bad is a 400 about one parameter.
func bad(param, code, format string, args ...any) *refusal {
	return &refusal{
		status: http.StatusBadRequest, typ: "invalid_request_error",
		param: param, code: code, message: fmt.Sprintf(format, args...),
	}
}

// unreadable is the answer to a body that can't be decoded.
func unreadable(err error) *refusal {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		r := bad(t.Field, "invalid_type", "Invalid type for '%s': got a JSON %s.", t.Field, t.Value)
		r.where, r.detailType = []any{"body", t.Field}, "type_error"
		return r
	}
	r := bad("", "", "We could not parse the JSON body of your request.")
	r.where, r.detailType = []any{"body"}, "json_invalid"
	return r
}

func unknownMember(raw map[string]json.RawMessage, known []string, where string) *refusal {
	var unknown []string
	for name := range raw {
		if !slices.Contains(known, name) {
			unknown = append(unknown, where+name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	name := slices.Min(unknown)
	return bad(name, "unknown_parameter", "Unknown parameter: '%s'.", name)
}

// outOfRange is the objection to a number that isn't between 0 and high.
func outOfRange(name string, v, high float64) *refusal {
	code, word := "decimal_above_max_value", "maximum"
	bound := high
	if v < 0 {
		code, word, bound = "decimal_below_min_value", "minimum", 0
	}
	return bad(name, code, "Invalid '%s': decimal out of range. Expected a value with %s %v, but got %v instead.", name, word, bound, v)
}

// Source: OpenAI, "Error codes", read 2026-11-30.
func openaiWords(status int) (typ, code, message string) {
	switch status {
	case http.StatusUnauthorized:
		return "invalid_request_error", "invalid_api_key", "Incorrect API key provided."
	case http.StatusForbidden:
		return "invalid_request_error", "model_not_allowed", "This project may not use the requested model."
	case http.StatusNotFound:
		return "invalid_request_error", "", "Not found."
	case http.StatusTooManyRequests:
		return "requests", "rate_limit_exceeded", "Rate limit reached for requests per minute."
	case http.StatusServiceUnavailable:
		return "service_unavailable_error", "server_is_overloaded", "The engine is overloaded, please try again later."
	}
	if status >= http.StatusInternalServerError {
		return "server_error", "", "The server had an error while processing your request."
	}
	return "invalid_request_error", "", http.StatusText(status)
}

func openaiFailure(f *refusal, _ string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	f.fill(openaiWords(f.status))
	return document(object{"error": openaiError(f)})
}

func openaiError(f *refusal) object {
	return object{"message": f.message, "type": f.typ, "param": orNull(f.param), "code": orNull(f.code)}
}
