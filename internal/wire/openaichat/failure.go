package openaichat

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/sabir-go/sabir/internal/rawjson"
)

// failure is what an error body says, whatever its shape.
type failure struct {
	message, typ, code, param string
	requestID                 string
	reason                    string // Google's, from details
	status                    int    // a status inside the body; 0: none
	retryAfter                time.Duration
	word                      string // an error that is a bare string
	generation                string // what the model wrote, where that is the trouble
}

// Limits on what is kept of an error's text and how deep it is looked for.
const (
	maxErrorText  = 4 << 10
	maxErrorDepth = 5
)

func readFailure(body []byte) *failure {
	f := new(failure)
	body = bytes.TrimSpace(body)
	var s rawjson.Scanner
	s.Reset(body)
	if s.Skip(); s.End() != nil {
		f.message = plainText(body)
		return f
	}
	s.Reset(body)
	f.read(&s, maxErrorDepth)
	f.settle()
	return f
}

// read takes in a value that is, or holds, an error.
func (f *failure) read(s *rawjson.Scanner, depth int) {
	switch {
	case depth == 0:
		s.Skip()
	case s.Kind() == rawjson.String:
		set(&f.word, bounded(s.Bytes()))
	case s.Kind() == rawjson.Array: // the first has the say
		s.EnterArray()
		for s.NextElem() {
			f.read(s, depth-1)
		}
	default:
		f.object(s, depth)
	}
}

// object reads the members that error objects are known to have.
// Sources, all read 2026-11-30: OpenAI {error:{message,type,param,code}};
// Anthropic {type:error,error:{type,message},request_id}; Mistral
// {object:error,message,type,param,code} and {detail:[{loc,msg}]}; Google
// {error:{code,message,status,details}}; OpenRouter {error:{code,message,
// metadata:{raw}}}; Groq {error:{…,failed_generation}}.
func (f *failure) object(s *rawjson.Scanner, depth int) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "error", "errors":
			f.read(s, depth-1)
		case "message":
			f.readMessage(s, depth-1)
		case "detail":
			f.detail(s, depth-1)
		case "details":
			f.details(s)
		case "metadata":
			f.metadata(s)
		case "type":
			f.setType(bounded(text(s)))
		case "code":
			f.setCode(s)
		case "status":
			f.setStatus(s)
		case "param":
			set(&f.param, bounded(text(s)))
		case "request_id":
			set(&f.requestID, bounded(text(s)))
		case "failed_generation":
			set(&f.generation, bounded(text(s)))
		default:
			s.Skip()
		}
	}
}

func (f *failure) readMessage(s *rawjson.Scanner, depth int) {
	if s.Kind() == rawjson.String {
		set(&f.message, bounded(s.Bytes()))
		return
	}
	f.read(s, depth)
}

// detail is a text, an object, or FastAPI's list of what is wrong where.
func (f *failure) detail(s *rawjson.Scanner, depth int) {
	if s.Kind() != rawjson.Array {
		f.readMessage(s, depth)
		return
	}
	var said []string
	s.EnterArray()
	for s.NextElem() {
		loc, msg := complaint(s)
		if msg == "" || len(said) > 10 {
			continue
		}
		set(&f.param, loc)
		if loc != "" {
			msg = loc + ": " + msg
		}
		said = append(said, msg)
	}
	set(&f.message, strings.Join(said, "; "))
}

func complaint(s *rawjson.Scanner) (loc, msg string) {
	if s.Kind() == rawjson.String {
		return "", bounded(s.Bytes())
	}
	if !s.EnterObject() {
		return "", ""
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		switch string(key) {
		case "msg", "message":
			msg = bounded(text(s))
		case "loc":
			loc = path(s)
		default:
			s.Skip()
		}
	}
	return loc, msg
}

// path joins a list such as ["body","messages",0].
func path(s *rawjson.Scanner) string {
	var b strings.Builder
	if !s.EnterArray() {
		return ""
	}
	for s.NextElem() {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.Write(s.Bytes())
	}
	return bounded([]byte(b.String()))
}

// details is Google's list; of interest are the reason and the delay.
// Source: google.rpc ErrorInfo and RetryInfo, read 2026-11-30.
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
				set(&f.reason, bounded(text(s)))
			case "retryDelay":
				if d, err := time.ParseDuration(string(text(s))); err == nil && d > 0 {
					f.retryAfter = d
				}
			default:
				s.Skip()
			}
		}
	}
}

// metadata is OpenRouter's; raw is what the provider behind it said.
func (f *failure) metadata(s *rawjson.Scanner) {
	if !s.EnterObject() {
		return
	}
	for key, ok := s.NextKey(); ok; key, ok = s.NextKey() {
		if string(key) == "raw" {
			set(&f.generation, bounded(text(s)))
		} else {
			s.Skip()
		}
	}
}

func (f *failure) setType(t string) {
	if t != "error" { // the envelope's word, not the error's
		set(&f.typ, t)
	}
}

// setCode takes a code as text; a number that is a status counts as one, in
// quotes or not.
func (f *failure) setCode(s *rawjson.Scanner) {
	switch s.Kind() {
	case rawjson.Number, rawjson.String:
		code := s.Bytes()
		set(&f.code, bounded(code))
		if n, err := strconv.ParseInt(string(code), 10, 64); err == nil {
			f.noteStatus(n)
		}
	case rawjson.Invalid, rawjson.Object, rawjson.Array, rawjson.Bool, rawjson.Null:
		s.Skip()
	}
}

func (f *failure) setStatus(s *rawjson.Scanner) {
	if s.Kind() == rawjson.String {
		set(&f.typ, bounded(s.Bytes()))
		return
	}
	f.noteStatus(s.Int())
}

func (f *failure) noteStatus(n int64) {
	if f.status == 0 && n >= 400 && n < 600 {
		f.status = int(n)
	}
}

// settle finds a place for what came without one.
func (f *failure) settle() {
	if f.message == "" {
		f.message = f.word
	} else if f.word != f.message {
		set(&f.typ, f.word)
	}
	if f.generation != "" {
		f.message = strings.TrimPrefix(f.message+": "+f.generation, ": ")
	}
}

func set(to *string, v string) {
	if *to == "" {
		*to = v
	}
}

// bounded is b as text of a bearable length.
func bounded(b []byte) string {
	if len(b) <= maxErrorText {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:maxErrorText]), "") + "…"
}

// plainText says in a few words what a body is that isn't the JSON it should
// be: its text, or the title of the page.
func plainText(body []byte) string {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return "empty body"
	}
	if body[0] == '<' {
		head := body[:min(len(body), maxErrorText)]
		if title := between(string(head), "<title>", "</title>"); title != "" {
			return "HTML page: " + title
		}
		return "HTML page"
	}
	const short = 200
	return strings.ToValidUTF8(string(body[:min(len(body), short)]), "\uFFFD")
}

func between(s, open, end string) string {
	lower := strings.ToLower(s)
	if len(lower) != len(s) { // a letter changed its length: places don't agree
		lower = s
	}
	i := strings.Index(lower, open)
	if i < 0 {
		return ""
	}
	i += len(open)
	n := strings.Index(lower[i:], end)
	if n < 0 {
		return ""
	}
	return strings.Join(strings.Fields(s[i:i+n]), " ")
}
