package sim

import (
	"fmt"
	"net/http"
	"time"
)

// refusal is an error answer before it is spelled in a provider's shape.
type refusal struct {
	status                    int
	typ, code, param, message string
	errorCode                 string // Anthropic's details.error_code
	retryAfter                time.Duration
	header                    http.Header
	body                      string
	where                     []any  // Mistral's loc
	input                     any    // Mistral's input
	detailType                string // Mistral's kind of validation error
	keyless                   bool   // there was no key at all
	details                   []any  // Google's
}

// bad is a 400 about one parameter.
func bad(param, code, format string, args ...any) *refusal {
	return &refusal{
		status: http.StatusBadRequest, typ: "invalid_request_error",
		param: param, code: code, message: fmt.Sprintf(format, args...),
	}
}

// scripted is a script's failure as an answer.
func (f *Failure) scripted() *refusal {
	r := &refusal{
		status: f.Status, typ: f.Type, code: f.Code, param: f.Param, message: f.Message,
		errorCode: f.Code, retryAfter: f.RetryAfter, header: f.Header.Clone(), body: f.Body,
	}
	if r.status == 0 {
		r.status = http.StatusInternalServerError
	}
	return r
}

// words are what a provider says with a status when nothing else is known.
type words struct{ typ, code, message string }

// Source: OpenAI, "Error codes", read 2026-11-30.
func openaiWords(status int) words {
	switch status {
	case http.StatusUnauthorized:
		return words{"invalid_request_error", "invalid_api_key", "Incorrect API key provided."}
	case http.StatusForbidden:
		return words{"invalid_request_error", "model_not_allowed", "This project may not use the requested model."}
	case http.StatusNotFound:
		return words{"invalid_request_error", "", "Not found."}
	case http.StatusTooManyRequests:
		return words{"requests", "rate_limit_exceeded", "Rate limit reached for requests per minute."}
	case http.StatusServiceUnavailable:
		return words{"service_unavailable_error", "server_is_overloaded", "The engine is overloaded, please try again later."}
	}
	if status >= http.StatusInternalServerError {
		return words{"server_error", "", "The server had an error while processing your request."}
	}
	return words{"invalid_request_error", "", http.StatusText(status)}
}

// Source: Anthropic, "Errors", read 2026-11-30.
func anthropicWords(status int) words {
	switch status {
	case http.StatusUnauthorized:
		return words{"authentication_error", "", "invalid x-api-key"}
	case http.StatusPaymentRequired:
		return words{"billing_error", "", "The credit balance is too low."}
	case http.StatusForbidden:
		return words{"permission_error", "", "This key may not use the requested model."}
	case http.StatusNotFound:
		return words{"not_found_error", "", "Not found"}
	case http.StatusRequestEntityTooLarge:
		return words{"request_too_large", "", "Request exceeds the maximum size"}
	case http.StatusTooManyRequests:
		return words{"rate_limit_error", "", "This request would exceed the rate limit of your organization."}
	case http.StatusGatewayTimeout:
		return words{"timeout_error", "", "The request timed out."}
	case statusOverloaded:
		return words{"overloaded_error", "", "Overloaded"}
	}
	if status >= http.StatusInternalServerError {
		return words{"api_error", "", "Internal server error"}
	}
	return words{"invalid_request_error", "", http.StatusText(status)}
}

// statusOverloaded exists at Anthropic only.
const statusOverloaded = 529

// fill completes a refusal with the provider's words.
func (f *refusal) fill(w words) {
	if f.typ == "" {
		f.typ = w.typ
		if f.code == "" {
			f.code = w.code
		}
	}
	if f.message == "" {
		f.message = w.message
	}
}

// orNull is s, or null where it is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

const jsonType = "application/json"

// document marshals an error body.
func document(doc object) (string, []byte) {
	b, err := marshal(doc)
	if err != nil {
		return "text/plain", []byte(err.Error())
	}
	return jsonType, b
}

// raw is a scripted body.
func (f *refusal) raw() (string, []byte) {
	b := []byte(f.body)
	return http.DetectContentType(b), b
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
