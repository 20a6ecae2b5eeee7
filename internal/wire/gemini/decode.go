package gemini

import (
	"errors"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeReply reads a whole reply: a response, or the list of responses that
// a stream is when it isn't asked for as server-sent events. A blocked prompt
// is an error of kind ErrFiltered that names the reason; its Reply holds the
// usage.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	d := takeDecoder(a)
	defer d.release(len(body))
	got, err := d.decodeDocument(body)
	switch {
	case err != nil:
		return err
	case a.Err() != nil:
		return nil // what comes after it is ignored, so the rest says nothing
	case !got.candidates:
		return failure.Unreadable(body, errNoCandidates)
	case got.listed && !a.Ended():
		return makeTruncated(a)
	}
	a.End()
	return nil
}

var errNoCandidates = errors.New("no candidates in it")

func makeTruncated(a *wire.Assembly) *chat.Error {
	return &chat.Error{Kind: chat.ErrTruncated, Status: http.StatusOK, Reply: a.Reply()}
}

// gathered is what a document turned out to be.
type gathered struct {
	candidates bool // there was one
	listed     bool // it was a list of responses
}

// decodeDocument reads a response, or a list of them.
func (d *decoder) decodeDocument(body []byte) (gathered, error) {
	var got gathered
	s := &d.list
	s.Reset(body)
	switch s.Kind() {
	case rawjson.Object:
		r, err := d.decodeResponse(body)
		got.candidates = r.candidates
		return got, err
	case rawjson.Array:
		got.listed = true
	case rawjson.Invalid, rawjson.String, rawjson.Number, rawjson.Bool, rawjson.Null:
		s.Skip()
		return got, failure.Unreadable(body, s.End())
	}
	for range s.Elems() {
		raw := s.Raw()
		if s.Err() != nil {
			break
		}
		r, err := d.decodeResponse(raw)
		if err != nil {
			return got, err
		}
		got.candidates = got.candidates || r.candidates
	}
	if err := s.End(); err != nil {
		return got, failure.Unreadable(body, err)
	}
	return got, nil
}

func (d *decoder) decodeResponse(body []byte) (response, error) {
	var r response
	d.doc.Reset(body)
	r.readFrom(d)
	if err := d.doc.End(); err != nil {
		return r, failure.Unreadable(body, err)
	}
	if r.failed {
		return r, failures.Inside(body)
	}
	d.a.Usage = d.st.usage.toUsage()
	if !r.candidates && !isNull(r.blocked) {
		return r, d.refuseBlocked(&r)
	}
	return r, nil
}

func (d *decoder) refuseBlocked(r *response) *chat.Error {
	reason := string(d.unquoteText(r.blocked))
	message := "the prompt was blocked: " + reason
	if why := d.unquoteText(r.why); len(why) > 0 {
		message += ": " + string(why)
	}
	d.a.Finish(chat.FinishFiltered, reason)
	d.a.End()
	return &chat.Error{
		Kind: chat.ErrFiltered, Status: http.StatusOK, Code: reason, Message: message, Reply: d.a.Reply(),
	}
}

func (d *decoder) decodeCandidate(c *candidate) {
	s := &d.content
	s.Reset(c.content)
	if !isNull(c.content) {
		for key := range s.Members() {
			if string(key) == "parts" {
				d.decodeParts(s)
			}
		}
	}
	d.decodeFinish(c)
}

func (d *decoder) decodeParts(s *rawjson.Scanner) {
	for range s.Elems() {
		var p part
		p.readFrom(s)
		d.decodePart(&p)
	}
}

func (d *decoder) decodePart(p *part) {
	switch {
	case !isNull(p.call):
		d.decodeCall(p)
	case p.text == nil && p.other:
		d.st.last = nothing // what comes next doesn't go on with what was before
	case p.thought:
		d.decodeText(thoughtKind, p)
	default:
		d.decodeText(textKind, p)
	}
}

// decodeText hands a piece of text or thought to the assembly. One that says
// nothing and carries no token, as streams end with, leaves no trace.
func (d *decoder) decodeText(k kind, p *part) {
	text, signed := d.unquoteText(p.text), hasText(p.signature)
	if len(text) == 0 && !signed {
		return
	}
	slot, fresh := d.st.slotFor(k)
	if k == thoughtKind {
		d.a.Think(slot, text)
		if fresh {
			d.a.Sign(slot, kindThought, nil)
		}
	} else {
		d.a.Text(slot, text)
	}
	if signed {
		d.signPart(slot, kindSignature, p.signature)
	}
}

// hasText reports whether raw is a JSON string that isn't empty.
func hasText(raw []byte) bool { return len(raw) > 2 && raw[0] == '"' }

func (d *decoder) signPart(slot int, kind string, token []byte) {
	d.a.Sign(slot, kind, d.unquoteText(token))
	d.st.signed = true
}

// decodeCall hands a call to the assembly, or a piece of one.
func (d *decoder) decodeCall(p *part) {
	var c functionCall
	d.call.Reset(p.call)
	c.readFrom(&d.call)
	if d.st.open != nil {
		if c.name == "" {
			d.continueCall(&c, p.signature)
			return
		}
		d.closeCall() // another call begins, so this one was complete
	}
	if c.isEmpty() {
		return
	}
	if c.name == "" {
		d.a.Fail(errNoName)
		return
	}
	parts := c.continues || !isNull(c.partial)
	if args := d.wholeArguments(c.args); !parts && d.a.Heard(c.id, c.name, string(args)) {
		return
	}
	slot := d.st.addSlot(callKind)
	id := d.st.learnID(c.id)
	d.a.StartCall(slot, id, c.name)
	signKind := kindSignature
	if id != "" {
		d.a.Sign(slot, kindID, nil)
		signKind = kindSignedID
	}
	if hasText(p.signature) {
		d.signPart(slot, signKind, p.signature)
	}
	if parts {
		d.openCall(&c, signKind)
		return
	}
	d.a.Args(slot, d.wholeArguments(c.args))
}

// errNoName: a call that names no tool can't be run, and is not dropped in
// silence.
var errNoName = errors.New("a call without a name")

// wholeArguments returns a call's whole arguments, in the form that the pieces of a stream
// would give. Some gateways send their text instead of the object.
func (d *decoder) wholeArguments(raw []byte) []byte {
	switch {
	case isNull(raw):
		return nil
	case raw[0] == '"':
		return d.unquoteText(raw)
	}
	d.buf = rawjson.AppendCompact(d.buf[:0], raw)
	return d.buf
}

// unfinished is the word for a reply that goes on; the wire needs none.
const unfinished = "FINISH_REASON_UNSPECIFIED"

// decodeFinish notes why the model stopped, which is also the end of a stream: there
// is no other mark. Source: go-genai api_client.go, read 2026-11-30.
func (d *decoder) decodeFinish(c *candidate) {
	if !hasText(c.finish) {
		return
	}
	word := string(d.unquoteText(c.finish))
	f := finishOf(word)
	if d.st.open != nil && f == chat.FinishStop {
		d.closeCall()
	}
	d.a.Finish(f, word)
	if f == chat.FinishPaused && hasText(c.token) {
		slot := d.st.addSlot(thoughtKind)
		d.signPart(slot, kindContinuation, c.token)
	}
	if word != unfinished {
		d.a.End()
	}
}

// finishOf is the canonical finish. Source: go-genai types.go, FinishReason,
// read 2026-11-30; MODEL_ARMOR is a filter of Vertex AI's.
func finishOf(word string) chat.FinishReason {
	switch word {
	case "STOP":
		return chat.FinishStop
	case "MAX_TOKENS":
		return chat.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR":
		return chat.FinishFiltered
	case "CONTINUATION":
		return chat.FinishPaused
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS":
		return chat.FinishMalformed
	case "OTHER", "LANGUAGE", "NO_IMAGE":
		return chat.FinishError
	}
	if strings.HasPrefix(word, "IMAGE_") {
		return chat.FinishFiltered
	}
	return chat.FinishOther
}
