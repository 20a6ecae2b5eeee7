package anthropic_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/anthropic"
)

func TestErrorsByStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		kind   error
		retry  bool
	}{
		{302, chat.ErrNotFound, false},
		{400, chat.ErrBadRequest, false},
		{401, chat.ErrAuth, false},
		{402, chat.ErrQuota, false},
		{403, chat.ErrAuth, false},
		{404, chat.ErrNotFound, false},
		{405, chat.ErrBadRequest, false},
		{408, chat.ErrServer, true},
		{409, chat.ErrServer, true},
		{413, chat.ErrTooLong, false},
		{422, chat.ErrBadRequest, false},
		{429, chat.ErrRateLimited, true},
		{500, chat.ErrServer, true},
		{501, chat.ErrServer, false},
		{502, chat.ErrServer, true},
		{503, chat.ErrOverloaded, true},
		{504, chat.ErrServer, true},
		{529, chat.ErrOverloaded, true},
	}
	bodies := map[string]string{ // none of them says what happened
		"empty": "", "HTML": "<html><head><title>Oops</title></head></html>", "text": "404 page not found", "list": "[]",
		"number": "7", "bare text": `"no"`, "broken": `{"type":"error","error":{"type":"overloaded_error"`, "no words": `{"error":{}}`,
		"generic": `{"type":"error","error":{"type":"some_error","message":"no"}}`,
	}
	for _, tt := range tests {
		t.Run(http.StatusText(tt.status), func(t *testing.T) {
			t.Parallel()
			for name, body := range bodies {
				e := anthropic.Codec{}.DecodeError(tt.status, nil, []byte(body))
				if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != tt.status {
					t.Errorf("%d, %s: got %v, retryable %v", tt.status, name, e, e.Retryable)
				}
			}
		})
	}
}

// The provider's word counts for more than the status, but for the word that
// it uses for everything.
func TestErrorsByType(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		kind   error
		retry  bool
	}{
		"overloaded behind 500":        {500, `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, chat.ErrOverloaded, true},
		"spend limit is no rate limit": {429, `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"x":1,"error_code":"enforced_spend_limit_reached"}}}`, chat.ErrQuota, false},
		"rate limit with other detail": {429, `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":null}}}`, chat.ErrRateLimited, true},
		"details of another kind":      {429, `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":[1]}}`, chat.ErrRateLimited, true},
		"bad request behind 500":       {500, `{"error":{"type":"invalid_request_error","message":"m"}}`, chat.ErrBadRequest, false},
		"the general word with 401":    {401, `{"error":{"type":"invalid_request_error","message":"m"}}`, chat.ErrAuth, false},
		"the general word with 413":    {413, `{"error":{"type":"invalid_request_error","message":"m"}}`, chat.ErrTooLong, false},
		"context, by OpenAI's code":    {400, `{"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"m"}}`, chat.ErrTooLong, false},
		"context, by llama.cpp's type": {400, `{"error":{"type":"exceed_context_size_error","code":400,"message":"m"}}`, chat.ErrTooLong, false},
		"a list with an error in it":   {400, `[{"error":{"type":"billing_error","message":"m"}},{"error":{"type":"api_error"}}]`, chat.ErrQuota, false},
		"flat":                         {400, `{"type":"not_found_error","message":"m"}`, chat.ErrNotFound, false},
		"the envelope is no type":      {400, `{"type":"error","message":"m"}`, chat.ErrBadRequest, false},
		"detail instead of message":    {422, `{"detail":"m"}`, chat.ErrBadRequest, false},
		"text":                         {404, `{"error":"m","status":404}`, chat.ErrNotFound, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := anthropic.Codec{}.DecodeError(tt.status, nil, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Message != "m" {
				t.Errorf("got %v, retryable %v, message %q", e, e.Retryable, e.Message)
			}
		})
	}
}

func TestErrorKeepsTheProvidersWords(t *testing.T) {
	t.Parallel()
	const body = `{"type":"error","error":{"type":"t","message":"m","param":"p","code":7,"details":{"error_code":"c"}},"request_id":"body"}`
	h := http.Header{}
	h.Set("request-id", "header")
	h.Set("x-request-id", "proxy")
	e := anthropic.Codec{}.DecodeError(400, h, []byte(body))
	got := [...]string{e.Type, e.Message, e.Param, e.Code, e.RequestID}
	if want := [...]string{"t", "m", "p", "c", "header"}; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	h.Del("request-id")
	if e := (anthropic.Codec{}).DecodeError(400, h, []byte(body)); e.RequestID != "body" {
		t.Errorf("request id %q, want the body's", e.RequestID)
	}
	if e := (anthropic.Codec{}).DecodeError(400, h, nil); e.RequestID != "proxy" || e.Message != "empty body" {
		t.Errorf("request id %q, want the proxy's", e.RequestID)
	}
}
