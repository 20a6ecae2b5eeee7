package chaos

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"time"
)

// Fault is a way in which an answer goes wrong.
type Fault uint8

// The faults. Those that don't end the connection by themselves go together
// with a reset at their point, if that is inside of the body.
const (
	Reset      Fault = iota // the connection is reset
	Close                   // the connection is closed
	Short                   // HTTP's own end comes, although the body is not complete
	Stall                   // nothing more comes
	Drip                    // the rest comes byte by byte, slowly
	Garbage                 // bytes that belong to nothing
	Duplicate               // the frame comes twice, or the part of it before the point
	Mislabel                // the content type is another dialect's
	Page                    // the content type is that of a web page
	NoType                  // there is no content type
	CutGzip                 // compressed, and cut
	Early                   // informational answers before the real one
	Upgrade                 // 101, and then the body as another protocol's
	Redirect                // a redirect to another host
	faultCount = int(Redirect) + 1
)

var faultNames = [faultCount]string{
	"reset", "close", "short", "stall", "drip", "garbage", "duplicate", "mislabel", "page", "no type", "cut gzip",
	"early", "upgrade", "redirect",
}

func (f Fault) String() string { return faultNames[f] }

// Faults are all of them.
func Faults() []Fault {
	out := make([]Fault, faultCount)
	for i := range out {
		out[i] = Fault(i)
	}
	return out
}

// DripPause is the time between two bytes of a slow answer.
const DripPause = 100 * time.Millisecond

// Elsewhere is the host that redirects name. Nobody may ever connect to it.
const Elsewhere = "elsewhere.invalid"

const garbage = "\x00\xff\x1b[31m<garbage>\r\n"

// Reply is an answer as the server means it.
type Reply struct {
	Type string
	Body []byte
	// Frames are the ends of the body's frames; none: it is a document.
	Frames []int
}

func (r Reply) isChunked() bool { return len(r.Frames) > 0 }

func (r Reply) headOK(length int, more ...string) string {
	return r.headOf("200 OK", length, more...)
}

func (r Reply) headOf(status string, length int, more ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %s\r\n", status)
	if r.Type != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", r.Type)
	}
	if r.isChunked() {
		b.WriteString("Transfer-Encoding: chunked\r\n")
	} else {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", length)
	}
	for _, line := range more {
		b.WriteString(line + "\r\n")
	}
	return b.String() + "X-Request-Id: req-7\r\n\r\n"
}

// framePiece is a part of the body as HTTP frames it.
func (r Reply) framePiece(b []byte) string {
	if !r.isChunked() {
		return string(b)
	}
	if len(b) == 0 {
		return ""
	}
	return fmt.Sprintf("%x\r\n%s\r\n", len(b), b)
}

func (r Reply) frameEnd() string {
	if r.isChunked() {
		return "0\r\n\r\n"
	}
	return ""
}

// ending is what becomes of the connection after an answer.
type ending uint8

const (
	keepOpen ending = iota // for the next request
	closed
	reset
	silent
)

// script is what the server does with one request.
type script struct {
	// head and body come at once, slow byte by byte.
	head, body, slow string
	ending           ending
}

func (r Reply) scriptWhole() script {
	return script{head: r.headOK(len(r.Body)), body: r.framePiece(r.Body) + r.frameEnd()}
}

// scriptCut ends the answer at the point in the way of then.
func (r Reply) scriptCut(p Point, then ending) script {
	if p.inHead() {
		return script{head: r.headOK(len(r.Body))[:p.At], ending: then}
	}
	return script{head: r.headOK(len(r.Body)), body: r.framePiece(r.Body[:p.At]), ending: then}
}

// scriptBroken resets the connection at the point, or sends everything if the
// point is not inside of the body.
func (r Reply) scriptBroken(p Point) script {
	if p.inHead() || p.Class == AfterEndMark {
		return r.scriptWhole()
	}
	return r.scriptCut(p, reset)
}

func (r Reply) scriptFault(f Fault, p Point) script {
	switch f {
	case Reset:
		return r.scriptCut(p, reset)
	case Close:
		return r.scriptCut(p, closed)
	case Short:
		return r.scriptShort(p)
	case Stall:
		return r.scriptCut(p, silent)
	case Drip:
		return r.scriptDrip(p)
	case Garbage:
		return r.scriptInsert(r.inPayload(p), garbage)
	case Duplicate:
		return r.scriptDuplicate(p)
	case Mislabel, Page, NoType:
		return r.withLabel(f).scriptBroken(p)
	case CutGzip:
		return r.scriptGzip(p)
	case Early, Upgrade, Redirect:
		return r.scriptStatus(f, p)
	}
	return script{}
}

func (r Reply) scriptShort(p Point) script {
	if p.inHead() {
		return script{head: r.headOK(len(r.Body))[:p.At] + "\r\n\r\n", ending: closed}
	}
	return script{head: r.headOK(p.At), body: r.framePiece(r.Body[:p.At]) + r.frameEnd()}
}

func (r Reply) scriptDrip(p Point) script {
	s := r.scriptWhole()
	all := s.head + s.body
	at := p.At
	if !p.inHead() {
		at = len(s.head) + len(r.framePiece(r.Body[:p.At]))
		// Another cut of the body makes other chunks.
		all = s.head + r.framePiece(r.Body[:p.At]) + r.framePiece(r.Body[p.At:]) + r.frameEnd()
	}
	fast := all[:at]
	return script{head: fast[:min(at, len(s.head))], body: fast[min(at, len(s.head)):], slow: all[at:]}
}

// inPayload moves a point in the field names of a server-sent event into its
// payload. A garbled name makes a field that readers must pass over: the event
// is lost without a trace.
func (r Reply) inPayload(p Point) Point {
	begin, end := r.Around(p.At)
	f := r.Body[begin:end]
	named := bytes.HasPrefix(f, []byte("data:")) || bytes.HasPrefix(f, []byte("event:"))
	if p.inHead() || p.At <= begin || p.At >= end || !named {
		return p
	}
	value := bytes.Index(f, []byte("data: ")) + len("data: ")
	return Point{p.Class, max(p.At, begin+value+1)}
}

func (r Reply) scriptInsert(p Point, what string) script {
	if p.inHead() {
		s := r.scriptWhole()
		s.head = s.head[:p.At] + what + s.head[p.At:]
		s.ending = closed
		return s
	}
	r.Body = bytes.Join([][]byte{r.Body[:p.At], []byte(what), r.Body[p.At:]}, nil)
	return r.scriptWhole()
}

func (r Reply) scriptDuplicate(p Point) script {
	if p.inHead() {
		s := r.scriptWhole()
		line := strings.SplitAfter(s.head, "\r\n")[1+p.At%2]
		s.head = strings.Replace(s.head, line, line+line, 1)
		return s
	}
	begin, end := r.Around(p.At)
	if p.At > begin && p.At < end {
		end = p.At
	}
	return r.scriptInsert(p, string(r.Body[begin:end]))
}

func (r Reply) withLabel(f Fault) Reply {
	switch {
	case f == Page:
		r.Type = "text/html; charset=utf-8"
	case f == NoType:
		r.Type = ""
	case r.isChunked():
		r.Type = "application/json"
	default:
		r.Type = "text/event-stream"
	}
	return r
}

// scriptGzip compresses the answer and flushes at the point. The compressed
// body ends there, without gzip's own end; complete are those with a point
// before the body.
func (r Reply) scriptGzip(p Point) script {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if p.inHead() {
		_, _ = z.Write(r.Body)
		_ = z.Close()
	} else {
		_, _ = z.Write(r.Body[:p.At])
		_ = z.Flush()
	}
	return script{head: r.headOK(b.Len(), "Content-Encoding: gzip"), body: r.framePiece(b.Bytes()) + r.frameEnd()}
}

var redirects = [...]string{
	"301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect",
}

func (r Reply) scriptStatus(f Fault, p Point) script {
	s := r.scriptBroken(p)
	switch f { //nolint:exhaustive // three faults come here
	case Early:
		const hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
		s.head = "HTTP/1.1 100 Continue\r\n\r\n" + strings.Repeat(hints, 1+p.At%7) + s.head
	case Upgrade:
		s.head = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chaos\r\n\r\n"
		s.ending = silent
	case Redirect:
		s.head = r.headOf(redirects[p.At%len(redirects)], len(r.Body), "Location: http://"+Elsewhere+"/v1")
	}
	return s
}
