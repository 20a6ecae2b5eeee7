package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// body ends a read when the context does or when the server is silent for too
// long. It has no goroutine of its own: one timer runs while a read waits, and
// ending the attempt's context closes the raw body, which not every transport
// does by itself.
type body struct {
	raw    io.ReadCloser
	status int
	cancel context.CancelCauseFunc
	ended  func() error // the caller's context
	detach func() bool
	once   sync.Once

	idle    time.Duration
	timer   *time.Timer
	silent  atomic.Bool
	hurried bool // the timer runs on, whatever is read
}

// errSilent is the cause with which an attempt's context ends.
var errSilent = errors.New("the server fell silent")

func newBody(
	ctx, attempt context.Context, cancel context.CancelCauseFunc, raw *http.Response, idle time.Duration,
) *body {
	b := &body{
		raw: raw.Body, status: raw.StatusCode, cancel: cancel, idle: idle,
		ended: func() error { return contextError(ctx) },
	}
	b.detach = context.AfterFunc(attempt, b.closeRaw)
	// Made here and not by the first read, which may be racing a Close.
	b.timer = time.AfterFunc(idle, b.expire)
	b.timer.Stop()
	return b
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ended(); err != nil {
		return 0, err
	}
	if !b.hurried {
		b.timer.Reset(b.idle)
		defer b.timer.Stop()
	}
	n, err := b.raw.Read(p)
	if err != nil {
		err = b.explainEnd(err)
	}
	return n, err
}

func (b *body) expire() {
	b.silent.Store(true)
	b.cancel(errSilent)
}

// limitReads bounds all further reads together.
func (b *body) limitReads(d time.Duration) {
	b.idle = min(b.idle, d)
	b.timer.Reset(b.idle)
	b.hurried = true
}

// explainEnd returns the reason why a read ended. The context and the silence
// come first: what the raw body says then is only their consequence, even if it
// is io.EOF.
func (b *body) explainEnd(err error) error {
	if ended := b.ended(); ended != nil {
		return ended
	}
	if b.silent.Load() {
		return b.newError("", fmt.Errorf("timeout: no data for %v: %w", b.idle, errSilent))
	}
	if err == io.EOF { //nolint:errorlint // io.Reader's contract is io.EOF itself; a wrapped one is a failure.
		return err
	}
	if errors.Is(err, io.EOF) { // for a reader of ours it would mean that all is well
		err = io.ErrUnexpectedEOF
	}
	return b.newError("the reply broke off", cleanCause(err, nil))
}

func (b *body) newError(message string, err error) error {
	return &chat.Error{Kind: chat.ErrNetwork, Status: b.status, Message: message, Err: err}
}

// Close frees the connection and returns when the raw body is closed.
func (b *body) Close() error {
	b.timer.Stop()
	b.detach()
	b.closeRaw()
	b.cancel(nil)
	return nil
}

func (b *body) closeRaw() {
	b.once.Do(func() {
		// Nothing is lost with a body that can't be closed cleanly.
		_ = b.raw.Close()
	})
}
