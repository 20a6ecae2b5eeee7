package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// faulty is an error in our words. Those of the SDK hold whole addresses, and
// so whatever secret stands in them.
type faulty struct {
	text  string
	cause error
}

func (f *faulty) Error() string { return f.text }

func (f *faulty) Unwrap() error { return f.cause }

func fault(text string, cause error) error { return &faulty{clean(text), cause} }

func isFault(err error) bool {
	_, ok := errors.AsType[*faulty](err)
	return ok
}

// plain says what an error of the SDK comes down to.
func plain(err error) error {
	if isFault(err) {
		return err
	}
	if e, ok := answered(err); ok {
		return fault(fmt.Sprintf("the server says: %s (%d)", e.Message, e.Code), err)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fault(e.Err.Error(), err)
	}
	return fault(err.Error(), err)
}

// rejected is the code of an error that the SDK itself puts beside those of its
// transports, in the shape of a server's.
const rejected = -32005

// answered returns the error that the server itself answered with.
func answered(err error) (*jsonrpc.Error, bool) {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return e, ok && e.Code != rejected
}

// messageLimit bounds how much of another's text goes into an error.
const messageLimit = 500

// clean makes a text of unknown origin fit for one line of a log or terminal.
func clean(s string) string {
	s = printable(s)
	if len(s) > messageLimit {
		s = strings.ToValidUTF8(s[:messageLimit], "") + "…"
	}
	return s
}

// printable takes out what a terminal would obey.
func printable(s string) string {
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
