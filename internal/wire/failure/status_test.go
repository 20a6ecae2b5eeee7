package failure_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

func TestKindByStatus(t *testing.T) {
	t.Parallel()
	tests := map[int]struct {
		kind  error
		retry bool
	}{
		101: {chat.ErrBadReply, false},
		200: {chat.ErrServer, false}, // nothing was said
		302: {chat.ErrNotFound, false},
		400: {chat.ErrBadRequest, false},
		401: {chat.ErrAuth, false},
		402: {chat.ErrQuota, false},
		403: {chat.ErrAuth, false},
		404: {chat.ErrNotFound, false},
		408: {chat.ErrServer, true},
		409: {chat.ErrServer, true},
		413: {chat.ErrTooLong, false},
		418: {chat.ErrBadRequest, false},
		422: {chat.ErrBadRequest, false},
		424: {chat.ErrServer, true},
		429: {chat.ErrRateLimited, true},
		500: {chat.ErrServer, true},
		501: {chat.ErrServer, false},
		502: {chat.ErrServer, true},
		503: {chat.ErrOverloaded, true},
		504: {chat.ErrServer, true},
		505: {chat.ErrServer, false},
		520: {chat.ErrServer, true},
		529: {chat.ErrOverloaded, true},
	}
	var d failure.Dialect
	for status, tt := range tests {
		if e := d.Decode(status, nil, nil); !errors.Is(e, tt.kind) || e.Retryable != tt.retry || e.Status != status {
			t.Errorf("%d: got %v, retryable %v", status, e.Kind, e.Retryable)
		}
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"nothing":               {" \n", "empty body"},
		"text":                  {" upstream gone\n", "upstream gone"},
		"a page":                {"<html><head><Title> 502 Bad Gateway </Title>", "an HTML page: 502 Bad Gateway"},
		"a page with no title":  {"<!doctype html><h1>502</h1>", "an HTML page"},
		"an empty title":        {"<title> </title>", "an HTML page"},
		"a title turned around": {"<b></title><title>", "an HTML page"},
		"not UTF-8":             {"a\xffb", "a\uFFFDb"},
	}
	for name, tt := range tests {
		if got := failure.Excerpt([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestTextsAreBounded: no text of an error is longer than what is shown, is cut
// within a character, or shows what redact strikes out, wherever it was cut.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	const secret = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
	redact := func(text string) string { return strings.ReplaceAll(text, secret, "[redacted]") }
	for name, shape := range map[string]string{
		"text": "%", "error": `{"error":{"message":"%","code":"%","type":"%","param":"%"},"request_id":"%"}`, "bare": `"%"`,
		"list": `["a","%"]`, "page": "<title>%</title>", "data": "data: {\"error\":\"%", "detail": `{"detail":[{"loc":["%"],"msg":"%"}]}`,
	} {
		for shift := 0; shift < len(secret); shift += 5 {
			for _, at := range []int{200, 4 << 10, 16 << 10, 64 << 10, 1 << 20} {
				text := strings.Repeat("é", (at-shift)/2) + secret + strings.Repeat("é", 300)
				body := []byte(strings.ReplaceAll(shape, "%", text))
				for limit, e := range map[int]*chat.Error{5000: new(failure.Dialect).Decode(500, nil, body), 300: failure.Unreadable(body, nil)} {
					failure.Finish(e, redact)
					for _, text := range []string{e.Message, e.Type, e.Code, e.Param, e.RequestID} {
						if len(text) > limit || !utf8.ValidString(text) || strings.Contains(text, secret[:4]) {
							t.Fatalf("%s, %d bytes, shifted by %d: %d bytes: …%s", name, at, shift, len(text), text[max(0, len(text)-60):])
						}
					}
				}
			}
		}
	}
}
