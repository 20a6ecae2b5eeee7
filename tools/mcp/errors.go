package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// plainError is an error in words of this package. Those of the SDK hold whole
// addresses, and so whatever secret stands in them.
type plainError struct {
	text  string
	cause error
}

func (f *plainError) Error() string { return f.text }

func (f *plainError) Unwrap() error { return f.cause }

func newPlainError(text string, cause error) error { return &plainError{cleanText(text), cause} }

func isPlainError(err error) bool {
	_, ok := errors.AsType[*plainError](err)
	return ok
}

func asPlainError(err error) error {
	if isPlainError(err) {
		return err
	}
	if e, ok := asAnswer(err); ok {
		return newPlainError(fmt.Sprintf("the server says: %s (%d)", e.Message, e.Code), err)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return newPlainError(e.Err.Error(), err)
	}
	return newPlainError(err.Error(), err)
}

// rejected is the code of an error that the SDK itself adds to those of its
// transports, in the shape of a server's.
const rejected = -32005

// asAnswer returns the error that the server itself answered with.
func asAnswer(err error) (*jsonrpc.Error, bool) {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return e, ok && e.Code != rejected
}

// messageLimit bounds how much of another's text goes into an error.
const messageLimit = 500

// cleanText makes a text of unknown origin fit for one line of a log or
// terminal.
func cleanText(s string) string {
	s = dropControls(s)
	if len(s) > messageLimit {
		s = strings.ToValidUTF8(s[:messageLimit], "") + "…"
	}
	return s
}

func dropControls(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
}
