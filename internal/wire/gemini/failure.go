package gemini

import (
	"bytes"
	"strings"
	"time"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// failure is what an error body says, whatever its shape.
type failure struct {
	message, typ, code string
	reason             string // of ErrorInfo
	param              string // the first field that BadRequest names
	status             int    // the number in the body; 0: none
	retryAfter         time.Duration
	// spent: what is used up is a quota that waiting does not fill: one of a
	// day, or one of nothing.
	spent bool
}

// Limits on what is kept of an error's text and how deep it is looked for.
const (
	maxErrorText  = 4 << 10
	maxErrorDepth = 5
)

func readFailure(body []byte) *failure {
	f := new(failure)
	var s rawjson.Scanner
	s.Reset(body)
	f.read(&s, maxErrorDepth)
	if s.End() != nil { // not JSON: nothing in it counts
		return &failure{message: excerpt(body)}
	}
	return f
}

// read takes in a value that is, or holds, an error. A list is what a stream
// is when it isn't asked for as server-sent events; the first error in it has
// the say.
func (f *failure) read(s *rawjson.Scanner, depth int) {
	switch {
	case depth == 0:
		s.Skip()
	case s.Kind() == rawjson.String:
		set(&f.message, s.Bytes())
	case s.Kind() == rawjson.Array:
		s.EnterArray()
		for s.NextElem() {
			f.read(s, depth-1)
		}
	default:
		f.object(s, depth)
	}
}

// object reads Google's error object and, for servers that imitate the API,
// OpenAI's type and code in words. Source: googleapis google/rpc/status.proto,
// read 2026-11-30.
func (f *failure) object(s *rawjson.Scanner, depth int) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "error":
			f.read(s, depth-1)
		case "message":
			set(&f.message, word(s))
		case "status":
			set(&f.typ, word(s))
		case "type":
			set(&f.typ, word(s))
		case "code":
			f.setCode(s)
		case "details":
			f.details(s)
		default:
			s.Skip()
		}
	}
}

// setCode takes a code; a number that is an HTTP status counts as one.
func (f *failure) setCode(s *rawjson.Scanner) {
	isNumber := s.Kind() == rawjson.Number
	raw := word(s)
	set(&f.code, raw)
	if !isNumber {
		return
	}
	var n rawjson.Scanner
	n.Reset(raw)
	if code := n.Int(); f.status == 0 && code >= 400 && code < 600 {
		f.status = int(code)
	}
}

// details reads what Google adds to an error. Source: googleapis
// google/rpc/error_details.proto, read 2026-11-30.
func (f *failure) details(s *rawjson.Scanner) {
	if !s.EnterArray() {
		return
	}
	for s.NextElem() {
		if !s.EnterObject() {
			continue
		}
		for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
			switch string(key) {
			case "reason":
				set(&f.reason, word(s))
			case "retryDelay":
				f.setDelay(string(word(s)))
			case "fieldViolations", "violations":
				f.violations(s)
			case "metadata":
				f.metadata(s)
			default:
				s.Skip()
			}
		}
	}
}

// maxDelay is the longest wait that is believed.
const maxDelay = 30 * 24 * time.Hour

func (f *failure) setDelay(text string) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		f.retryAfter = min(d, maxDelay)
	}
}

// violations reads the fields of BadRequest and the quotas of QuotaFailure. A
// quota's id says whether it is one of a day; a value of 0 that there never
// was any. Source: error bodies in google-gemini/gemini-cli issues 10513 and
// 22486 and RooCodeInc/Roo-Code issue 3883, read 2026-11-30.
func (f *failure) violations(s *rawjson.Scanner) {
	if !s.EnterArray() {
		return
	}
	for s.NextElem() {
		if !s.EnterObject() {
			continue
		}
		for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
			switch string(key) {
			case "field":
				set(&f.param, word(s))
			case "quotaId":
				f.quota(word(s))
			case "quotaValue":
				f.spent = string(word(s)) == "0" || f.spent
			default:
				s.Skip()
			}
		}
	}
}

// quota notes the name of a quota that is used up.
func (f *failure) quota(id []byte) {
	f.spent = f.spent || bytes.Contains(id, []byte("PerDay"))
}

// metadata reads that of ErrorInfo, which names the quota by its limit.
func (f *failure) metadata(s *rawjson.Scanner) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		if string(key) == "quota_limit" {
			f.quota(word(s))
		} else {
			s.Skip()
		}
	}
}

// word reads a string or a number; anything else is skipped and says nothing.
func word(s *rawjson.Scanner) []byte {
	switch s.Kind() {
	case rawjson.String, rawjson.Number:
		return s.Bytes()
	case rawjson.Invalid, rawjson.Object, rawjson.Array, rawjson.Bool, rawjson.Null:
		s.Skip()
	}
	return nil
}

func set(to *string, v []byte) {
	if *to != "" || len(v) == 0 {
		return
	}
	if len(v) > maxErrorText {
		*to = strings.ToValidUTF8(string(v[:maxErrorText]), "") + "…"
		return
	}
	*to = string(v)
}

// excerptLimit bounds what of an unreadable body goes into an error.
const excerptLimit = 200

// excerpt is what to show of a body that isn't an error object: the title of
// an HTML page, else the beginning.
func excerpt(body []byte) string {
	text := bytes.TrimSpace(body)
	switch {
	case len(text) == 0:
		return "empty body"
	case text[0] == '<':
		return page(text)
	}
	return strings.ToValidUTF8(string(text[:min(len(text), excerptLimit)]), "\uFFFD")
}

// page names an HTML page by its title.
func page(text []byte) string {
	head := string(text[:min(len(text), maxErrorText)])
	lower := strings.ToLower(head)
	if len(lower) != len(head) { // a letter changed its length: places don't agree
		lower = head
	}
	_, after, found := strings.Cut(lower, "<title>")
	title, _, closed := strings.Cut(after, "</title>")
	if !found || !closed {
		return "HTML page"
	}
	start := len(head) - len(after)
	name := strings.Join(strings.Fields(head[start:start+len(title)]), " ")
	return "HTML page: " + strings.ToValidUTF8(name[:min(len(name), excerptLimit)], "\uFFFD")
}
