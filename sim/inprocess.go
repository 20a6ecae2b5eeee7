package sim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// RoundTripper sends requests to the server without a network: put it into an
// http.Client. The host of the address doesn't matter. Streams flow as they
// are written, and end when the request's context or the body does.
func (s *Server) RoundTripper() http.RoundTripper { return roundTripper{s} }

type roundTripper struct{ srv *Server }

func (t roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, errors.Join(err, closeBody(req))
	}
	ctx, cancel := context.WithCancel(req.Context())
	body, pipe := io.Pipe()
	w := &pipeWriter{header: http.Header{}, pipe: pipe, started: make(chan struct{}), done: make(chan struct{})}
	go t.serveRequest(ctx, req, w)
	select {
	case <-w.started:
	case <-ctx.Done():
		cancel()
		_ = body.CloseWithError(ctx.Err())
		<-w.done
		return nil, context.Cause(req.Context())
	}
	stop := context.AfterFunc(ctx, func() { _ = pipe.CloseWithError(ctx.Err()) })
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: -1, Request: req,
		Body: &pipeBody{PipeReader: body, done: w.done, end: func() { stop(); cancel() }},
	}, nil
}

func (t roundTripper) serveRequest(ctx context.Context, req *http.Request, w *pipeWriter) {
	defer close(w.done)
	in := req.Clone(ctx)
	if in.Body == nil {
		in.Body = http.NoBody
	}
	t.srv.ServeHTTP(w, in)
	_ = in.Body.Close()
	w.WriteHeader(http.StatusOK)
	_ = w.pipe.CloseWithError(ctx.Err()) // nil ends the body well
}

func closeBody(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	return req.Body.Close()
}

// pipeWriter is a ResponseWriter whose body is read while it is written.
type pipeWriter struct {
	header, sent http.Header
	status       int
	pipe         *io.PipeWriter
	once         sync.Once
	started      chan struct{}
	done         chan struct{}
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.started)
	})
}

func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(b)
}

// Flush has nothing to do: every write is handed over at once.
func (w *pipeWriter) Flush() {}

// BreakOff ends the body as a dropped connection does.
func (w *pipeWriter) BreakOff() { _ = w.pipe.CloseWithError(io.ErrUnexpectedEOF) }

// pipeBody ends the handler when it is closed.
type pipeBody struct {
	*io.PipeReader
	done chan struct{}
	end  func()
}

func (b *pipeBody) Close() error {
	err := b.PipeReader.Close()
	b.end()
	<-b.done
	return err
}
