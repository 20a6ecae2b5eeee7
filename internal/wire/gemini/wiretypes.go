package gemini

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Each struct is one object of the wire, filled from a scanner. Members that
// can be long, or that mean something only together with others, are kept as
// the JSON text that they are in the input.

// response is a GenerateContentResponse: a whole reply, or one step of a
// stream. Source: go-genai types.go, read 2026-11-30.
type response struct {
	candidates bool // there is one with something in it
	blocked    []byte
	why        []byte // blockReasonMessage
	failed     bool   // there is an error member
}

// readFrom reads a response; what it holds of the reply goes to the assembly.
func (r *response) readFrom(d *decoder) {
	s := &d.doc
	for key := range s.Members() {
		switch string(key) {
		case "candidates":
			r.readCandidates(d)
		case "promptFeedback":
			r.readFeedback(s)
		case "usageMetadata":
			d.st.usage.readFrom(s)
		case "modelVersion":
			keepFirst(&d.a.Model, s.Bytes())
		case "responseId":
			keepFirst(&d.a.ID, s.Bytes())
		case "error":
			r.failed = !isNull(s.Raw())
		}
	}
}

func (r *response) readCandidates(d *decoder) {
	s := &d.doc
	for range s.Elems() {
		var c candidate
		c.readFrom(s)
		if c.index == 0 && (!isNull(c.content) || !isNull(c.finish)) {
			r.candidates = true
			d.decodeCandidate(&c)
		}
	}
}

func (r *response) readFeedback(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "blockReason":
			r.blocked = s.Raw()
		case "blockReasonMessage":
			r.why = s.Raw()
		}
	}
}

// candidate is one of the answers; nobody here asks for more than one.
type candidate struct {
	index   int64
	content []byte
	finish  []byte // quoted, as is the next
	token   []byte // continuationToken
}

func (c *candidate) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "index":
			c.index = s.Int()
		case "content":
			c.content = s.Raw()
		case "finishReason":
			c.finish = s.Raw()
		case "continuationToken":
			c.token = s.Raw()
		}
	}
}

// part is a piece of a content.
type part struct {
	text      []byte // quoted
	signature []byte // quoted
	call      []byte // functionCall
	thought   bool
	other     bool // data of a kind that has no part here
}

func (p *part) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "text":
			p.text = s.Raw()
		case "thought":
			p.thought = s.Bool()
		case "thoughtSignature":
			p.signature = s.Raw()
		case "functionCall":
			p.call = s.Raw()
		case "partMetadata", "videoMetadata":
		default:
			p.other = !isNull(s.Raw()) || p.other
		}
	}
}

// functionCall is a call, or a piece of one (on Vertex AI, when asked for).
type functionCall struct {
	id, name  string
	args      []byte
	partial   []byte // partialArgs
	continues bool   // willContinue
}

func (c *functionCall) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "id":
			c.id = s.Text()
		case "name":
			c.name = s.Text()
		case "args":
			c.args = s.Raw()
		case "partialArgs":
			c.partial = s.Raw()
		case "willContinue":
			c.continues = s.Bool()
		}
	}
}

// isEmpty reports whether the call says nothing: the end of one that came in
// pieces.
func (c *functionCall) isEmpty() bool {
	return c.name == "" && c.id == "" && isNull(c.args) && isNull(c.partial)
}

// partialArg is more of the argument at a place.
type partialArg struct {
	path      []byte // quoted
	value     []byte // any scalar
	text      bool   // it is a string, which may go on
	continues bool
}

func (p *partialArg) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "jsonPath":
			p.path = s.Raw()
		case "stringValue":
			p.text = s.Kind() == rawjson.String
			p.value = s.Raw()
		case "numberValue", "boolValue":
			p.value = s.Raw()
		case "nullValue": // its value is an enum's name
			p.value = []byte("null")
		case "willContinue":
			p.continues = s.Bool()
		}
	}
}

func keepFirst(to *string, b []byte) {
	if *to == "" && len(b) > 0 {
		*to = string(b)
	}
}

// usage counts tokens as the wire does: the output without the thoughts. Source:
// go-genai types.go, GenerateContentResponseUsageMetadata, read 2026-11-30.
type usage struct {
	prompt, toolUse, cached int
	candidates, thoughts    int
}

func (u usage) toUsage() chat.Usage {
	return chat.Usage{
		Input: u.prompt + u.toolUse, CachedInput: u.cached,
		Output: u.candidates + u.thoughts, Reasoning: u.thoughts,
	}
}

// readFrom overwrites the counts that are there and keeps the others: each frame
// of a stream brings the totals so far, and may leave some out.
func (u *usage) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "promptTokenCount":
			wire.Recount(s, &u.prompt)
		case "toolUsePromptTokenCount":
			wire.Recount(s, &u.toolUse)
		case "cachedContentTokenCount":
			wire.Recount(s, &u.cached)
		case "candidatesTokenCount":
			wire.Recount(s, &u.candidates)
		case "thoughtsTokenCount":
			wire.Recount(s, &u.thoughts)
		}
	}
}
