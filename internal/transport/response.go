package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/sabir-go/sabir/chat"
)

const (
	// errorBodyLimit is how much of a refusal is read: error objects are small,
	// a proxy's page need not be read whole.
	errorBodyLimit = 1 << 20
	errorBodyWait  = 10 * time.Second
	// trustedLength is how much memory a Content-Length gets in advance.
	trustedLength = 4 << 20
	// Finish waits this long, for this much, to save a connection.
	finishWait  = 100 * time.Millisecond
	finishLimit = 64 << 10
)

// Response is the answer to one attempt. It must be closed, by Close, Finish
// or ReadAll.
type Response struct {
	Status int
	Header http.Header
	// Body is the decompressed body. A read ends with the context's error if
	// that ended, and with a *chat.Error of kind ErrNetwork, not retryable, if
	// the server fell silent or the connection broke. The cause stays visible:
	// io.ErrUnexpectedEOF if the body was cut. io.EOF is never wrapped. Body may
	// be closed during a read.
	Body io.ReadCloser

	body    *body
	length  int64
	maxBody int64
}

func newResponse(
	ctx, attempt context.Context, cancel context.CancelCauseFunc, raw *http.Response, opts Options,
) *Response {
	b := newBody(ctx, attempt, cancel, raw, opts.Idle)
	return &Response{
		Status: raw.StatusCode, Header: raw.Header, Body: b,
		body: b, length: raw.ContentLength, maxBody: opts.MaxBody,
	}
}

// Close ends the answer wherever it is. It may be called more than once.
func (r *Response) Close() error { return r.body.Close() }

// ReadAll reads the whole body and closes it. A reply that broke off is a
// *chat.Error of kind ErrNetwork, one above Options.MaxBody of kind ErrBadReply;
// neither is retryable, because the provider has done (and charged) the work.
//
// With a status that isn't 2xx, only the context's end is an error: the status
// says more than a broken page could, so ReadAll gives what it could read of
// the first MiB within ten seconds.
func (r *Response) ReadAll() ([]byte, error) {
	data, err := r.readAll()
	// The data is complete or lost by now; what closing says changes nothing.
	_ = r.body.Close()
	return data, err
}

func (r *Response) readAll() ([]byte, error) {
	refusal := r.Status < 200 || r.Status > 299
	limit := r.maxBody
	if refusal {
		limit = min(limit, errorBodyLimit)
		r.body.limitReads(errorBodyWait)
	}
	data, err := readUpTo(r.Body, r.length, limit)
	switch {
	case refusal && r.body.ended() == nil:
		return data[:min(int64(len(data)), limit)], nil
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, &chat.Error{
			Kind: chat.ErrBadReply, Status: r.Status,
			Message: fmt.Sprintf("the reply is larger than %d bytes", limit),
		}
	}
	return data, nil
}

// readUpTo reads to the end or to one byte over the limit. If the length is
// known, the buffer is made once, a byte longer, so that no read is left with
// an empty slice.
func readUpTo(r io.Reader, length, limit int64) ([]byte, error) {
	data := make([]byte, 0, min(max(length, bytes.MinRead), trustedLength, limit)+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		room := data[len(data):min(int64(cap(data)), limit+1)]
		n, err := r.Read(room)
		data = data[:len(data)+n]
		switch {
		case err == io.EOF: // not errors.Is: a wrapped one is a failure
			return data, nil
		case err != nil:
			return data, err
		case int64(len(data)) > limit:
			return data, nil
		}
	}
}

// Finish closes a stream that was read to its last frame. First it reads what
// is left of the body, for at most 100 ms and 64 KiB, because only a body that
// was read to its end leaves a connection that can be used again.
func (r *Response) Finish() {
	r.body.limitReads(finishWait)
	// What comes after the last frame is of no interest, and neither is an
	// error there.
	_, _ = io.CopyN(io.Discard, r.body, finishLimit)
	_ = r.body.Close()
}
