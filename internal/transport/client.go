package transport

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
)

// Options says how a [Client] sends. The zero value is ready for use.
type Options struct {
	// HTTPClient lends its Transport; nil, or a nil Transport, means one shared
	// by all clients, with an idle pool wide enough for hundreds of calls at
	// once. Its Timeout, Jar and CheckRedirect are not used: a timeout cuts
	// streams, cookies mix tenants, and a redirect carries keys to other hosts.
	HTTPClient *http.Client
	// MaxAttempts counts requests, not repetitions: 1 means no retry; 0 means 3.
	MaxAttempts int
	// MaxWait bounds the sum of the waits between attempts; 0 means a minute.
	MaxWait time.Duration
	// Idle is the longest silence while a body is read; 0 means five minutes,
	// because models can think for that long. The wait for the headers is
	// bounded by the context alone.
	Idle time.Duration
	// MaxBody is the largest reply that ReadAll takes, in bytes after
	// decompression; 0 means 64 MiB. Streams are not bound by it.
	MaxBody int64
}

const (
	defaultAttempts = 3
	defaultMaxWait  = time.Minute
	defaultIdle     = 5 * time.Minute
	defaultMaxBody  = 64 << 20
)

// Client sends requests over one pool of connections. It is safe for
// concurrent use and needs no closing.
type Client struct {
	resty *resty.Client
	opts  Options
}

// New returns a client. It does no I/O.
func New(opts Options) *Client {
	opts.MaxAttempts = cmp.Or(max(opts.MaxAttempts, 0), defaultAttempts)
	opts.MaxWait = cmp.Or(max(opts.MaxWait, 0), defaultMaxWait)
	opts.Idle = cmp.Or(max(opts.Idle, 0), defaultIdle)
	opts.MaxBody = cmp.Or(max(opts.MaxBody, 0), defaultMaxBody)
	return &Client{resty: newResty(roundTripper(opts.HTTPClient)), opts: opts}
}

// newResty turns off all that resty does besides sending. Its retry sends an
// empty body the second time and leaves raw bodies open, its timeout ends
// healthy streams, and its logger writes to standard error.
func newResty(rt http.RoundTripper) *resty.Client {
	return resty.NewWithClient(&http.Client{Transport: rt, CheckRedirect: keepRedirect}).
		SetRetryCount(0).
		SetDoNotParseResponse(true).
		SetLogger(discardLogger{}).
		SetDisableWarn(true)
}

// keepRedirect returns a redirect as the answer: net/http would send X-Api-Key
// and the like to whatever host it names.
func keepRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

type discardLogger struct{}

func (discardLogger) Errorf(string, ...any) {}
func (discardLogger) Warnf(string, ...any)  {}
func (discardLogger) Debugf(string, ...any) {}

// Request is one HTTP request. Send changes nothing in it, but net/http may
// still read Body after Send has returned: don't reuse its memory.
type Request struct {
	Method string // empty means POST
	URL    string // absolute; never holds a key
	// Header is sent as it is. Left out, User-Agent is sabir's, Content-Type
	// (with a body) application/json, and Accept takes JSON and event streams.
	Header http.Header
	Body   []byte
	// Secrets are never shown in errors; see [redact.Secrets].
	Secrets []string
}

// Send makes one attempt. Whatever the status, an answer is a Response, also a
// redirect, which is not followed; the caller must close it.
//
// If no answer came, the error is a *chat.Error of kind ErrNetwork; it is
// Retryable unless bytes of an answer had been received or another attempt
// can't help (a bad certificate, an unknown host). An address or header that
// can't be sent is of kind ErrInvalid. If ctx ended, the error is the
// context's, with its cause.
func (c *Client) Send(ctx context.Context, r Request) (*Response, error) {
	if err := checkHeader(r.Header); err != nil {
		return nil, err
	}
	attempt, cancel := context.WithCancelCause(ctx)
	mark := &answerMark{}
	mark.trace.GotFirstResponseByte = mark.set
	raw, err := c.sendRaw(httptrace.WithClientTrace(attempt, &mark.trace), r) //nolint:bodyclose // Response.Close does.
	if err != nil {
		cancel(nil)
		if ended := contextError(ctx); ended != nil {
			return nil, ended
		}
		return nil, newSendError(r, err, mark.got.Load())
	}
	return newResponse(ctx, attempt, cancel, raw, c.opts), nil
}

type answerMark struct {
	trace httptrace.ClientTrace
	got   atomic.Bool
}

func (m *answerMark) set() { m.got.Store(true) }

// sendRaw sends through resty. The body goes as a *bytes.Reader: a slice resty
// copies twice, and of any other reader net/http can't tell the length or
// rewind it.
func (c *Client) sendRaw(ctx context.Context, r Request) (*http.Response, error) {
	req := c.resty.R().SetContext(ctx)
	fillHeader(req.Header, r.Header, len(r.Body) > 0)
	if len(r.Body) > 0 {
		req.SetBody(bytes.NewReader(r.Body))
	}
	resp, err := req.Execute(cmp.Or(r.Method, http.MethodPost), r.URL)
	if err != nil {
		return nil, err
	}
	return resp.RawResponse, nil
}

// fillHeader shares the value slices: resty and net/http only read them.
func fillHeader(dst, src http.Header, body bool) {
	for k, v := range src {
		dst[http.CanonicalHeaderKey(k)] = v
	}
	setDefault(dst, "User-Agent", userAgent)
	setDefault(dst, "Accept", acceptBoth)
	if body {
		setDefault(dst, "Content-Type", jsonType)
	}
}

var (
	userAgent  = []string{"sabir (+https://github.com/sabir-go/sabir)"}
	acceptBoth = []string{"application/json, text/event-stream"}
	jsonType   = []string{"application/json"}
)

func setDefault(h http.Header, key string, value []string) {
	if len(h[key]) == 0 {
		h[key] = value
	}
}
