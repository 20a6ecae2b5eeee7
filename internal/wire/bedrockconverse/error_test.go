package bedrockconverse_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/bedrockconverse"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status    int
		typ, body string
		kind      error
		retry     bool
		wantType  string
		message   string
	}{
		"quota":                {400, "ServiceQuotaExceededException:", `{"message":"m"}`, chat.ErrQuota, false, "ServiceQuotaExceededException", "m"},
		"model not ready":      {429, "ModelNotReadyException", `{"message":"m"}`, chat.ErrOverloaded, true, "ModelNotReadyException", "m"},
		"model said no":        {424, "ModelErrorException", `{"message":"m.","originalStatusCode":400,"originalMessage":"why"}`, chat.ErrBadRequest, false, "ModelErrorException", "m: why"},
		"model's own words":    {424, "ModelErrorException", `{"originalMessage":"why"}`, chat.ErrServer, true, "ModelErrorException", "why"},
		"key in capitals":      {403, "", `{"Message":"no"}`, chat.ErrAuth, false, "", "no"},
		"bad token":            {403, "UnrecognizedClientException", `{"message":"The security token is invalid."}`, chat.ErrAuth, false, "UnrecognizedClientException", "The security token is invalid."},
		"expired, with 400":    {400, "ExpiredTokenException", `{"message":"m"}`, chat.ErrAuth, false, "ExpiredTokenException", "m"},
		"type in the body":     {400, "", `{"__type":"com.amazon.coral.service#ThrottlingException","message":"m"}`, chat.ErrRateLimited, true, "ThrottlingException", "m"},
		"conflict":             {409, "ConflictException", `{"message":"m"}`, chat.ErrServer, true, "ConflictException", "m"},
		"a kind not known":     {400, "SolarFlareException", `{"message":"m"}`, chat.ErrBadRequest, false, "SolarFlareException", "m"},
		"nothing but the type": {500, "InternalServerException", `{}`, chat.ErrServer, true, "InternalServerException", "{}"},
		"nothing at all":       {503, "", ``, chat.ErrOverloaded, true, "", "empty body"},
		"a page":               {502, "", `<html><title>Bad Gateway</title>`, chat.ErrServer, true, "", "an HTML page: Bad Gateway"},
		"bare text":            {413, "", `too large`, chat.ErrTooLong, false, "", "too large"},
		"a string":             {400, "", `"no"`, chat.ErrBadRequest, false, "", "no"},
		"a mock's (aimock)":    {429, "", `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, chat.ErrRateLimited, true, "rate_limit_error", "slow down"},
		"a gateway's":          {502, "", `{"error":"upstream gone"}`, chat.ErrServer, true, "", "upstream gone"},
		"other JSON":           {400, "", `{"error":{"x":1}}`, chat.ErrBadRequest, false, "", `{"error":{"x":1}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := http.Header{"X-Amzn-Requestid": {"r1"}}
			if tt.typ != "" {
				h.Set("x-amzn-ErrorType", tt.typ)
			}
			e := bedrockconverse.Codec{}.DecodeError(tt.status, h, []byte(tt.body))
			if !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Type != tt.wantType || e.Message != tt.message {
				t.Errorf("got %v, type %q, message %q, retryable %v", e, e.Type, e.Message, e.Retryable)
			}
			if e.Status != tt.status || e.RequestID != "r1" {
				t.Errorf("got status %d, request %q", e.Status, e.RequestID)
			}
		})
	}
	if e := (bedrockconverse.Codec{}).DecodeError(400, nil, nil); e == nil || e.Kind == nil {
		t.Errorf("without headers: %v", e)
	}
}
