package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/redact"
)

// contextError returns nil while ctx lives. Afterwards both its error and its
// cause are visible.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if why := context.Cause(ctx); why != nil && !errors.Is(err, why) {
		return fmt.Errorf("%w: %w", err, why)
	}
	return err
}

// newSendError is for an attempt that got no answer. It names the host and no
// more of the address: paths and queries have held keys.
func newSendError(r Request, err error, answered bool) error {
	host, bad := hostOf(r.URL)
	if bad != "" {
		return chat.Invalid("BaseURL", bad)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return &chat.Error{
		Kind:      chat.ErrNetwork,
		Message:   redact.New(r.Secrets).Strike(host),
		Retryable: !answered && !isPermanent(err),
		Err:       cleanCause(err, r.Secrets),
	}
}

// hostOf returns the address's host, or what is wrong with the address.
func hostOf(address string) (host, bad string) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", "the address can't be read as a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "the address must start with http:// or https://"
	case u.Host == "":
		return "", "the address names no host"
	}
	return u.Host, ""
}

// isPermanent reports whether the same request would fail again in the same
// way.
func isPermanent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	return noTLS || errors.Is(err, http.ErrSchemeMismatch)
}

// cleanCause makes an error safe to show. If its text holds a secret or an
// address with user information or a query (a proxy's, say), only the cleaned
// text stays: whoever unwraps further would find them.
func cleanCause(err error, secrets []string) error {
	text := err.Error()
	if clean := redact.StripURLs(redact.New(secrets).Strike(text)); clean != text {
		return errors.New(clean)
	}
	return err
}

// checkHeader refuses what net/http would refuse in each attempt. A stray line
// end in a key is the usual case; the value is not shown.
func checkHeader(h http.Header) error {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, isNotToken) {
			return chat.Invalid("Header", fmt.Sprintf("%q is no header name", name))
		}
		for _, v := range values {
			if strings.ContainsFunc(v, isControl) {
				return chat.Invalid("Header", name+" holds a control character, such as a line end")
			}
		}
	}
	return nil
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

func isNotToken(c rune) bool {
	return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
}
