package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/wire"
)

func TestKindOfStatus(t *testing.T) {
	t.Parallel()
	tests := map[int]struct {
		kind  error
		retry bool
	}{
		200: {chat.ErrBadReply, false},
		400: {chat.ErrBadRequest, false},
		401: {chat.ErrAuth, false},
		402: {chat.ErrQuota, false},
		403: {chat.ErrAuth, false},
		404: {chat.ErrNotFound, false},
		408: {chat.ErrServer, true},
		409: {chat.ErrServer, true},
		413: {chat.ErrTooLong, false},
		422: {chat.ErrBadRequest, false},
		429: {chat.ErrRateLimited, true},
		500: {chat.ErrServer, true},
		501: {chat.ErrServer, false},
		502: {chat.ErrServer, true},
		503: {chat.ErrOverloaded, true},
		504: {chat.ErrServer, true},
	}
	for status, tt := range tests {
		kind := wire.KindOfStatus(status)
		if !errors.Is(kind, tt.kind) || wire.RetryableStatus(kind, status) != tt.retry {
			t.Errorf("%d: got %v, retryable %v", status, kind, wire.RetryableStatus(kind, status))
		}
	}
	if !wire.RetryableStatus(chat.ErrServer, 200) {
		t.Error("a server error inside a stream may not come again")
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"nothing":               {" \n", ""},
		"text":                  {" upstream gone\n", "upstream gone"},
		"a page":                {"<html><head><Title> 502 Bad Gateway </Title>", "an HTML page: 502 Bad Gateway"},
		"a page with no title":  {"<!doctype html><h1>502</h1>", "an HTML page"},
		"a title turned around": {"<b></title><title>", "an HTML page"},
		"long":                  {strings.Repeat("x", 500), strings.Repeat("x", 200)},
		"cut at a character":    {strings.Repeat("x", 199) + "é…", strings.Repeat("x", 199)},
		"not UTF-8":             {"a\xffb", "a\uFFFDb"},
	}
	for name, tt := range tests {
		if got := wire.Excerpt([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
