package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// carrier sends the requests of one connection: with the caller's headers, to
// the server's origin alone, within limits, and no longer than the connection
// lives.
type carrier struct {
	base   http.RoundTripper
	origin *url.URL
	header http.Header
	limit  int
	life   lifetime
}

// lifetime is how long a connection lives.
type lifetime struct {
	ctx context.Context //nolint:containedctx // it is what it bounds, the connection, that holds it
}

// onEnd calls a function when the connection ends, unless stopped before.
func (l lifetime) onEnd(f func()) (stop func() bool) { return context.AfterFunc(l.ctx, f) }

func (l lifetime) hasEnded() bool { return l.ctx.Err() != nil }

// httpClient returns a client for one connection, and a function that frees its
// connections.
func httpClient(c *Config, l lifetime) (*http.Client, func(), error) {
	origin, err := url.Parse(c.URL)
	if err != nil {
		return nil, nil, errors.New("config: URL is not an address")
	}
	var client http.Client
	free := func() {}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	} else if own, ok := http.DefaultTransport.(*http.Transport); ok {
		own = own.Clone()
		client.Transport, free = own, own.CloseIdleConnections
	}
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	client.Transport = &carrier{base: base, origin: origin, header: c.Header, limit: c.maxMessage(), life: l}
	if client.CheckRedirect == nil {
		client.CheckRedirect = allowSameOrigin(origin)
	}
	return &client, free, nil
}

// allowSameOrigin follows redirects within the server's origin, such as to the
// path with a slash at the end.
func allowSameOrigin(origin *url.URL) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case !isSameOrigin(origin, req.URL):
			return errors.New("redirected to another origin")
		case len(via) >= 10:
			return errors.New("redirected ten times")
		}
		return nil
	}
}

func isSameOrigin(origin, u *url.URL) bool { return u.Scheme == origin.Scheme && u.Host == origin.Host }

func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := c.life.onEnd(cancel)
	release := func() {
		stop()
		cancel()
	}
	req = req.Clone(ctx)
	if isSameOrigin(c.origin, req.URL) {
		for name, values := range c.header {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	resp, err := c.base.RoundTrip(req)
	t := traceOf(ctx)
	t.noteRequest(req, resp, err)
	if err != nil {
		release()
		if req.Method == http.MethodGet && c.life.hasEnded() {
			return newNoStream(req), nil
		}
		return nil, err
	}
	resp.Body = &limited{
		ReadCloser: resp.Body, trace: t, left: c.limit, release: release,
		stream: mediaType(resp) == "text/event-stream",
	}
	return resp, nil
}

// newNoStream returns the answer of a server that sends no messages of its own.
// It ends the SDK's attempts to listen for them, which otherwise go on for long
// and can't be stopped while it connects.
func newNoStream(req *http.Request) *http.Response {
	return &http.Response{
		Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

func mediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// limited is a body of bounded length, unless it is a stream: there, each event
// is bounded where it is read.
type limited struct {
	io.ReadCloser
	trace   *requestTrace
	left    int
	stream  bool
	release func()
}

func (l *limited) Read(p []byte) (int, error) {
	if !l.stream {
		p = p[:min(len(p), l.left+1)]
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 && !l.stream {
		return 0, errors.New("the answer is too large")
	}
	if l.left >= 0 {
		l.trace.noteBody(p[:n], l.stream)
	}
	return n, err
}

func (l *limited) Close() error {
	err := l.ReadCloser.Close()
	l.release()
	if err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}
