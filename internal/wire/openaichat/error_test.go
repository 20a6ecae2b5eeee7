package openaichat_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

// TestDecodeError reads error bodies of every shape that was seen.
func TestDecodeError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		status    int
		body      string
		kind      error
		retryable bool
		message   string // a part of it
	}{
		{"OpenAI", 400, `{"error":{"message":"bad","type":"invalid_request_error","param":"messages","code":"invalid_value"}}`, chat.ErrBadRequest, false, "bad"},
		{"too long", 400, `{"error":{"message":"long","code":"context_length_exceeded"}}`, chat.ErrTooLong, false, "long"},
		{"too long by type", 400, `{"error":{"code":400,"message":"long","type":"exceed_context_size_error"}}`, chat.ErrTooLong, false, "long"},
		{"too large", 413, `nginx`, chat.ErrTooLong, false, "nginx"},
		{"no key", 401, ``, chat.ErrAuth, false, "empty body"},
		{"not allowed", 403, `{"error":"no"}`, chat.ErrAuth, false, "no"},
		{"a bad key behind a 400", 400, `[{"error":{"code":400,"message":"key","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, chat.ErrAuth, false, "key"},
		{"no money", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, chat.ErrQuota, false, "Balance"},
		{"quota behind a 429", 429, `{"error":{"message":"q","type":"insufficient_quota","code":"insufficient_quota"}}`, chat.ErrQuota, false, "q"},
		{"no such model", 404, `{"error":{"message":"model 'nope' not found"}}`, chat.ErrNotFound, false, "nope"},
		{"no such model behind a 400", 400, `{"error":{"message":"m","code":"model_not_found"}}`, chat.ErrNotFound, false, "m"},
		{"moved", 301, ``, chat.ErrNotFound, false, ""},
		{"timeout", 408, ``, chat.ErrServer, true, ""},
		{"conflict", 409, ``, chat.ErrServer, true, ""},
		{"unprocessable", 422, `{"detail":[{"loc":["body","messages",0,"role"],"msg":"field required","type":"missing"},{"msg":"and more"}]}`, chat.ErrBadRequest, false, "body.messages.0.role: field required; and more"},
		{"unprocessable, as Mistral nests it", 422, `{"object":"error","message":{"detail":[{"msg":"wrong","loc":["body"]}]},"type":"invalid_request_error"}`, chat.ErrBadRequest, false, "body: wrong"},
		{"detail as text", 400, `{"detail":"Model not found"}`, chat.ErrBadRequest, false, "Model not found"},
		{"flat", 400, `{"object":"error","message":"not loaded","type":"BadRequestError","code":400}`, chat.ErrBadRequest, false, "not loaded"},
		{"too many", 429, `{"message":"slow"}`, chat.ErrRateLimited, true, "slow"},
		{"rate limit behind a 400", 400, `{"error":{"message":"r","type":"rate_limit_error"}}`, chat.ErrRateLimited, true, "r"},
		{"server", 500, `{"error":{"message":"x","type":"server_error"}}`, chat.ErrServer, true, "x"},
		{"a bad request behind a 500", 500, `{"error":{"code":500,"message":"x","type":"invalid_request_error"}}`, chat.ErrBadRequest, false, "x"},
		{"not implemented", 501, ``, chat.ErrServer, false, ""},
		{"HTML", 502, "<html>\r\n<head><title>502 Bad\nGateway</title>", chat.ErrServer, true, "502 Bad Gateway"},
		{"HTML without a title", 502, "<!DOCTYPE html><h1>x</h1>", chat.ErrServer, true, "HTML page"},
		{"unavailable", 503, `upstream connect error`, chat.ErrOverloaded, true, "upstream connect error"},
		{"a 503 of the server's own making", 503, `{"error":{"type":"api_error","message":"x"}}`, chat.ErrOverloaded, true, "x"},
		{"overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`, chat.ErrOverloaded, true, "Overloaded"},
		{"overloaded behind a 500", 500, `{"error":{"type":"engine_overloaded_error","message":"x"}}`, chat.ErrOverloaded, true, "x"},
		{"filtered", 400, `{"error":{"message":"f","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, chat.ErrFiltered, false, "f"},
		{"malformed call", 400, `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=f{"}}`, chat.ErrMalformedCall, false, "Failed to call a function: <function=f{"},
		{"string", 400, `{"error":"model \"m\" not loaded"}`, chat.ErrBadRequest, false, `model "m" not loaded`},
		{"bare string", 400, `"no"`, chat.ErrBadRequest, false, "no"},
		{"bare number", 400, `7`, chat.ErrBadRequest, false, ""},
		{"list of errors", 400, `{"errors":[{"message":"first"},{"message":"second"}]}`, chat.ErrBadRequest, false, "first"},
		{"deeper than anybody goes", 400, strings.Repeat(`{"error":`, 300) + "1" + strings.Repeat("}", 300), chat.ErrBadRequest, false, ""},
		{"broken JSON", 400, `{"error":{"mess`, chat.ErrBadRequest, false, `{"error":{"mess`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := codec.DecodeError(tt.status, nil, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retryable || e.Status != tt.status || !strings.Contains(e.Message, tt.message) {
				t.Errorf("got %v, %+v", e, e)
			}
		})
	}
}

// TestErrorWords keeps the provider's words and ids.
func TestErrorWords(t *testing.T) {
	t.Parallel()
	e := codec.DecodeError(400, nil, []byte(`{"error":{"message":"m","type":"t","param":"p","code":"c"},"request_id":"in the body"}`))
	if e.Message != "m" || e.Type != "t" || e.Param != "p" || e.Code != "c" || e.RequestID != "in the body" {
		t.Errorf("got %+v", e)
	}
	e = codec.DecodeError(500, http.Header{"Mistral-Correlation-Id": {"in the header"}}, []byte(`{"request_id":"x"}`))
	if e.RequestID != "in the header" {
		t.Errorf("request id %q", e.RequestID)
	}
	e = codec.DecodeError(429, nil, []byte(`{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"21.7s"}]}}`))
	if e.RetryAfter != 21700*time.Millisecond || e.Type != "RESOURCE_EXHAUSTED" {
		t.Errorf("got %+v", e)
	}
}

// TestErrorInside: behind status 200 the kind follows from the body.
func TestErrorInside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		kind       error
		retryable  bool
	}{
		{"numeric code", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"slow down"}}}`, chat.ErrRateLimited, true},
		{"type", `{"error":{"message":"x","type":"server_error"}}`, chat.ErrServer, true},
		{"overloaded", `{"type":"error","error":{"type":"overloaded_error"}}`, chat.ErrOverloaded, true},
		{"beside a choice", `{"error":{"code":502,"message":"gone"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`, chat.ErrServer, true},
		{"string", `{"error":"model not loaded"}`, chat.ErrServer, false},
		{"flat", `{"object":"error","message":"x","type":"NotFoundError"}`, chat.ErrNotFound, false},
		{"message alone", `{"message":"x","code":"invalid_api_key"}`, chat.ErrAuth, false},
		{"detail alone", `{"detail":"x"}`, chat.ErrServer, false},
		{"in base_resp", `{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, chat.ErrQuota, false},
		{"in base_resp, a pace", `{"choices":[],"base_resp":{"status_msg":"rate limit","status_code":1002}}`, chat.ErrRateLimited, true},
		{"in x_groq", `{"x_groq":{"id":"r","error":"over capacity"},"choices":[]}`, chat.ErrServer, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, inReply := wiretest.Reply(codec, []byte(tt.body))
			_, _, inStream := wiretest.Stream(codec, strings.NewReader(sse(delta(`"content":"Kitti"`), tt.body)))
			for form, err := range map[string]error{"reply": inReply, "stream": inStream} {
				e, ok := errors.AsType[*chat.Error](err)
				if !ok || !errors.Is(e, tt.kind) || e.Retryable != tt.retryable || e.Status != 200 {
					t.Errorf("%s: got %+v", form, err)
				}
			}
			if e, ok := errors.AsType[*chat.Error](inStream); !ok || e.Reply == nil || e.Reply.Text() != "Kitti" {
				t.Errorf("what was read is lost: %+v", e)
			}
		})
	}
	_, _, err := wiretest.Stream(codec, strings.NewReader("event: error\ndata: {\"message\":\"x\",\"code\":503}\n\n"))
	if !errors.Is(err, chat.ErrOverloaded) {
		t.Errorf("event named error: %v", err)
	}
}
