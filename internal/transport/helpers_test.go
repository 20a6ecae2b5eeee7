package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

const testURL = "https://api.example.com/v1/chat/completions"

// mocked returns a client over a mock that answers testURL so.
func mocked(r httpmock.Responder) (*transport.Client, *httpmock.MockTransport) {
	mt := httpmock.NewMockTransport()
	mt.RegisterResponder("POST", testURL, r)
	return transport.New(transport.Options{HTTPClient: &http.Client{Transport: mt}}), mt
}

// roundTrip is a transport of one function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: body, ContentLength: -1}
}

// closeCounter counts the bodies that were closed.
type closeCounter struct {
	io.Reader
	closed *atomic.Int32
}

func (c closeCounter) Close() error {
	c.closed.Add(1)
	return nil
}

// ownTransport gives a test connections of its own, closed at its end.
func ownTransport(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

func mustSend(t *testing.T, ctx context.Context, c *transport.Client, r transport.Request) *transport.Response {
	t.Helper()
	resp, err := c.Send(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Close() })
	return resp
}

func chatError(t *testing.T, err error) *chat.Error {
	t.Helper()
	e, ok := errors.AsType[*chat.Error](err)
	if !ok {
		t.Fatalf("got %T (%v), want a *chat.Error", err, err)
	}
	return e
}

// wantHidden looks for a secret in an error and in all that it wraps.
func wantHidden(t *testing.T, err error, secrets ...string) {
	t.Helper()
	texts := []string{fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)}
	for todo := []error{err}; len(todo) > 0; todo = todo[1:] {
		texts = append(texts, todo[0].Error(), fmt.Sprintf("%+v", todo[0]))
		switch e := todo[0].(type) { //nolint:errorlint // walks the chain itself.
		case interface{ Unwrap() error }:
			if next := e.Unwrap(); next != nil {
				todo = append(todo, next)
			}
		case interface{ Unwrap() []error }:
			todo = append(todo, e.Unwrap()...)
		}
	}
	for _, text := range texts {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("error shows %q: %s", s, text)
			}
		}
	}
}

// bytesPerCall is the mean of what n calls allocate. Nothing else may run.
func bytesPerCall(n int, call func()) uint64 {
	var before, after runtime.MemStats
	call()
	runtime.ReadMemStats(&before)
	for range n {
		call()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(n)
}
