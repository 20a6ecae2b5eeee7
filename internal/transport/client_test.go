package transport_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

func TestSendSaysWhatItWasGiven(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		req  transport.Request
		want http.Header
	}{
		{
			"defaults",
			transport.Request{Body: []byte(`{"a":1}`)},
			http.Header{
				"User-Agent":   {"sabir (+https://github.com/sabir-go/sabir)"},
				"Accept":       {"application/json, text/event-stream"},
				"Content-Type": {"application/json"},
			},
		},
		{
			"the caller's headers win, whatever their case",
			transport.Request{Body: []byte(`{}`), Header: http.Header{
				"user-agent": {"mine"}, "Accept": {"text/event-stream"}, "content-type": {"text/plain"},
				"X-Api-Key": {"k-123"}, "Anthropic-Beta": {"a", "b"},
			}},
			http.Header{
				"User-Agent": {"mine"}, "Accept": {"text/event-stream"}, "Content-Type": {"text/plain"},
				"X-Api-Key": {"k-123"}, "Anthropic-Beta": {"a", "b"},
			},
		},
		{
			"no body, no type",
			transport.Request{},
			http.Header{
				"User-Agent": {"sabir (+https://github.com/sabir-go/sabir)"},
				"Accept":     {"application/json, text/event-stream"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got *http.Request
			var body []byte
			client, _ := mocked(func(r *http.Request) (*http.Response, error) {
				got = r
				if r.Body != nil {
					body, _ = io.ReadAll(r.Body)
				}
				return httpmock.NewStringResponse(200, "ok"), nil
			})
			before := tt.req.Header.Clone()
			tt.req.URL = testURL
			resp := mustSend(t, t.Context(), client, tt.req)
			if data, err := resp.ReadAll(); err != nil || string(data) != "ok" {
				t.Fatalf("ReadAll() = %q, %v", data, err)
			}
			if !maps.EqualFunc(got.Header, tt.want, slices.Equal) {
				t.Errorf("headers\n got %v\nwant %v", got.Header, tt.want)
			}
			if got.Method != "POST" || got.URL.String() != testURL || !bytes.Equal(body, tt.req.Body) {
				t.Errorf("sent %s %s %q", got.Method, got.URL, body)
			}
			if !maps.EqualFunc(tt.req.Header, before, slices.Equal) {
				t.Errorf("the caller's header became %v", tt.req.Header)
			}
		})
	}
}

// resty has templates in paths and a base URL; neither is to touch ours.
func TestURLGoesUnchanged(t *testing.T) {
	t.Parallel()
	const url = "https://api.example.com/proxy/%7Bid%7D/v1/m%2Fx:stream?alt=sse&b=%20&a=1"
	var got string
	rt := roundTrip(func(r *http.Request) (*http.Response, error) {
		got = r.Method + " " + r.URL.String()
		return answer(200, http.NoBody), nil
	})
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
	mustSend(t, t.Context(), client, transport.Request{Method: "GET", URL: url})
	if got != "GET "+url {
		t.Errorf("sent %s", got)
	}
}

func TestAnyStatusIsAResponse(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 204, 301, 400, 401, 404, 429, 500, 529} {
		client, _ := mocked(httpmock.NewStringResponder(status, "words").
			HeaderSet(http.Header{"Request-Id": {"r1"}}))
		resp := mustSend(t, t.Context(), client, transport.Request{URL: testURL})
		data, err := resp.ReadAll()
		if err != nil || resp.Status != status || string(data) != "words" || resp.Header.Get("Request-Id") != "r1" {
			t.Errorf("%d: got %d %q %v %v", status, resp.Status, data, resp.Header, err)
		}
	}
}

func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	const key = "sk-canary-0001"
	header := func(name, value string) http.Header { return http.Header{name: {value}} }
	tests := []struct {
		name, url string
		header    http.Header
		param     string
	}{
		{"no scheme", "api.example.com/v1?key=" + key, nil, "BaseURL"},
		{"empty", "", nil, "BaseURL"},
		{"other scheme", "ftp://api.example.com/" + key, nil, "BaseURL"},
		{"no host", "https:///v1/" + key, nil, "BaseURL"},
		{"unreadable", "https://exa mple.com/" + key, nil, "BaseURL"},
		{"line end in a value", testURL, header("Authorization", "Bearer "+key+"\n"), "Header"},
		{"NUL in a value", testURL, header("Authorization", key+"\x00"), "Header"},
		{"space in a name", testURL, header("X Key", key), "Header"},
		{"nameless", testURL, header("", key), "Header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := transport.New(transport.Options{})
			_, err := client.Send(t.Context(), transport.Request{URL: tt.url, Header: tt.header, Secrets: []string{key}})
			e := chatError(t, err)
			if !errors.Is(err, chat.ErrInvalid) || e.Param != tt.param || e.Retryable {
				t.Errorf("got %v, param %q, retryable %v", err, e.Param, e.Retryable)
			}
			wantHidden(t, err, key)
		})
	}
}

// Nothing but the Transport of a caller's client is used: its timeout would
// cut streams, its jar would give one tenant's cookies to another.
func TestCallersClientIsOnlyATransport(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cookies = append(cookies, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "tenant", Value: "a"})
	})
	hc := ownTransport(t)
	hc.Timeout, hc.Jar = time.Nanosecond, jar
	client := transport.New(transport.Options{HTTPClient: hc})
	for range 2 {
		mustSend(t, t.Context(), client, transport.Request{URL: srv.URL}).Finish()
	}
	if !slices.Equal(cookies, []string{"", ""}) {
		t.Errorf("cookies sent: %q", cookies)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		canary := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			t.Errorf("%d: the key went to another host: %v", status, r.Header)
		})
		srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, canary.URL+"/v1", status)
		})
		for _, hc := range []*http.Client{nil, ownTransport(t)} {
			client := transport.New(transport.Options{HTTPClient: hc})
			resp := mustSend(t, t.Context(), client, transport.Request{
				URL: srv.URL, Header: http.Header{"X-Api-Key": {"k-123"}}, Body: []byte("{}"),
			})
			if resp.Status != status || resp.Header.Get("Location") != canary.URL+"/v1" {
				t.Errorf("got %d %v", resp.Status, resp.Header)
			}
		}
	}
}

func TestSendErrors(t *testing.T) {
	t.Parallel()
	const key = "sk-canary/0001+x"
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	tests := []struct {
		name  string
		err   error
		retry bool
		want  string
	}{
		{"refused", refused, true, "network error: api.example.com: dial tcp: connection refused"},
		{
			"unknown host", &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}, false,
			"network error: api.example.com: lookup api.example.com: no such host",
		},
		{
			"resolver down", &net.DNSError{Err: "server misbehaving", Name: "api.example.com", IsTemporary: true}, true,
			"network error: api.example.com: lookup api.example.com: server misbehaving",
		},
		{"no TLS there", http.ErrSchemeMismatch, false, "network error: api.example.com: http: server gave HTTP response to HTTPS client"},
		{"key in the text", errors.New("bad header " + key), true, "network error: api.example.com: bad header [redacted]"},
		{"escaped key in the text", errors.New("GET /?k=sk-canary%2F0001%2Bx"), true, "network error: api.example.com: GET /?k=[redacted]"},
		{
			"proxy's password", errors.New(`invalid proxy "http://u:@p4ssw0rd@proxy:80/x?p4ssw0rd#p4ssw0rd": no; see https://go.dev`), true,
			`network error: api.example.com: invalid proxy "http://proxy:80/x": no; see https://go.dev`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, mt := mocked(httpmock.NewErrorResponder(tt.err))
			mt.RegisterNoResponder(httpmock.NewErrorResponder(tt.err))
			_, err := client.Send(t.Context(), transport.Request{
				URL: testURL + "?key=sk-canary%2F0001%2Bx", Header: http.Header{"X-Api-Key": {key}}, Secrets: []string{key},
			})
			e := chatError(t, err)
			if !errors.Is(err, chat.ErrNetwork) || e.Retryable != tt.retry || err.Error() != tt.want {
				t.Errorf("got %v (retryable %v)\nwant %s (%v)", err, e.Retryable, tt.want, tt.retry)
			}
			if e.Status != 0 {
				t.Errorf("status %d without an answer", e.Status)
			}
			wantHidden(t, err, key, "sk-canary", "p4ssw0rd")
		})
	}
	client, _ := mocked(httpmock.NewErrorResponder(refused))
	if _, err := client.Send(t.Context(), transport.Request{URL: testURL}); !errors.Is(err, refused) {
		t.Errorf("the cause is lost in %v", err)
	}
}

// A body of known length that can be rewound, without a copy of it: resty
// copies a slice twice, and sends any other reader in chunks.
func TestBodyIsSentFromItsOwnMemory(t *testing.T) { //nolint:paralleltest // measures allocations.
	rt := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.ContentLength != 1<<20 || r.GetBody == nil || len(r.TransferEncoding) > 0 {
			t.Errorf("length %d, can rewind %v, encoding %v", r.ContentLength, r.GetBody != nil, r.TransferEncoding)
		}
		return answer(200, http.NoBody), nil
	})
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
	req := transport.Request{URL: testURL, Body: bytes.Repeat([]byte("x"), 1<<20)}
	if got := bytesPerCall(20, func() { mustSend(t, t.Context(), client, req).Finish() }); got > 100<<10 {
		t.Errorf("a call with a body of 1 MiB allocates %d bytes", got)
	}
}

// resty would read the reply by doubling buffers (four times its size) and
// keep it; with its own limit set, five times.
func TestReplyOfKnownLengthIsReadOnce(t *testing.T) { //nolint:paralleltest // measures allocations.
	reply := strings.Repeat("x", 1<<20)
	rt := roundTrip(func(*http.Request) (*http.Response, error) {
		resp := answer(200, io.NopCloser(strings.NewReader(reply)))
		resp.ContentLength = int64(len(reply))
		return resp, nil
	})
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: rt}})
	got := bytesPerCall(20, func() {
		data, err := mustSend(t, t.Context(), client, transport.Request{URL: testURL}).ReadAll()
		if err != nil || len(data) != len(reply) {
			t.Errorf("ReadAll() = %d bytes, %v", len(data), err)
		}
	})
	if got > 1<<20*5/4 {
		t.Errorf("a reply of 1 MiB allocates %d bytes", got)
	}
}
