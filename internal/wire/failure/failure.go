package failure

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// Dialect is what one codec knows of errors beyond what all of them know. The
// zero Dialect knows nothing more.
type Dialect struct {
	// Kinds and Statuses are codes and types that only this dialect has, by the
	// kind of error or the HTTP status that they stand for. Case doesn't matter.
	Kinds    map[error][]string
	Statuses map[int][]string
	// StatusKinds are the meanings of HTTP statuses of the dialect's own.
	StatusKinds map[int]error
	// Unknown is the kind of an error inside a 200 that says nothing known; nil
	// means ErrServer. RetryUnknown says that it may pass, as requests are
	// checked before the 200 is sent.
	Unknown      error
	RetryUnknown bool
	// RequestID is the member of a body that names the request, beside
	// request_id; empty means that there is none.
	RequestID string
}

// Failure is what the body of a failed answer says, in whatever shape.
type Failure struct {
	Message, Type, Code, Param string
	RequestID                  string
	RetryAfter                 time.Duration

	words  []string // all codes, types and reasons, those nearest to the cause first
	status int      // the HTTP status that the body names; 0: none
	behind int      // the status of a model behind a gateway; 0: none
	spent  bool     // a quota is used up that waiting does not fill
}

// fillFrom takes from an error what f doesn't say by itself.
func (f *Failure) fillFrom(from *Failure) {
	f.Message, f.Type = cmp.Or(f.Message, from.Message), cmp.Or(f.Type, from.Type)
	f.Code, f.Param = cmp.Or(f.Code, from.Code), cmp.Or(f.Param, from.Param)
	f.RequestID = cmp.Or(f.RequestID, from.RequestID)
	f.RetryAfter = max(f.RetryAfter, from.RetryAfter)
	f.words = append(f.words, from.words...)
	f.status, f.behind = cmp.Or(f.status, from.status), cmp.Or(f.behind, from.behind)
	f.spent = f.spent || from.spent
}

// Inside reads an error that came with status 200, in a reply or a frame.
func (d *Dialect) Inside(body []byte) *chat.Error { return d.Decode(http.StatusOK, nil, body) }

// Find is Inside for a body that need not hold an error: nil if it names none.
func (d *Dialect) Find(body []byte) *chat.Error {
	if f, _ := readBody(body); f.Message == "" && f.Type == "" && f.Code == "" {
		return nil
	}
	return d.Inside(body)
}

// Decode reads the body of an answer whose status says that it failed. It never
// returns nil. How long to wait is read from the body only: headers are the
// transport's.
func (d *Dialect) Decode(status int, h http.Header, body []byte) *chat.Error {
	f, members := readBody(body)
	if name := exceptionName(h.Get("X-Amzn-Errortype")); name != "" {
		f.Type = name
		f.words = append([]string{name}, f.words...)
	}
	// Proxies set X-Request-Id, too, so that the names of a provider come first.
	f.RequestID = cmp.Or(
		h.Get("Request-Id"), h.Get("X-Debug-Trace-Id"), h.Get("Mistral-Correlation-Id"),
		f.RequestID, members.readWord(d.RequestID), h.Get("X-Request-Id"), h.Get("X-Amzn-Requestid"),
	)
	f.Message = cmp.Or(f.Message, Excerpt(body))
	return d.MakeError(status, f)
}

// MakeError makes an error of a failure that came with an HTTP status.
func (d *Dialect) MakeError(status int, f Failure) *chat.Error {
	if len(f.words) == 0 {
		f.words = []string{f.Code, f.Type}
	}
	kind, again := d.classify(status, &f)
	e := &chat.Error{
		Kind: kind, Status: status, Type: f.Type, Code: f.Code, Param: f.Param, Message: f.Message,
		RequestID: f.RequestID, RetryAfter: f.RetryAfter, Retryable: again,
	}
	for _, text := range textsOf(e) {
		*text = cutText(*text, readLimit)
	}
	return e
}

// classify tells the kind of a failure, and whether the same request may
// succeed later. Words that say more than a status can come first: 429 is also
// an empty account, 400 also a prompt that is too long.
func (d *Dialect) classify(status int, f *Failure) (kind error, again bool) {
	if f.spent || status == 402 {
		return chat.ErrQuota, false
	}
	if kind := d.findKind(f.words); kind != nil {
		return kind, retryable(kind, 0)
	}
	if status/100 == 2 { // the body's word stands for the status
		status = f.status
	}
	status = refineStatus(status, d.findStatus(f.words))
	switch kind := d.StatusKinds[status]; {
	case status == 0:
		return cmp.Or(d.Unknown, chat.ErrServer), d.RetryUnknown
	case kind != nil:
		return kind, retryable(kind, status)
	case status == 424 && f.behind != 0:
		kind = kindBehind(f.behind)
		return kind, retryable(kind, 0)
	}
	kind = kindOfStatus(status)
	return kind, retryable(kind, status)
}

// refineStatus is the status to go by: the one that came, or the one that the error's
// words stand for, where that is more exact. A status of 4xx with a meaning of
// its own is exact; servers answer 400 and 500 to everything.
func refineStatus(status, said int) int {
	switch {
	case said == 0:
		return status
	case status == 0, status == 500:
		return said
	case said < 500 && (status >= 500 || errors.Is(kindOfStatus(status), chat.ErrBadRequest)):
		return said
	}
	return status
}
