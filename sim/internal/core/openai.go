package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// OpenAI is OpenAI on both of its dialects.
var OpenAI = &Persona{
	Prefix: "/v1", IDHeader: "X-Request-Id", Failure: EncodeOpenAIFailure, waitInMillis: true,
	Limits: func(h http.Header, left string) {
		h.Set("Openai-Processing-Ms", "12")
		h.Set("Openai-Version", "2020-10-01")
		WriteOpenAILimits(h, left)
	},
}

// WriteOpenAILimits writes the headers of the rate limits with OpenAI's names.
// Source: OpenAI, "Rate limits"; maruel/genai, providers/groq/client.go; read
// 2026-11-30.
func WriteOpenAILimits(h http.Header, left string) {
	h.Set("X-Ratelimit-Limit-Requests", "500")
	h.Set("X-Ratelimit-Remaining-Requests", left)
	h.Set("X-Ratelimit-Reset-Requests", "120ms")
	h.Set("X-Ratelimit-Limit-Tokens", "200000")
	h.Set("X-Ratelimit-Remaining-Tokens", "199000")
	h.Set("X-Ratelimit-Reset-Tokens", "1m3.5s")
}

// RefuseParam is a 400 about one parameter.
func RefuseParam(param, code, format string, args ...any) *Refusal {
	return &Refusal{
		Status: http.StatusBadRequest, Type: "invalid_request_error",
		Param: param, Code: code, Message: fmt.Sprintf(format, args...),
	}
}

// RefuseUnreadable is the answer to a body that can't be decoded.
func RefuseUnreadable(err error) *Refusal {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		r := RefuseParam(t.Field, "invalid_type", "Invalid type for '%s': got a JSON %s.", t.Field, t.Value)
		r.Where, r.DetailType = []any{"body", t.Field}, "type_error"
		return r
	}
	r := RefuseParam("", "", "We could not parse the JSON body of your request.")
	r.Where, r.DetailType = []any{"body"}, "json_invalid"
	return r
}

// RefuseUnknown is the objection to the first member that isn't known; nil if
// all are.
func RefuseUnknown(raw map[string]json.RawMessage, known []string, where string) *Refusal {
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
	return RefuseParam(name, "unknown_parameter", "Unknown parameter: '%s'.", name)
}

// RefuseRange is the objection to a number that isn't between 0 and high.
func RefuseRange(name string, v, high float64) *Refusal {
	code, word := "decimal_above_max_value", "maximum"
	bound := high
	if v < 0 {
		code, word, bound = "decimal_below_min_value", "minimum", 0
	}
	return RefuseParam(name, code, "Invalid '%s': decimal out of range. Expected a value with %s %v, but got %v instead.",
		name, word, bound, v)
}

// OpenAIWords are what OpenAI says with a status. Source: OpenAI, "Error codes",
// read 2026-11-30.
func OpenAIWords(status int) (typ, code, message string) {
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

// EncodeOpenAIFailure spells an error as OpenAI does.
func EncodeOpenAIFailure(f *Refusal, _ string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	f.FillWords(OpenAIWords(f.Status))
	return EncodeDocument(object{"error": EncodeOpenAIError(f)})
}

// EncodeOpenAIError is the member error of OpenAI's body.
func EncodeOpenAIError(f *Refusal) object {
	return object{"message": f.Message, "type": f.Type, "param": OrNull(f.Param), "code": OrNull(f.Code)}
}
