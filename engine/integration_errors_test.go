package engine_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/engine"
)

// TestErrors: what providers, proxies and load balancers answer when they fail,
// for every engine, unary and streamed. Time is fake.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		status   int
		header   map[string]string
		body     string
		kind     error
		attempts int
		wait     time.Duration // RetryAfter; the call lasts at least twice that with three attempts
		message  string
	}{
		{name: "400", status: 400, body: failure("invalid_request_error", "bad temperature"), kind: chat.ErrBadRequest, attempts: 1, message: "bad temperature"},
		{name: "401", status: 401, body: failure("authentication_error", "no such key"), kind: chat.ErrAuth, attempts: 1, message: "no such key"},
		{name: "402", status: 402, body: failure("billing_error", "no money"), kind: chat.ErrQuota, attempts: 1, message: "no money"},
		{name: "403", status: 403, body: failure("permission_error", "not yours"), kind: chat.ErrAuth, attempts: 1, message: "not yours"},
		{name: "404", status: 404, body: failure("not_found_error", "no such model"), kind: chat.ErrNotFound, attempts: 1, message: "no such model"},
		{name: "413", status: 413, body: failure("request_too_large", "too big"), kind: chat.ErrTooLong, attempts: 1, message: "too big"},
		{name: "422", status: 422, body: `{"detail":"what?"}`, kind: chat.ErrBadRequest, attempts: 1, message: "what?"},
		{name: "429", status: 429, body: failure("rate_limit_error", "slow down"), kind: chat.ErrRateLimited, attempts: 3, message: "slow down"},
		{name: "429 seconds", status: 429, header: map[string]string{"Retry-After": "20"}, kind: chat.ErrRateLimited, attempts: 3, wait: 20 * time.Second},
		{name: "429 fraction", status: 429, header: map[string]string{"Retry-After": "1.5"}, kind: chat.ErrRateLimited, attempts: 3, wait: 1500 * time.Millisecond},
		{name: "429 milliseconds", status: 429, header: map[string]string{"Retry-After-Ms": "2500", "Retry-After": "9"}, kind: chat.ErrRateLimited, attempts: 3, wait: 2500 * time.Millisecond},
		{name: "429 longer than MaxWait", status: 429, header: map[string]string{"Retry-After": "61"}, kind: chat.ErrRateLimited, attempts: 1, wait: 61 * time.Second},
		{name: "500", status: 500, body: failure("api_error", "oops"), kind: chat.ErrServer, attempts: 3, message: "oops"},
		{name: "500 said to be final", status: 500, header: map[string]string{"X-Should-Retry": "false"}, kind: chat.ErrServer, attempts: 1},
		{name: "400 said to be worth another try", status: 400, header: map[string]string{"X-Should-Retry": "true"}, kind: chat.ErrBadRequest, attempts: 3},
		{name: "501", status: 501, kind: chat.ErrServer, attempts: 1},
		{name: "503", status: 503, body: failure("overloaded_error", "full"), kind: chat.ErrOverloaded, attempts: 3, message: "full"},
		{name: "529", status: 529, body: failure("overloaded_error", "full"), kind: chat.ErrOverloaded, attempts: 3, message: "full"},
		{name: "HTML 502", status: 502, body: htmlPage, kind: chat.ErrServer, attempts: 3, message: "502 Bad Gateway"},
		{name: "text 404", status: 404, body: "404 page not found", kind: chat.ErrNotFound, attempts: 1, message: "404 page not found"},
		{name: "bare string", status: 400, body: `"model is asleep"`, kind: chat.ErrBadRequest, attempts: 1, message: "model is asleep"},
		{name: "error is a string", status: 404, body: `{"error":"model 'nope' not found"}`, kind: chat.ErrNotFound, attempts: 1, message: "model 'nope' not found"},
		{name: "array", status: 400, body: "[" + failure("invalid_request_error", "in a list") + "]", kind: chat.ErrBadRequest, attempts: 1, message: "in a list"},
		{name: "empty body", status: 400, kind: chat.ErrBadRequest, attempts: 1},
		{name: "redirect", status: 307, header: map[string]string{"Location": "https://elsewhere.example/"}, kind: nil, attempts: 1},
		{name: "HTML in 200", status: 200, header: map[string]string{"Content-Type": "text/html"}, body: htmlPage, kind: chat.ErrBadReply, attempts: 1, message: "502 Bad Gateway"},
		{name: "broken JSON in 200", status: 200, body: `{"id":"x","content":[`, kind: chat.ErrBadReply, attempts: 1},
		{name: "another object in 200", status: 200, body: `{"hello":"world"}`, kind: chat.ErrBadReply, attempts: 1},
		{name: "list in 200", status: 200, body: `[]`, kind: chat.ErrBadReply, attempts: 1},
		{name: "nothing in 200", status: 200, kind: chat.ErrBadReply, attempts: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				synctest.Test(t, func(t *testing.T) {
					header := http.Header{"X-Request-Id": {"req_9"}}
					for k, v := range tt.header {
						header.Set(k, v)
					}
					m := mock(t, entry, engine.Config{APIKey: testKey}, document(tt.status, tt.body).HeaderSet(header))
					start := time.Now()
					_, err := call(t, m, hello(entry))
					e := failed(t, m, err, tt.kind)
					if e.Attempts != tt.attempts || m.calls() != tt.attempts {
						t.Errorf("%d requests, the error says %d, want %d", m.calls(), e.Attempts, tt.attempts)
					}
					if e.Status != tt.status || e.RetryAfter != tt.wait || e.RequestID != "req_9" {
						t.Errorf("status %d, wait %v, request %q", e.Status, e.RetryAfter, e.RequestID)
					}
					if waited := time.Since(start); waited < tt.wait*time.Duration(tt.attempts-1) || tt.attempts == 1 && waited > 0 {
						t.Errorf("waited %v between %d attempts", waited, tt.attempts)
					}
					if !strings.Contains(err.Error(), tt.message) || strings.ContainsAny(err.Error(), "<>\n") {
						t.Errorf("message %q, want %q in it and no markup", err, tt.message)
					}
				})
			})
		})
	}
}

const htmlPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502</h1></body></html>"

// failed checks an error's type, kind (any, if nil) and origin.
func failed(t *testing.T, m *mocked, err, kind error) *chat.Error {
	t.Helper()
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		t.Fatalf("error %v (%T), want a *chat.Error", err, err)
	}
	if kind != nil && !errors.Is(err, kind) {
		t.Errorf("error %v, want %v", err, kind)
	}
	if e.Engine != m.Name() || e.Model != m.entry.Profile.Example || !strings.HasPrefix(err.Error(), m.Name()+": ") {
		t.Errorf("the error does not say whose it is: %v", err)
	}
	return e
}

// TestRecovers: the second attempt carries the same full body, waits as long as
// it was asked to, and its answer is the reply.
func TestRecovers(t *testing.T) {
	t.Parallel()
	reset := httpmock.NewErrorResponder(errReset)
	inAWhile := func(r *http.Request) (*http.Response, error) {
		at := time.Now().Add(25 * time.Second).UTC().Format(http.TimeFormat)
		return httpmock.NewStringResponder(429, "").HeaderSet(http.Header{"Retry-After": {at}})(r)
	}
	for _, tt := range []struct {
		name  string
		first []httpmock.Responder
		wait  time.Duration
	}{
		{"503", []httpmock.Responder{document(503, "")}, 0},
		{"429 with a date", []httpmock.Responder{inAWhile}, 25 * time.Second},
		{"connection reset", []httpmock.Responder{reset}, 0},
		{"both", []httpmock.Responder{reset, document(429, "").HeaderAdd(http.Header{"Retry-After": {"7"}})}, 7 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				synctest.Test(t, func(t *testing.T) {
					good := says(entry, answer{text: "In Ghent."})
					m := mock(t, entry, engine.Config{APIKey: testKey}, append(tt.first, good)...)
					start := time.Now()
					reply, err := call(t, m, hello(entry))
					if err != nil {
						t.Fatal(err)
					}
					if reply.Text() != "In Ghent." || reply.Timing.Attempts != len(tt.first)+1 {
						t.Errorf("reply %q after %d attempts", reply.Text(), reply.Timing.Attempts)
					}
					if d := time.Since(start); d < tt.wait || reply.Timing.Total != d {
						t.Errorf("took %v, the reply says %v, want at least %v", d, reply.Timing.Total, tt.wait)
					}
					checkSameRequests(t, m, len(tt.first)+1)
				})
			})
		})
	}
}

func checkSameRequests(t *testing.T, m *mocked, n int) {
	t.Helper()
	if len(m.sent) != n {
		t.Fatalf("%d requests, want %d", len(m.sent), n)
	}
	for i, s := range m.sent {
		if len(s.body) == 0 || string(s.body) != string(m.sent[0].body) || s.url != m.sent[0].url {
			t.Errorf("attempt %d sent %s to %s", i+1, s.body, s.url)
		}
		if !carriesKey(m.entry, s) || s.header.Get("Content-Type") != "application/json" {
			t.Errorf("attempt %d sent headers %v", i+1, s.header)
		}
	}
}

// TestErrorInside: an error that comes with a status of 200 is one all the
// same, of the kind that the body tells.
func TestErrorInside(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		for kind, body := range voiceOf(c.T, c.entry.Profile.Dialect).inside {
			c.Run(kind.Error(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					bad := document(200, body)
					m := mock(t, c.entry, engine.Config{APIKey: testKey}, bad)
					_, err := c.call(t, m, hello(c.entry))
					e := failed(t, m, err, kind)
					again := errors.Is(kind, chat.ErrRateLimited) || errors.Is(kind, chat.ErrOverloaded)
					if e.Status != 200 || !strings.Contains(err.Error(), "it broke") || again && e.Attempts != 3 || errors.Is(kind, chat.ErrBadRequest) && e.Attempts != 1 {
						t.Errorf("%d attempts: %+v", e.Attempts, e)
					}
					m = mock(t, c.entry, engine.Config{APIKey: testKey}, bad, says(c.entry, answer{text: "In Ghent."}))
					if reply, err := c.call(t, m, hello(c.entry)); again && (err != nil || reply.Text() != "In Ghent." || m.calls() != 2) {
						t.Errorf("no recovery: %v after %d requests", err, m.calls())
					}
				})
			})
		}
	})
}

// TestConnectionErrors: they are retried, and said so when it didn't help.
func TestConnectionErrors(t *testing.T) {
	t.Parallel()
	eachCall(t, func(c onEngine) {
		t, entry, call := c.T, c.entry, c.call
		synctest.Test(t, func(t *testing.T) {
			m := mock(t, entry, engine.Config{APIKey: testKey}, httpmock.NewErrorResponder(errReset))
			_, err := call(t, m, hello(entry))
			e := failed(t, m, err, chat.ErrNetwork)
			if !errors.Is(err, errReset) || e.Status != 0 || e.Attempts != 3 {
				t.Errorf("error %v, status %d, %d attempts", err, e.Status, e.Attempts)
			}
		})
	})
}

// TestAttemptsAreBounded holds Config.MaxAttempts and MaxWait.
func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	wait := func(s string) httpmock.Responder {
		return document(429, "").HeaderAdd(http.Header{"Retry-After": {s}})
	}
	for _, tt := range []struct {
		name   string
		cfg    engine.Config
		answer httpmock.Responder
		want   int
	}{
		{"one", engine.Config{MaxAttempts: 1}, document(503, ""), 1},
		{"default", engine.Config{}, document(503, ""), 3},
		{"five", engine.Config{MaxAttempts: 5}, document(503, ""), 5},
		{"MaxWait allows two waits", engine.Config{MaxAttempts: 9, MaxWait: 10 * time.Second}, wait("5"), 3},
		{"MaxWait allows none", engine.Config{MaxAttempts: 9, MaxWait: 4 * time.Second}, wait("5"), 1},
		{"not retryable", engine.Config{MaxAttempts: 9}, document(400, ""), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachCall(t, func(c onEngine) {
				t, entry, call := c.T, c.entry, c.call
				synctest.Test(t, func(t *testing.T) {
					cfg := tt.cfg
					cfg.APIKey = testKey
					m := mock(t, entry, cfg, tt.answer)
					_, err := call(t, m, hello(entry))
					if e := failed(t, m, err, nil); e.Attempts != tt.want || m.calls() != tt.want {
						t.Errorf("%d requests, the error says %d, want %d", m.calls(), e.Attempts, tt.want)
					}
				})
			})
		})
	}
}
