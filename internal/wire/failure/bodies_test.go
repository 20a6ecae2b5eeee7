package failure_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/sabir-go/sabir/chat"
)

const (
	awsReason   = "only Bedrock sends AWS's exceptions; elsewhere the status has to do"
	akiReason   = "AKI documents such errors as the caller's to mend"
	earlyReason = "where requests are checked before the 200 is sent, what fails later may pass; " + akiReason
)

// bodies are error bodies of the shapes that providers, gateways and proxies
// send. All sources were read by 2026-12-01.
var bodies = map[string]body{
	"an empty account, not a pace": {
		source: "OpenAI, error guide", status: 429,
		text: `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
		want: answer{kind: chat.ErrQuota, message: "You exceeded your current quota.", typ: "insufficient_quota", code: "insufficient_quota"},
	},
	"a pace, not an account": {
		source: "OpenAI, error guide", status: 429,
		text: `{"error":{"message":"Rate limit reached for requests.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
		want: answer{kind: chat.ErrRateLimited, message: "Rate limit reached for requests.", typ: "requests", code: "rate_limit_exceeded", retryable: true},
	},
	"a pace behind a 400": {
		source: "composed: Anthropic's type behind a proxy's status", status: 400,
		text: `{"error":{"message":"slow down","type":"rate_limit_error"}}`,
		want: answer{kind: chat.ErrRateLimited, message: "slow down", typ: "rate_limit_error", retryable: true},
	},
	"billing": {
		source: "OpenAI, error guide", status: 429,
		text: `{"error":{"message":"m","type":"invalid_request_error","code":"billing_not_active"}}`,
		want: answer{kind: chat.ErrQuota, message: "m", typ: "invalid_request_error", code: "billing_not_active"},
	},
	"payment by status": {
		source: "DeepSeek, recorded in maruel/genai", status: 402,
		text: `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`,
		want: answer{kind: chat.ErrQuota, message: "Insufficient Balance", typ: "unknown_error", code: "invalid_request_error"},
	},
	"a spend limit": {
		source: "platform.claude.com, Errors", status: 429,
		text: `{"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}},"request_id":"req_1"}`,
		want: answer{kind: chat.ErrQuota, message: "m", typ: "rate_limit_error", code: "enforced_spend_limit_reached", requestID: "req_1"},
	},
	"overloaded behind a 500": {
		source: "platform.claude.com, Errors", status: 500,
		text: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		want: answer{kind: chat.ErrOverloaded, message: "Overloaded", typ: "overloaded_error", retryable: true},
	},
	"too long, OpenAI's word": {
		source: "OpenAI, error guide", status: 400,
		text: `{"error":{"message":"long","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		want: answer{kind: chat.ErrTooLong, message: "long", typ: "invalid_request_error", param: "messages", code: "context_length_exceeded"},
	},
	"too long, llama.cpp's word": {
		source: "recorded from llama-server", status: 400,
		text: `{"error":{"code":400,"message":"long","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`,
		want: answer{kind: chat.ErrTooLong, message: "long", typ: "exceed_context_size_error", code: "400"},
	},
	"a request that is too large": {
		source: "nginx", status: 413, text: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>",
		want: answer{kind: chat.ErrTooLong, message: "an HTML page: 413 Request Entity Too Large"},
	},
	"a quota of a minute, and how long to wait": {
		source: "google-gemini/gemini-cli issue 10513", status: 429,
		text: `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[` +
			`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"RequestsPerMinutePerProject","quotaValue":"60"}]},` +
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.250000000s"}]}}`,
		want: answer{kind: chat.ErrRateLimited, message: "m", typ: "RESOURCE_EXHAUSTED", code: "429", retryAfter: 2250 * time.Millisecond, retryable: true},
	},
	"a quota of a day": {
		source: "google-gemini/gemini-cli issue 22486", status: 429,
		text: `[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[` +
			`{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","quotaValue":"50"}]},{"retryDelay":"21s"}]}}]`,
		want: answer{kind: chat.ErrQuota, message: "m", typ: "RESOURCE_EXHAUSTED", code: "429", retryAfter: 21 * time.Second},
	},
	"a wait that nobody outlives": {
		source: "googleapis google/rpc/error_details.proto", status: 429,
		text: `{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2000000h"}]}}`,
		want: answer{kind: chat.ErrRateLimited, message: "m", typ: "RESOURCE_EXHAUSTED", code: "429", retryAfter: 30 * 24 * time.Hour, retryable: true},
	},
	"a bad key behind a 400": {
		source: "googleapis google/api/error_reason.proto", status: 400,
		text: `[{"error":{"code":400,"message":"key","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]`,
		want: answer{kind: chat.ErrAuth, message: "key", typ: "INVALID_ARGUMENT", code: "API_KEY_INVALID"},
	},
	"a field that is wrong": {
		source: "googleapis google/rpc/error_details.proto", status: 400,
		text: `{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"field":"tool_config","description":"d"}]}]}}`,
		want: answer{kind: chat.ErrBadRequest, message: "m", typ: "INVALID_ARGUMENT", code: "400", param: "tool_config"},
	},
	"a word that is more exact than a 500": {
		source: "googleapis google/rpc/code.proto", status: 500,
		text: `{"error":{"code":500,"message":"m","status":"UNAVAILABLE"}}`,
		want: answer{kind: chat.ErrOverloaded, message: "m", typ: "UNAVAILABLE", code: "500", retryable: true},
	},
	"FastAPI's list": {
		source: "Mistral, recorded in maruel/genai", status: 422,
		text: `{"detail":[{"type":"missing","loc":["body","messages",0,"role"],"msg":"Field required","input":{}},{"loc":["body"],"msg":"Extra"}]}`,
		want: answer{kind: chat.ErrBadRequest, message: "body.messages.0.role: Field required; body: Extra", param: "body.messages.0.role"},
	},
	"FastAPI's list in a message": {
		source: "Mistral, recorded in maruel/genai", status: 422,
		text: `{"object":"error","message":{"detail":[{"loc":["body"],"msg":"wrong"}]},"type":"invalid_request_error","param":null,"code":null}`,
		want: answer{kind: chat.ErrBadRequest, message: "body: wrong", typ: "invalid_request_error", param: "body"},
	},
	"FastAPI's text": {
		source: "Mistral, recorded in 0xPlaygrounds/rig", status: 401, header: http.Header{"Mistral-Correlation-Id": {"c1"}},
		text: `{"detail":"Unauthorized"}`,
		want: answer{kind: chat.ErrAuth, message: "Unauthorized", requestID: "c1"},
	},
	"problem+json": {
		source: "RFC 9457", status: 403, header: http.Header{"Content-Type": {"application/problem+json"}},
		text: `{"type":"https://example.com/probs/out-of-reach","title":"No access.","detail":"The model is not for you.","status":403}`,
		want: answer{kind: chat.ErrAuth, message: "The model is not for you.", typ: "https://example.com/probs/out-of-reach"},
	},
	"a text": {
		source: "Ollama server/routes.go", status: 404, text: `{"error":"model 'nope' not found"}`,
		want: answer{kind: chat.ErrNotFound, message: "model 'nope' not found"},
	},
	"a text and its type": {
		source: "text-generation-inference router/src/lib.rs", status: 422, text: `{"error":"wrong","error_type":"validation"}`,
		want: answer{kind: chat.ErrBadRequest, message: "wrong", typ: "validation"},
	},
	"a name and a message": {
		source: "recorded from dwmkerr/mock-llm", status: 404, text: `{"error":"Not Found","message":"Cannot POST /v1/x","status":404}`,
		want: answer{kind: chat.ErrNotFound, message: "Cannot POST /v1/x", typ: "Not Found"},
	},
	"a bare JSON string": {
		source: "composed: a proxy", status: 400, text: `"no"`,
		want: answer{kind: chat.ErrBadRequest, message: "no"},
	},
	"a list of texts": {
		source: "aki-io-labs/aki-io js/aki_io.js", status: 400, text: `{"success":false,"error":["too hot","too long"],"error_code":400}`,
		want: answer{kind: chat.ErrBadRequest, message: "too hot; too long", code: "400"},
	},
	"a list of errors": {
		source: "Cloudflare, maruel/genai providers/cloudflare", status: 404,
		text: `{"success":false,"errors":[{"code":7003,"message":"No route"},{"code":7000,"message":"No such thing"}],"messages":[],"result":null}`,
		want: answer{kind: chat.ErrNotFound, message: "No route; No such thing", code: "7003"},
	},
	"a message and a list": {
		source: "composed: a form's complaints", status: 422,
		text: `{"message":"Validation failed.","errors":["too hot","too long"]}`,
		want: answer{kind: chat.ErrBadRequest, message: "Validation failed: too hot; too long"},
	},
	"Google's older list": {
		source: "googleapis, JSON error format of version 1", status: 400,
		text: `{"error":{"errors":[{"domain":"global","reason":"badRequest","message":"m"}],"code":400,"message":"m","status":"INVALID_ARGUMENT"}}`,
		want: answer{kind: chat.ErrBadRequest, message: "m", typ: "INVALID_ARGUMENT", code: "400"},
	},
	"payment, whatever the words": {
		source: "composed: 402 beside a type of pace", status: 402, text: `{"error":{"type":"rate_limit_error","message":"m"}}`,
		want: answer{kind: chat.ErrQuota, message: "m", typ: "rate_limit_error"},
	},
	"a flat error": {
		source: "vLLM openai/chat_completion/protocol.py", status: 400,
		text: `{"object":"error","message":"not loaded","type":"BadRequestError","param":null,"code":400}`,
		want: answer{kind: chat.ErrBadRequest, message: "not loaded", typ: "BadRequestError", code: "400"},
	},
	"a bad request behind a 500": {
		source: "recorded from llama-server", status: 500,
		text: `{"error":{"code":500,"message":"m","type":"invalid_request_error"}}`,
		want: answer{kind: chat.ErrBadRequest, message: "m", typ: "invalid_request_error", code: "500"},
	},
	"a conflict": {
		source: "openai-go internal/requestconfig (409 is retried)", status: 409,
		text: `{"error":{"message":"m","type":"invalid_request_error"}}`,
		want: answer{kind: chat.ErrServer, message: "m", typ: "invalid_request_error", retryable: true},
	},
	"what a provider behind a gateway said, as JSON in a text": {
		source: "OpenRouter, recorded in maruel/genai", status: 429,
		text: `{"error":{"message":"Provider returned error","code":429,"metadata":{"provider_name":"Acme",` +
			`"raw":"{\"error\":{\"message\":\"out of credits\",\"type\":\"insufficient_quota\"}}"}},"user_id":"user_1"}`,
		want: answer{kind: chat.ErrQuota, message: "Provider returned error: out of credits", typ: "insufficient_quota", code: "429"},
	},
	"what a provider behind a gateway said, as text": {
		source: "OpenRouter docs, errors and debugging", status: 502,
		text: `{"error":{"message":"Provider returned error","code":502,"metadata":{"provider_name":"Acme","raw":"gone"}}}`,
		want: answer{kind: chat.ErrServer, message: "Provider returned error: gone", code: "502", retryable: true},
	},
	"a message that is JSON": {
		source: "composed: Google's error, quoted by a gateway", status: 503,
		text: `{"error":{"message":"{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"overloaded\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n","code":503,"status":"Service Unavailable"}}`,
		want: answer{kind: chat.ErrOverloaded, message: "overloaded", typ: "Service Unavailable", code: "503", retryable: true},
	},
	"an AWS exception by header": {
		source: "aws-sdk-go-v2 bedrockruntime types/errors.go", status: 400,
		header: http.Header{"X-Amzn-Errortype": {"ServiceQuotaExceededException:http://internal.amazon.com/coral/"}, "X-Amzn-Requestid": {"r1"}},
		text:   `{"message":"m"}`,
		want:   answer{kind: chat.ErrQuota, message: "m", typ: "ServiceQuotaExceededException", requestID: "r1"},
	},
	"an AWS exception by body": {
		source: "smithy.io, AWS restJson1", status: 400, text: `{"__type":"com.amazon.coral.service#ThrottlingException","Message":"m"}`,
		want: answer{kind: chat.ErrRateLimited, message: "m", typ: "ThrottlingException", retryable: true},
	},
	"an AWS exception whose status is too weak": {
		source: "AWS Signature Version 4 errors", status: 400, header: http.Header{"X-Amzn-Errortype": {"ExpiredTokenException"}},
		text:   `{"message":"m"}`,
		want:   answer{kind: chat.ErrBadRequest, message: "m", typ: "ExpiredTokenException"},
		but:    map[string]answer{"bedrockconverse": {kind: chat.ErrAuth, message: "m", typ: "ExpiredTokenException"}},
		reason: awsReason,
	},
	"a model's error behind AWS": {
		source: "aws-sdk-go-v2 bedrockruntime types/errors.go", status: 424, header: http.Header{"X-Amzn-Errortype": {"ModelErrorException"}},
		text: `{"message":"m.","originalStatusCode":400,"originalMessage":"why"}`,
		want: answer{kind: chat.ErrBadRequest, message: "m: why", typ: "ModelErrorException", code: "400"},
	},
	"Cohere's": {
		source: "Cohere, recorded in maruel/genai", status: 429, header: http.Header{"X-Debug-Trace-Id": {"t1"}},
		text: `{"id":"b1","message":"please wait"}`,
		want: answer{kind: chat.ErrRateLimited, message: "please wait", requestID: "t1", retryable: true},
	},
	"Cohere's id": {
		source: "cohere-go v2 errors.go", status: 500, header: http.Header{"X-Request-Id": {"p1"}}, text: `{"id":"b1","message":"m"}`,
		want:   answer{kind: chat.ErrServer, message: "m", requestID: "p1", retryable: true},
		but:    map[string]answer{"coherev2": {kind: chat.ErrServer, message: "m", requestID: "b1", retryable: true}},
		reason: "elsewhere id names a completion",
	},
	"a denied word": {
		source: "cohere-go v2 errors.go", status: 498, text: `{"message":"m"}`,
		want:   answer{kind: chat.ErrBadRequest, message: "m"},
		but:    map[string]answer{"coherev2": {kind: chat.ErrFiltered, message: "m"}},
		reason: "498 is a status of Cohere's own; others use it for tokens",
	},
	"a caller that is gone": {
		source: "nginx; Cohere; google/rpc/code.proto", status: 499, text: `{"message":"m"}`,
		want: answer{kind: chat.ErrServer, message: "m"},
	},
	"MiniMax's account": {
		source: "platform.minimax.io, Error Codes; lobehub/lobehub issue 10255", status: 200,
		text: `{"id":"x","choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`,
		want: answer{kind: chat.ErrQuota, message: "insufficient balance", code: "1008"},
		but: map[string]answer{
			"coherev2": {kind: chat.ErrQuota, message: "insufficient balance", code: "1008", requestID: "x"},
		},
		reason: "Cohere's id is the request's",
	},
	"MiniMax's status as a text": {
		source: "CherryHQ/cherry-studio issue 16431", status: 400,
		text: `{"type":"error","error":{"type":"invalid_request_error","message":"m (2013)","http_code":"400"},"request_id":"r1"}`,
		want: answer{kind: chat.ErrBadRequest, message: "m (2013)", typ: "invalid_request_error", requestID: "r1"},
	},
	"a call that could not be read": {
		source: "console.groq.com/docs/errors", status: 400,
		text: `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"{\"name\":\"f\"}"}}`,
		want: answer{kind: chat.ErrMalformedCall, message: `Failed to call a function: {"name":"f"}`, typ: "invalid_request_error", code: "tool_use_failed"},
	},
	"a filter": {
		source: "microsoft/TinyTroupe issue 85 (Azure)", status: 400,
		text: `{"error":{"message":"m","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
		want: answer{kind: chat.ErrFiltered, message: "m", code: "content_filter", param: "prompt"},
	},
	"OAuth's": {
		source: "RFC 6749, section 5.2 (Vertex)", status: 400, text: `{"error":"invalid_grant","error_description":"Bad Request"}`,
		want: answer{kind: chat.ErrBadRequest, message: "Bad Request", typ: "invalid_grant"},
	},
	"a gateway's of Azure": {
		source: "Azure API Management", status: 401, text: `{ "statusCode": 401, "message": "Access denied." }`,
		want: answer{kind: chat.ErrAuth, message: "Access denied."},
	},
	"a page": {
		source: "recorded by maruel/genai (Perplexity)", status: 401,
		text: "<!DOCTYPE html>\n<html><head><TITLE data-x=\"1\">401  Authorization\n Required</TITLE></head>",
		want: answer{kind: chat.ErrAuth, message: "an HTML page: 401 Authorization Required"},
	},
	"a page without a title": {
		source: "composed: a proxy", status: 502, text: "<h1>502</h1>",
		want: answer{kind: chat.ErrServer, message: "an HTML page", retryable: true},
	},
	"a page whose title never ends": {
		source: "composed: a proxy", status: 502, text: "<title>" + strings.Repeat("x", 100_000),
		want: answer{kind: chat.ErrServer, message: "an HTML page", retryable: true},
	},
	"plain text": {
		source: "recorded from Ollama", status: 405, text: "405 method not allowed\n",
		want: answer{kind: chat.ErrBadRequest, message: "405 method not allowed"},
	},
	"nothing": {
		source: "composed: a proxy", status: 503, text: " ",
		want: answer{kind: chat.ErrOverloaded, message: "empty body", retryable: true},
	},
	"JSON that says nothing": {
		source: "composed: a proxy", status: 400, text: `{"ok":false}`,
		want: answer{kind: chat.ErrBadRequest, message: `{"ok":false}`},
	},
	"JSON that is cut": {
		source: "composed: a proxy", status: 500, text: `{"error":{"type":"overloaded_error"`,
		want: answer{kind: chat.ErrServer, message: `{"error":{"type":"overloaded_error"`, retryable: true},
	},
	"nested too deeply": {
		source: "composed: a test of depth", status: 400, text: strings.Repeat("[", 100) + `"x"` + strings.Repeat("]", 100),
		want: answer{kind: chat.ErrBadRequest, message: strings.Repeat("[", 100) + `"x"` + strings.Repeat("]", 100)},
	},
	"members of other kinds": {
		source: "composed: a test of shapes", status: 400,
		text: `{"error":{"code":{},"type":[],"status":true,"param":7,"message":"m","details":[7,{"retryDelay":{},"violations":7,"fieldViolations":[{"x":1}]}]}}`,
		want: answer{kind: chat.ErrBadRequest, message: "m", param: "7"},
	},
	"a sentence is no code": {
		source: "composed: a test of words", status: 400, text: `{"error":"billing is not set up","message":"rate_limit is on"}`,
		want: answer{kind: chat.ErrBadRequest, message: "rate_limit is on", typ: "billing is not set up"},
	},
	"not implemented": {
		source: "cohere-go v2 errors.go", status: 501, text: `{"error":{"message":"m","type":"server_error"}}`,
		want: answer{kind: chat.ErrServer, message: "m", typ: "server_error"},
	},
	"a proxy's own status": {
		source: "Cloudflare, 5xx errors", status: 524, text: "error code: 524",
		want: answer{kind: chat.ErrServer, message: "error code: 524", retryable: true},
	},
	"a redirect": {
		source: "redirects aren't followed", status: 302, text: "Found",
		want: answer{kind: chat.ErrNotFound, message: "Found"},
	},
	"a code inside a 200": {
		source: "openai-go responses/response.go", status: 200, text: `{"code":"rate_limit_exceeded","message":"m"}`,
		want: answer{kind: chat.ErrRateLimited, message: "m", code: "rate_limit_exceeded", retryable: true},
	},
	"a status inside a 200": {
		source: "OpenRouter docs, errors and debugging", status: 200, text: `{"error":{"code":502,"message":"Upstream error"}}`,
		want: answer{kind: chat.ErrServer, message: "Upstream error", code: "502", retryable: true},
	},
	"a failed response's code": {
		source: "openai-go responses/response.go", status: 200, text: `{"code":"cyber_policy","message":"m"}`,
		want: answer{kind: chat.ErrServer, message: "m", code: "cyber_policy"},
		but: map[string]answer{
			"openairesponses": {kind: chat.ErrFiltered, message: "m", code: "cyber_policy"},
			"aki":             {kind: chat.ErrBadRequest, message: "m", code: "cyber_policy"},
			"anthropic":       {kind: chat.ErrServer, message: "m", code: "cyber_policy", retryable: true},
			"bedrockconverse": {kind: chat.ErrServer, message: "m", code: "cyber_policy", retryable: true},
			"coherev2":        {kind: chat.ErrServer, message: "m", code: "cyber_policy", retryable: true},
		},
		reason: "it is a code of the Responses API's own; " + earlyReason,
	},
	"nothing known inside a 200": {
		source: "Ollama api/client.go", status: 200, text: `{"error":"model not loaded"}`,
		want: answer{kind: chat.ErrServer, message: "model not loaded"},
		but: map[string]answer{
			"aki":             {kind: chat.ErrBadRequest, message: "model not loaded"},
			"anthropic":       {kind: chat.ErrServer, message: "model not loaded", retryable: true},
			"bedrockconverse": {kind: chat.ErrServer, message: "model not loaded", retryable: true},
			"coherev2":        {kind: chat.ErrServer, message: "model not loaded", retryable: true},
		},
		reason: earlyReason,
	},
}
