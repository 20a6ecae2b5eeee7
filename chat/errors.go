package chat

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The kinds of error, for errors.Is. Which are retried by sabir itself, within
// Config.MaxAttempts and before anything was delivered: ErrRateLimited,
// ErrOverloaded, ErrServer and ErrNetwork.
var (
	// ErrInvalid: the request is wrong in itself; nothing was sent. Param is
	// the path of the field.
	ErrInvalid = errors.New("invalid request")
	// ErrUnsupported: the plan refused; nothing was sent.
	ErrUnsupported = errors.New("unsupported")
	// ErrAuth: the key is missing, wrong, or not allowed to do this.
	ErrAuth = errors.New("not authorised")
	// ErrNotFound: no such model or address.
	ErrNotFound = errors.New("not found")
	// ErrBadRequest: the provider says that the request is wrong.
	ErrBadRequest = errors.New("bad request")
	// ErrTooLong: the prompt exceeds the model's context.
	ErrTooLong = errors.New("prompt too long")
	// ErrFiltered: the provider's filter stopped the prompt.
	ErrFiltered = errors.New("filtered")
	// ErrQuota: the account's money or quota is used up.
	ErrQuota = errors.New("quota exhausted")
	// ErrRateLimited: too many requests; see RetryAfter.
	ErrRateLimited = errors.New("rate limited")
	// ErrOverloaded: the provider has no capacity now.
	ErrOverloaded = errors.New("overloaded")
	// ErrServer: the provider failed.
	ErrServer = errors.New("server error")
	// ErrNetwork: the connection failed, before the answer or in the middle of it;
	// only in the first case is it Retryable.
	ErrNetwork = errors.New("network error")
	// ErrBadReply: the answer can't be read: HTML, broken JSON, no choices, or
	// larger than the limits.
	ErrBadReply = errors.New("unreadable reply")
	// ErrMalformedCall: the provider says that the model wrote a broken call.
	ErrMalformedCall = errors.New("malformed tool call")
	// ErrTruncated: a stream ended without its end mark. Reply is what was read.
	ErrTruncated = errors.New("truncated")
	// ErrStreamUsed: a stream was ranged over twice.
	ErrStreamUsed = errors.New("stream already used")
	// ErrToolChoiceUnmet: the model broke the tool choice. Nothing in Reply
	// may be run.
	ErrToolChoiceUnmet = errors.New("tool choice not met")
	// ErrOutputUnmet: the answer isn't JSON or doesn't fit [Request.Output].
	ErrOutputUnmet = errors.New("output does not fit the schema")
)

// kinds is the one list of them.
var kinds = [...]struct {
	name string
	kind error
}{
	{"ErrInvalid", ErrInvalid},
	{"ErrUnsupported", ErrUnsupported},
	{"ErrAuth", ErrAuth},
	{"ErrNotFound", ErrNotFound},
	{"ErrBadRequest", ErrBadRequest},
	{"ErrTooLong", ErrTooLong},
	{"ErrFiltered", ErrFiltered},
	{"ErrQuota", ErrQuota},
	{"ErrRateLimited", ErrRateLimited},
	{"ErrOverloaded", ErrOverloaded},
	{"ErrServer", ErrServer},
	{"ErrNetwork", ErrNetwork},
	{"ErrBadReply", ErrBadReply},
	{"ErrMalformedCall", ErrMalformedCall},
	{"ErrTruncated", ErrTruncated},
	{"ErrStreamUsed", ErrStreamUsed},
	{"ErrToolChoiceUnmet", ErrToolChoiceUnmet},
	{"ErrOutputUnmet", ErrOutputUnmet},
}

// Kinds returns the kinds of error, in the order in which they are declared.
func Kinds() []error {
	out := make([]error, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, k.kind)
	}
	return out
}

// KindName returns the name of the kind that errors.Is finds in err, such as
// "ErrAuth", for logs, metrics and stored forms; empty if there is none.
func KindName(err error) string {
	for _, k := range kinds {
		if errors.Is(err, k.kind) {
			return k.name
		}
	}
	return ""
}

// KindByName returns the kind that has this name; nil if there is none.
func KindByName(name string) error {
	for _, k := range kinds {
		if name == k.name {
			return k.kind
		}
	}
	return nil
}

// Error is a call that failed. errors.Is finds its kind and whatever caused
// it, such as context.Canceled.
type Error struct {
	// Kind is one of this package's sentinels.
	Kind   error
	Engine string
	Model  string
	// Status is the HTTP status; 0 if no answer came. It is 200 when the error
	// came inside a stream or a reply.
	Status int
	// Type, Code, Param and Message are the provider's words. For ErrInvalid,
	// Param is the path of the field in [Request].
	Type    string
	Code    string
	Param   string
	Message string
	// RequestID is the provider's id for the HTTP request.
	RequestID string
	// RetryAfter is how long the provider asked us to wait; 0 if it didn't say.
	RetryAfter time.Duration
	// Retryable says that the same request may succeed later.
	Retryable bool
	// Attempts counts the requests sent.
	Attempts int
	// Reply is what had been read when it went wrong, if anything. For
	// ErrToolChoiceUnmet and ErrOutputUnmet it is the whole reply.
	Reply *Reply
	// Err is the cause, if there is one beyond the provider's words.
	Err error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Engine != "" {
		b.WriteString(e.Engine)
		b.WriteString(": ")
	}
	if e.Kind != nil {
		b.WriteString(e.Kind.Error())
	}
	if e.Status != 0 && e.Status != 200 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	for _, s := range []string{clean(e.Param), clean(e.Message), causeText(e.Err, e.Message)} {
		if s != "" {
			b.WriteString(": ")
			b.WriteString(s)
		}
	}
	return b.String()
}

// Unwrap lets errors.Is and errors.As see the kind and the cause.
func (e *Error) Unwrap() []error {
	errs := make([]error, 0, 2)
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	return errs
}

// UnsupportedError says that an engine can't do what was asked; nothing was
// sent. errors.Is finds ErrUnsupported.
type UnsupportedError struct {
	Engine string
	Model  string
	// Feature is what was asked, such as "forced tool choice tool(place)".
	Feature string
	// Reason is why it can't be had.
	Reason string
	// Instead lists the ways out, each a sentence.
	Instead []string
}

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s on %q: %s", e.Engine, e.Feature, e.Model, e.Reason)
	if len(e.Instead) > 0 {
		b.WriteString(" (instead: ")
		b.WriteString(strings.Join(e.Instead, "; or "))
		b.WriteString(")")
	}
	return b.String()
}

// Is makes errors.Is(err, ErrUnsupported) true.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// Invalid is the error for a request that is wrong in itself. path is the
// field's place in [Request], such as "Tools[1].Name".
func Invalid(path, why string) *Error {
	return &Error{Kind: ErrInvalid, Param: path, Message: why}
}

// messageLimit bounds how much of a provider's text goes into an error line.
const messageLimit = 500

// clean makes a provider's text safe for one line of a log or terminal: no
// control characters, bounded length.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
	if len(s) > messageLimit {
		cut := messageLimit
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
	}
	return s
}

func causeText(err error, message string) string {
	if err == nil || err.Error() == message {
		return ""
	}
	return clean(err.Error())
}
