package transport_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/transport"
)

// countingServer counts the connections that were opened to it.
func countingServer(t *testing.T, h http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	opened := &atomic.Int32{}
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv, opened
}

// The default transport of net/http would open about 1,200 connections here.
func TestConcurrentCallsShareConnections(t *testing.T) {
	t.Parallel()
	const callers, calls = 64, 20
	srv, opened := countingServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range calls {
				client := transport.New(transport.Options{}) // one pool behind many clients
				resp, err := client.Send(t.Context(), transport.Request{URL: srv.URL, Body: []byte("{}")})
				if err != nil {
					t.Error(err)
					return
				}
				if data, err := resp.ReadAll(); err != nil || string(data) != "{}" {
					t.Errorf("ReadAll() = %q, %v", data, err)
				}
			}
		})
	}
	wg.Wait()
	if n := opened.Load(); n > 2*callers {
		t.Errorf("%d connections for %d calls, %d at a time", n, callers*calls, callers)
	}
}

// The end of the body comes after the frame that a stream's reader stops at.
func TestFinishSavesTheConnection(t *testing.T) {
	t.Parallel()
	srv, opened := countingServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
		_ = http.NewResponseController(w).Flush()
	})
	client := transport.New(transport.Options{HTTPClient: ownTransport(t)})
	for range 10 {
		resp := mustSend(t, t.Context(), client, transport.Request{URL: srv.URL})
		if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || line != "data: [DONE]\n" {
			t.Fatalf("read %q, %v", line, err)
		}
		resp.Finish()
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("10 streams took %d connections", n)
	}
}

// Send is one request, and resty repeats none: its own retry sends an empty body the second time, which a lenient
// server answers with 200; and of five raw bodies it closes one.
func TestEachAttemptIsWhole(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 1000)
	var sent []int
	srv, opened := countingServer(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		sent = append(sent, len(got))
		if len(sent) < 5 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write(bytes.Repeat([]byte("y"), 60<<10))
	})
	hc := ownTransport(t)
	closed := &atomic.Int32{}
	hc.Transport = closing{hc.Transport, closed}
	client := transport.New(transport.Options{HTTPClient: hc})
	for n := 1; n <= 5; n++ { // Retry would wait in between
		err := unary(t.Context(), client, transport.Request{URL: srv.URL, Body: body})
		if (err == nil) != (n == 5) {
			t.Errorf("attempt %d: %v", n, err)
		}
	}
	for i, n := range sent {
		if n != len(body) {
			t.Errorf("attempt %d sent %d bytes", i+1, n)
		}
	}
	if len(sent) != 5 || closed.Load() != 5 || opened.Load() != 1 {
		t.Errorf("%d attempts, %d bodies closed, %d connections", len(sent), closed.Load(), opened.Load())
	}
}

// closing counts the response bodies that are closed.
type closing struct {
	http.RoundTripper
	closed *atomic.Int32
}

func (c closing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &closeOnce{ReadCloser: resp.Body, closed: c.closed}
	}
	return resp, err
}

type closeOnce struct {
	io.ReadCloser
	once   sync.Once
	closed *atomic.Int32
}

func (c *closeOnce) Close() error {
	c.once.Do(func() { c.closed.Add(1) })
	return c.ReadCloser.Close()
}

// unary is a whole attempt as an engine makes it.
func unary(ctx context.Context, c *transport.Client, r transport.Request) error {
	resp, err := c.Send(ctx, r)
	if err != nil {
		return err
	}
	_, err = resp.ReadAll()
	if err != nil || resp.Status == http.StatusOK {
		return err
	}
	hints := transport.ReadHints(resp.Header, time.Now())
	return &chat.Error{
		Kind: chat.ErrOverloaded, Status: resp.Status, RetryAfter: hints.RetryAfter,
		Retryable: resp.Status == http.StatusTooManyRequests || resp.Status >= 500,
	}
}

// rawServer answers each connection's first request with the bytes given, then
// closes it, with a reset if asked.
func rawServer(t *testing.T, reply string, reset bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, _ = io.WriteString(conn, reply)
			if reset {
				_ = conn.(*net.TCPConn).SetLinger(0)
			}
			_ = conn.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestBrokenBeforeTheBody(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()

	tests := []struct {
		name, url string
		retry     bool
	}{
		{"refused", "http://" + gone.Addr().String(), true},
		{"reset before the first byte", rawServer(t, "", true), true},
		{"closed before the first byte", rawServer(t, "", false), true},
		{"closed in the status line", rawServer(t, "HTTP/1.1 20", false), false},
		{"closed in the headers", rawServer(t, "HTTP/1.1 200 OK\r\nContent-Ty", false), false},
		{"not HTTP", rawServer(t, "SSH-2.0-x\r\n\r\n", false), false},
		{"location unreadable", rawServer(t, "HTTP/1.1 302 Found\r\nLocation: http://[::1/?k=sk-canary-0001\r\nContent-Length: 0\r\n\r\n", false), false},
		{"unknown certificate", secure.URL, false},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := transport.New(transport.Options{HTTPClient: ownTransport(t)})
			_, err := client.Send(t.Context(), transport.Request{
				URL: tt.url + "/v1?key=sk-canary-0001", Body: []byte("{}"), Secrets: []string{"sk-canary-0001"},
			})
			e := chatError(t, err)
			if !errors.Is(err, chat.ErrNetwork) || e.Retryable != tt.retry {
				t.Errorf("got %v, retryable %v, want %v", err, e.Retryable, tt.retry)
			}
			wantHidden(t, err, "sk-canary", "/v1")
		})
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A POST whose reply was partly read is not sent again.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	zip := gzipped(t, strings.Repeat("abcdefgh", 1000))
	tests := []struct {
		name, reply string
		kind, cause error
	}{
		{"shorter than announced", ok + "Content-Length: 10\r\n\r\nabc", chat.ErrNetwork, io.ErrUnexpectedEOF},
		{"chunked, cut", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n", chat.ErrNetwork, io.ErrUnexpectedEOF},
		{"chunked, cut in a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nab", chat.ErrNetwork, io.ErrUnexpectedEOF},
		{"gzip, cut", ok + "Content-Encoding: gzip\r\n\r\n" + zip[:len(zip)-9], chat.ErrNetwork, io.ErrUnexpectedEOF},
		{"gzip, damaged", ok + "Content-Encoding: gzip\r\n\r\n" + zip[:len(zip)-6] + "xx" + zip[len(zip)-4:], chat.ErrNetwork, gzip.ErrChecksum},
		{"not gzip", ok + "Content-Encoding: gzip\r\n\r\n<html>abcdefgh</html>", chat.ErrNetwork, gzip.ErrHeader},
		{"too large", ok + "Content-Length: 10001\r\n\r\n" + strings.Repeat("x", 10001), chat.ErrBadReply, nil},
		{"too large, length unknown", ok + "\r\n" + strings.Repeat("x", 20000), chat.ErrBadReply, nil},
		{"too large, unpacked", ok + "Content-Encoding: gzip\r\n\r\n" + gzipped(t, strings.Repeat("x", 1<<20)), chat.ErrBadReply, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := transport.New(transport.Options{HTTPClient: ownTransport(t), MaxBody: 10000})
			resp := mustSend(t, t.Context(), client, transport.Request{URL: rawServer(t, tt.reply, false)})
			data, err := resp.ReadAll()
			e := chatError(t, err)
			if data != nil || !errors.Is(err, tt.kind) || e.Status != 200 || e.Retryable || tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("ReadAll() = %d bytes, %v, retryable %v", len(data), err, e.Retryable)
			}
			if errors.Is(err, io.EOF) {
				t.Error("a broken reply looks like a whole one")
			}
		})
	}
}

func TestWholeBodies(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abcdefgh", 1250) // exactly MaxBody
	tests := []struct{ name, head, body string }{
		{"length known", "Content-Length: 10000\r\n", text},
		{"length unknown", "", text},
		{"chunked", "Transfer-Encoding: chunked\r\n", "2710\r\n" + text + "\r\n0\r\n\r\n"},
		{"gzip", "Content-Encoding: gzip\r\n", gzipped(t, text)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client := transport.New(transport.Options{HTTPClient: ownTransport(t), MaxBody: 10000})
			url := rawServer(t, "HTTP/1.1 200 OK\r\n"+tt.head+"\r\n"+tt.body, false)
			data, err := mustSend(t, t.Context(), client, transport.Request{URL: url}).ReadAll()
			if err != nil || string(data) != text {
				t.Errorf("ReadAll() = %d bytes, %v", len(data), err)
			}
		})
	}
}

func TestResetInTheBody(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	srv := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: a\n\n")
		rc := http.NewResponseController(w)
		_ = rc.Flush()
		<-read
		conn, _, err := rc.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	})
	client := transport.New(transport.Options{HTTPClient: ownTransport(t)})
	resp := mustSend(t, t.Context(), client, transport.Request{URL: srv.URL})
	buf := make([]byte, 100)
	n, err := resp.Body.Read(buf)
	if err != nil || string(buf[:n]) != "data: a\n\n" {
		t.Fatalf("read %q, %v", buf[:n], err)
	}
	close(read)
	_, err = resp.Body.Read(buf)
	if e := chatError(t, err); !errors.Is(err, chat.ErrNetwork) || e.Retryable || errors.Is(err, io.EOF) {
		t.Errorf("got %v, retryable %v", err, e.Retryable)
	}
}

// Whatever ends a call, no goroutine and no connection in use stays behind.
func TestNothingIsLeftRunning(t *testing.T) { //nolint:paralleltest // counts goroutines.
	gone := make(chan struct{}, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: a\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer srv.Close()
	tr := &http.Transport{}
	before := runtime.NumGoroutine()
	endings := map[string]func(context.CancelFunc, *transport.Response) error{
		"cancelled while reading": func(cancel context.CancelFunc, r *transport.Response) error {
			time.AfterFunc(time.Millisecond, cancel)
			_, err := r.ReadAll()
			return err
		},
		"cancelled, closed later": func(cancel context.CancelFunc, r *transport.Response) error {
			cancel()
			_, err := r.Body.Read(make([]byte, 10))
			return errors.Join(err, r.Close())
		},
		"closed in the middle": func(_ context.CancelFunc, r *transport.Response) error {
			return errors.Join(context.Canceled, r.Close(), r.Close())
		},
		"finished too early": func(_ context.CancelFunc, r *transport.Response) error {
			r.Finish()
			return context.Canceled
		},
	}
	client := transport.New(transport.Options{HTTPClient: &http.Client{Transport: tr}})
	for name, end := range endings {
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := client.Send(ctx, transport.Request{URL: srv.URL, Body: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := end(cancel, resp); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		select {
		case <-gone:
		case <-time.After(2 * time.Second):
			t.Errorf("%s: the server still writes", name)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("%s: took %v", name, d)
		}
		cancel()
	}
	tr.CloseIdleConnections()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond) // real connections need real time to end
	}
	stack := make([]byte, 1<<20)
	t.Errorf("%d goroutines before, now:\n%s", before, stack[:runtime.Stack(stack, true)])
}
