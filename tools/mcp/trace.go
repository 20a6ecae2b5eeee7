package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sabir-go/sabir/internal/frame"
)

// requestTrace records of a request what the SDK doesn't tell: how far it came,
// and the answer as the server wrote it. The SDK turns schemas and structured
// content into maps and floats, which have no order and not all digits, and
// leaves out members that it doesn't know.
type requestTrace struct {
	// Of the HTTP request; to be read when the request is over.
	status  int  // of the answer; 0 if none came
	session bool // the request named a session
	unsent  bool // no connection was made

	listed []*sdk.Tool // the tools of a page, before the SDK leaves some out

	mu     sync.Mutex
	result json.RawMessage // the answer, where it came as a message
	body   bytes.Buffer    // or the HTTP body that holds it
	stream bool            // which is one of events
}

type traceKey struct{}

func withTrace(ctx context.Context) (context.Context, *requestTrace) {
	t := new(requestTrace)
	return context.WithValue(ctx, traceKey{}, t), t
}

// traceOf returns the trace of a request; nil if there is none.
func traceOf(ctx context.Context) *requestTrace {
	t, _ := ctx.Value(traceKey{}).(*requestTrace)
	return t
}

// noteRequest records an HTTP request and its outcome.
func (t *requestTrace) noteRequest(req *http.Request, resp *http.Response, err error) {
	if t == nil || req.Method != http.MethodPost {
		return
	}
	t.status, t.session, t.unsent = 0, req.Header.Get("Mcp-Session-Id") != "", false
	if resp != nil {
		t.status = resp.StatusCode
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		t.unsent = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.body.Reset()
	t.result = nil
}

// noteBody records a piece of a body. Those of a stream that was resumed follow
// each other.
func (t *requestTrace) noteBody(p []byte, stream bool) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream = stream
	t.body.Write(p)
}

// decodeAnswer decodes the answer's result as it was written. It reports
// whether it is known.
func (t *requestTrace) decodeAnswer(into any) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.result != nil:
	case !t.stream:
		t.result = resultOf(t.body.Bytes())
	default:
		events := frame.NewSSE(bytes.NewReader(t.body.Bytes()), t.body.Len()+1)
		for f, err := events.Next(); err == nil; f, err = events.Next() {
			if r := resultOf(f.Data); r != nil {
				t.result = r
			}
		}
	}
	return t.result != nil && json.Unmarshal(t.result, into) == nil
}

func resultOf(message []byte) json.RawMessage {
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(message, &m) != nil {
		return nil
	}
	return m.Result
}

// noteListed records what the server listed: the SDK leaves out entries that it
// takes for wrong, and only logs them.
func noteListed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*sdk.ListToolsResult); ok && err == nil {
			if t := traceOf(ctx); t != nil {
				t.listed = slices.Clone(list.Tools)
			}
		}
		return res, err
	}
}

// tap records the answers that come over a transport. It is for transports of
// one stream of messages: the SDK knows its HTTP connection by a method that
// can't be passed on.
type tap struct {
	sdk.Transport
	garbled func(error)
}

func (t tap) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{Connection: c, garbled: t.garbled, waiting: make(map[jsonrpc.ID]*requestTrace)}, nil
}

type tapped struct {
	sdk.Connection
	garbled func(error)
	mu      sync.Mutex
	waiting map[jsonrpc.ID]*requestTrace
}

func (c *tapped) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		if t := traceOf(ctx); t != nil {
			t.mu.Lock()
			t.result = nil // the server's question, when this request answers it
			t.mu.Unlock()
			c.mu.Lock()
			c.waiting[req.ID] = t
			c.mu.Unlock()
			context.AfterFunc(ctx, func() { c.takeTrace(req.ID) })
		}
	}
	return c.Connection.Write(ctx, msg)
}

func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil && ctx.Err() == nil && !isEnd(err) {
		c.garbled(err)
	}
	if res, ok := msg.(*jsonrpc.Response); ok && err == nil {
		if t := c.takeTrace(res.ID); t != nil {
			t.mu.Lock()
			t.result = res.Result
			t.mu.Unlock()
		}
	}
	return msg, err
}

// isEnd reports whether an error of a reader is its end, even in the middle of
// a message.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

func (c *tapped) takeTrace(id jsonrpc.ID) *requestTrace {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.waiting[id]
	delete(c.waiting, id)
	return t
}
