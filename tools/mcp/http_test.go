package mcp_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

// remote is a server over HTTP that can be changed while it runs.
type remote struct {
	*httptest.Server
	mu      sync.Mutex
	handler http.Handler
	seen    []*http.Request
}

// serveHTTP serves whatever handle makes of the handler of an MCP server that
// counts the calls of "count" in n.
func serveHTTP(t *testing.T, opts *sdk.StreamableHTTPOptions, n *atomic.Int64, handle func(http.Handler) http.Handler) *remote {
	t.Helper()
	r := &remote{}
	r.restart(opts, n, handle)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		h := r.handler
		r.seen = append(r.seen, req.Clone(context.WithoutCancel(req.Context())))
		r.mu.Unlock()
		h.ServeHTTP(w, req)
	}))
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

// restart puts a new server in the place of the old, which knows no session.
func (r *remote) restart(opts *sdk.StreamableHTTPOptions, n *atomic.Int64, handle func(http.Handler) http.Handler) {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	add(server, "count", nil, func(context.Context, string) (string, error) {
		return strconv.FormatInt(n.Add(1), 10), nil
	})
	h := http.Handler(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, opts))
	if handle != nil {
		h = handle(h)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handler = h
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	for _, version := range protocols {
		for name, opts := range map[string]*sdk.StreamableHTTPOptions{
			"events": {}, "JSON": {JSONResponse: true}, "stateless": {Stateless: true},
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				r := serveHTTP(t, opts, new(atomic.Int64), nil)
				s := open(t, mcp.Config{URL: r.URL, ProtocolVersion: version, Header: http.Header{"authorization": {"Bearer secret"}}})
				if got := run(t.Context(), setOf(t, s), "count", `{}`); got != "1" {
					t.Errorf("result %q", got)
				}
				r.mu.Lock()
				defer r.mu.Unlock()
				for _, req := range r.seen {
					if req.Header.Get("Authorization") != "Bearer secret" {
						t.Errorf("%s without the header", req.Method)
					}
				}
			})
		}
	}
}

// TestHTTPSessionLost: a server that doesn't know the session any more ran
// nothing, so the call is made again in a new one.
func TestHTTPSessionLost(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusBadRequest} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			seen := newEvents()
			forgetful := func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					rec := httptest.NewRecorder()
					if req.Method == http.MethodPost && req.Header.Get("Mcp-Session-Id") != "" {
						h.ServeHTTP(rec, req)
						if rec.Code == http.StatusNotFound {
							w.Header().Set("Content-Type", "application/json")
							w.WriteHeader(status)
							_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`)
							return
						}
						maps.Copy(w.Header(), rec.Header())
						w.WriteHeader(rec.Code)
						_, _ = w.Write(rec.Body.Bytes())
						return
					}
					h.ServeHTTP(w, req)
				})
			}
			r := serveHTTP(t, nil, &n, forgetful)
			s := open(t, mcp.Config{URL: r.URL, ProtocolVersion: "2025-11-25", OnEvent: seen.add})
			set := setOf(t, s)
			r.restart(nil, &n, forgetful)
			if got := run(t.Context(), set, "count", `{}`); got != "1" {
				t.Errorf("result %q", got)
			}
			seen.wait(t, is[mcp.Lost])
			seen.wait(t, is[mcp.Reconnected])
			r.restart(nil, &n, forgetful)
			if _, err := s.Tools(t.Context()); err != nil {
				t.Errorf("list: %v", err)
			}
		})
	}
}

func TestHTTPFailures(t *testing.T) {
	t.Parallel()
	status := func(code int) func(http.Handler) http.Handler {
		return onCall(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(code) })
	}
	for name, tt := range map[string]struct {
		handle  func(http.Handler) http.Handler
		want    string
		unknown bool
	}{
		"refused":     {status(http.StatusForbidden), "Forbidden", false},
		"overloaded":  {status(http.StatusServiceUnavailable), "Service Unavailable", true},
		"bad gateway": {status(http.StatusBadGateway), "Bad Gateway", true},
		"cut": {onCall(func(w http.ResponseWriter, req *http.Request, h http.Handler) {
			h.ServeHTTP(httptest.NewRecorder(), req)
			panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler cuts its answer
		}), "EOF", true},
		"too large": {onCall(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+strings.Repeat("x", 3<<20)+`"}]}}`)
		}), "too large", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			r := serveHTTP(t, nil, &n, tt.handle)
			s := open(t, mcp.Config{URL: r.URL + "?key=secret", MaxResult: 1 << 20})
			got := run(t.Context(), setOf(t, s), "count", `{}`)
			if !strings.HasPrefix(got, "error: mcp: ") || !strings.Contains(got, tt.want) || strings.Contains(got, "secret") {
				t.Errorf("result %q, want %q", got, tt.want)
			}
			if strings.Contains(got, mcp.ErrOutcomeUnknown.Error()) != tt.unknown {
				t.Errorf("result %q, outcome unknown: want %v", got, tt.unknown)
			}
			if n := n.Load(); n > 1 {
				t.Errorf("the tool ran %d times", n)
			}
		})
	}
}

// TestHTTPCutOnce: a call that does no harm is made again.
func TestHTTPCutOnce(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	r := serveHTTP(t, nil, &n, onCall(func(w http.ResponseWriter, req *http.Request, h http.Handler) {
		if n.Load() == 0 {
			h.ServeHTTP(httptest.NewRecorder(), req)
			panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler cuts its answer
		}
		h.ServeHTTP(w, req)
	}))
	s := open(t, mcp.Config{URL: r.URL, Options: func(*sdkTool) tools.Options { return tools.Options{} }})
	if got := run(t.Context(), setOf(t, s), "count", `{}`); got != "2" {
		t.Errorf("result %q", got)
	}
}

// onCall treats requests that call a tool in another way.
func onCall(f func(http.ResponseWriter, *http.Request, http.Handler)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, err := io.ReadAll(req.Body)
			req.Body = io.NopCloser(strings.NewReader(string(body)))
			if err == nil && strings.Contains(string(body), `"tools/call"`) {
				f(w, req, h)
				return
			}
			h.ServeHTTP(w, req)
		})
	}
}

// TestHTTPServerGone: what didn't reach anybody was not carried out.
func TestHTTPServerGone(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	r := serveHTTP(t, &sdk.StreamableHTTPOptions{Stateless: true}, &n, nil)
	anew := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a call on an old connection could have arrived
	set := setOf(t, open(t, mcp.Config{URL: r.URL, HTTPClient: anew}))
	r.CloseClientConnections()
	r.Close()
	got := run(t.Context(), set, "count", `{}`)
	if !strings.Contains(got, "connection refused") || strings.Contains(got, "outcome unknown") {
		t.Errorf("result %q", got)
	}
}

// TestHTTPRedirects: the server's origin isn't left, and no header goes to
// another, even if the caller's client follows.
func TestHTTPRedirects(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	r := serveHTTP(t, nil, &n, nil)
	away := httptest.NewServer(http.RedirectHandler(r.URL, http.StatusTemporaryRedirect))
	defer away.Close()
	slash := serveHTTP(t, nil, &n, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/mcp" {
				http.Redirect(w, req, "/mcp/", http.StatusTemporaryRedirect)
				return
			}
			h.ServeHTTP(w, req)
		})
	})
	key := http.Header{"X-Api-Key": {"secret"}}

	_, err := mcp.Connect(t.Context(), mcp.Config{URL: away.URL, Header: key})
	if err == nil || !strings.Contains(err.Error(), "redirected to another origin") {
		t.Errorf("error %v", err)
	}
	if got := run(t.Context(), setOf(t, open(t, mcp.Config{URL: slash.URL + "/mcp", Header: key})), "count", `{}`); got != "1" {
		t.Errorf("result %q", got)
	}
	follows := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	_ = open(t, mcp.Config{URL: away.URL, Header: key, HTTPClient: follows})
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) == 0 || slices.ContainsFunc(r.seen, func(req *http.Request) bool { return req.Header.Get("X-Api-Key") != "" }) {
		t.Errorf("%d requests came, one with the key", len(r.seen))
	}
}

// TestHTTPConnectGivesUp: also in the request that listens for the server's own
// messages, whose answer some servers hold back.
func TestHTTPConnectGivesUp(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	r := serveHTTP(t, nil, &n, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet {
				cancel()
				<-req.Context().Done()
				return
			}
			h.ServeHTTP(w, req)
		})
	})
	cfg := mcp.Config{URL: r.URL, ProtocolVersion: "2025-11-25", OnEvent: func(mcp.Event) {}}
	began := time.Now()
	if _, err := mcp.Connect(ctx, cfg); !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
		t.Errorf("error %v after %v", err, time.Since(began))
	}
}
