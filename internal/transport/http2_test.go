package transport_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

// http2Server returns a client that trusts it, and checks the protocol.
func http2Server(t *testing.T, h http.HandlerFunc) (*httptest.Server, *transport.Client) {
	t.Helper()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("spoken to in %s", r.Proto)
		}
		h(w, r)
	}))
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv, transport.New(transport.Options{HTTPClient: srv.Client()})
}

func TestHTTP2(t *testing.T) {
	t.Parallel()
	hello := func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, "hello")
		_ = http.NewResponseController(w).Flush()
	}
	reset := func() { panic(http.ErrAbortHandler) } //nolint:forbidigo // net/http's way to reset a stream.
	t.Run("whole", func(t *testing.T) {
		t.Parallel()
		srv, client := http2Server(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
		data, err := mustSend(t, t.Context(), client, transport.Request{URL: srv.URL, Body: []byte("{}")}).ReadAll()
		if err != nil || string(data) != "{}" {
			t.Errorf("ReadAll() = %q, %v", data, err)
		}
	})
	t.Run("reset before the headers", func(t *testing.T) {
		t.Parallel()
		srv, client := http2Server(t, func(http.ResponseWriter, *http.Request) { reset() })
		_, err := client.Send(t.Context(), transport.Request{URL: srv.URL})
		if e := chatError(t, err); !errors.Is(err, chat.ErrNetwork) || !e.Retryable {
			t.Errorf("got %v, retryable %v", err, e.Retryable)
		}
	})
	t.Run("reset in the body", func(t *testing.T) {
		t.Parallel()
		srv, client := http2Server(t, func(w http.ResponseWriter, _ *http.Request) {
			hello(w)
			reset()
		})
		_, err := mustSend(t, t.Context(), client, transport.Request{URL: srv.URL}).ReadAll()
		if e := chatError(t, err); !errors.Is(err, chat.ErrNetwork) || e.Retryable || errors.Is(err, io.EOF) {
			t.Errorf("got %v, retryable %v", err, e.Retryable)
		}
	})
	t.Run("cancelled in the body", func(t *testing.T) {
		t.Parallel()
		gone := make(chan struct{})
		srv, client := http2Server(t, func(w http.ResponseWriter, r *http.Request) {
			hello(w)
			<-r.Context().Done()
			close(gone)
		})
		ctx, cancel := context.WithCancel(t.Context())
		resp := mustSend(t, ctx, client, transport.Request{URL: srv.URL})
		if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		<-gone
	})
}

// A dialer of one's own turns HTTP/2 off unless it is asked for.
func TestDefaultPoolOffersHTTP2(t *testing.T) {
	t.Parallel()
	offered := make(chan []string, 1)
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		offered <- hello.SupportedProtos
		return nil, errors.New("seen enough")
	}}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	_, err := transport.New(transport.Options{}).Send(t.Context(), transport.Request{URL: srv.URL})
	if err == nil {
		t.Error("a failed handshake is no error")
	}
	if got := <-offered; !slices.Contains(got, "h2") {
		t.Errorf("offered %q", got)
	}
}
