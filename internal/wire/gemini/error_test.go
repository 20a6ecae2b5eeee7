package gemini_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/wiretest"
)

func detailed(status string, details ...string) string {
	return `{"error":{"code":400,"message":"m","status":"` + status + `","details":[` + strings.Join(details, ",") + `]}}`
}

func quota(id, value string) string {
	return `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"` + id + `","quotaValue":"` + value + `"}]}`
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	const retryInfo = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"21.7s"}`
	tests := map[string]struct {
		status int
		body   string
		kind   error
		retry  bool
		wait   time.Duration
	}{
		"a bad key comes with 400":     {400, detailed("INVALID_ARGUMENT", `{"reason":"API_KEY_INVALID"}`), chat.ErrAuth, false, 0},
		"billing off":                  {403, detailed("PERMISSION_DENIED", `{"reason":"BILLING_DISABLED"}`), chat.ErrQuota, false, 0},
		"a rate by its reason":         {429, detailed("RESOURCE_EXHAUSTED", `{"reason":"RATE_LIMIT_EXCEEDED"}`), chat.ErrRateLimited, true, 0},
		"a minute's quota, with wait":  {429, detailed("RESOURCE_EXHAUSTED", quota("RequestsPerMinutePerProject", "60"), retryInfo), chat.ErrRateLimited, true, 21700 * time.Millisecond},
		"a day's quota":                {429, detailed("RESOURCE_EXHAUSTED", quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "50"), retryInfo), chat.ErrQuota, false, 21700 * time.Millisecond},
		"a day's, by its limit":        {429, detailed("RESOURCE_EXHAUSTED", `{"reason":"RATE_LIMIT_EXCEEDED","metadata":{"quota_metric":"m","quota_limit":"ProRequestsPerDayPerUser"}}`), chat.ErrQuota, false, 0},
		"metadata that is none":        {429, detailed("RESOURCE_EXHAUSTED", `{"metadata":null}`), chat.ErrRateLimited, true, 0},
		"a quota of nothing":           {429, detailed("RESOURCE_EXHAUSTED", quota("RequestsPerMinutePerProject", "0")), chat.ErrQuota, false, 0},
		"no details":                   {429, detailed("RESOURCE_EXHAUSTED"), chat.ErrRateLimited, true, 0},
		"a wait that is none":          {429, detailed("RESOURCE_EXHAUSTED", `{"retryDelay":"soon"}`), chat.ErrRateLimited, true, 0},
		"a wait into the past":         {429, detailed("RESOURCE_EXHAUSTED", `{"retryDelay":"-3s"}`), chat.ErrRateLimited, true, 0},
		"a wait that nobody outlives":  {429, detailed("RESOURCE_EXHAUSTED", `{"retryDelay":"2000000h"}`), chat.ErrRateLimited, true, 30 * 24 * time.Hour},
		"details of another shape":     {400, `{"error":{"status":"INVALID_ARGUMENT","details":{"reason":"x"}}}`, chat.ErrBadRequest, false, 0},
		"details of details":           {400, detailed("INVALID_ARGUMENT", `7`, `{"fieldViolations":[null,{"field":"a"}]}`), chat.ErrBadRequest, false, 0},
		"a list (the compatible path)": {404, `[{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}]`, chat.ErrNotFound, false, 0},
		"the word, not the status":     {500, detailed("UNAVAILABLE"), chat.ErrOverloaded, true, 0},
		"not implemented":              {501, detailed("UNIMPLEMENTED"), chat.ErrServer, false, 0},
		"cancelled":                    {499, detailed("CANCELLED"), chat.ErrServer, false, 0},
		"aborted":                      {409, detailed("ABORTED"), chat.ErrServer, true, 0},
		"members of other kinds":       {400, `{"error":{"code":{},"status":[],"message":"m","details":[{"retryDelay":{},"violations":7,"fieldViolations":[{"x":1}]}]}}`, chat.ErrBadRequest, false, 0},
		"a code in words":              {429, `{"error":{"code":"slow","type":"t","message":"m"}}`, chat.ErrRateLimited, true, 0},
		"an unknown word":              {418, detailed("TEAPOT"), chat.ErrBadRequest, false, 0},
		"too large":                    {413, ``, chat.ErrTooLong, false, 0},
		"payment":                      {402, `{"error":"pay"}`, chat.ErrQuota, false, 0},
		"a gateway's page":             {502, `<html><title>Bad Gateway</title></html>`, chat.ErrServer, true, 0},
		"bare text":                    {503, `try later`, chat.ErrOverloaded, true, 0},
		"JSON that is text":            {403, `"no"`, chat.ErrAuth, false, 0},
		"nothing at all":               {401, ``, chat.ErrAuth, false, 0},
		"a redirect":                   {302, ``, chat.ErrNotFound, false, 0},
		"a timeout":                    {408, `{}`, chat.ErrServer, true, 0},
		"nested too deeply":            {400, strings.Repeat("[", 2000), chat.ErrBadRequest, false, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := codec.DecodeError(tt.status, nil, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.RetryAfter != tt.wait || e.Status != tt.status || e.Message == "" {
				t.Errorf("got %v, retryable %v, wait %v, message %q", e, e.Retryable, e.RetryAfter, e.Message)
			}
		})
	}
}

func TestErrorNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := http.Header{"X-Request-Id": {"req-1"}}
	e := codec.DecodeError(400, h, []byte(wiretest.Read(t, "fixtures", "error-400", "error.json")))
	if e.Param != "tool_config.function_calling_config.allowed_function_names" || e.Type != "INVALID_ARGUMENT" || e.RequestID != "req-1" {
		t.Errorf("got %+v", e)
	}
	e = codec.DecodeError(400, nil, []byte(wiretest.Read(t, "fixtures", "error-400-api-key", "error.json")))
	if e.Code != "API_KEY_INVALID" {
		t.Errorf("got %+v", e)
	}
}
