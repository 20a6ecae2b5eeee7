package coherev2

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Each struct is one object of the wire, filled from a scanner. What is a list
// in a whole reply is a single object in a stream. Strings that can be long are
// kept as the JSON text that they are in the input and unquoted when they are
// fed to the assembly.

// eventKind is the type of a stream event.
// Source: cohere-go v2, V2ChatStreamResponse, read 2026-11-30.
type eventKind uint8

const (
	noEvent eventKind = iota // the event has no type
	unknownEvent
	messageStart
	contentEvent // the start of an item or more of it, of whatever kind
	messageEnd
	errorEvent
)

func eventKindOf(word []byte) eventKind {
	switch string(word) {
	case "":
		return noEvent
	case "message-start":
		return messageStart
	case "content-start", "content-delta", "tool-plan-delta", "tool-call-start", "tool-call-delta":
		return contentEvent
	case "message-end":
		return messageEnd
	case "error":
		return errorEvent
	}
	return unknownEvent
}

type event struct {
	kind     eventKind
	id       string
	index    int
	hasIndex bool
	delta    delta
	failed   bool // there are words where only failures have some
}

func (e *event) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "type":
			e.kind = eventKindOf(s.Bytes())
		case "id":
			e.id = s.Text()
		case "index":
			e.hasIndex = s.Kind() == rawjson.Number
			e.index = int(s.Int())
		case "delta":
			e.delta.readFrom(s)
		case "message", "error":
			e.failed = s.Kind() == rawjson.String || s.Kind() == rawjson.Object
		}
	}
}

// delta is what an event brings; at the end also why the model stopped.
type delta struct {
	message message
	reason  string
	usage   usage
	failure string // what went wrong in the middle
}

func (d *delta) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "message":
			d.message.readFrom(s)
		case "finish_reason":
			d.reason = s.Text()
		case "usage":
			d.usage.readFrom(s)
		case "error":
			d.failure = s.Text()
		}
	}
}

// reply is the body of an answer that came whole.
type reply struct {
	id         string
	message    message
	hasMessage bool
	failed     bool // the message is one about a failure
	reason     string
	usage      usage
}

func (r *reply) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "id":
			r.id = s.Text()
		case "message":
			r.hasMessage = s.Kind() == rawjson.Object
			r.failed = r.failed || s.Kind() == rawjson.String
			r.message.readFrom(s)
		case "error":
			r.failed = r.failed || s.Kind() == rawjson.String || s.Kind() == rawjson.Object
		case "finish_reason":
			r.reason = s.Text()
		case "usage":
			r.usage.readFrom(s)
		}
	}
}

// message is the model's, or a piece of it.
type message struct {
	content item
	items   []byte // a list of content
	plan    []byte // quoted
	call    call
	calls   []byte // a list of calls
}

func (m *message) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "content":
			switch s.Kind() {
			case rawjson.Array:
				m.items = s.Raw()
			case rawjson.String: // as requests may have it
				m.content.text = s.Raw()
			case rawjson.Object, rawjson.Invalid, rawjson.Number, rawjson.Bool, rawjson.Null:
				m.content.readFrom(s)
			}
		case "tool_plan":
			m.plan = s.Raw()
		case "tool_calls":
			if s.Kind() == rawjson.Array {
				m.calls = s.Raw()
			} else {
				m.call.readFrom(s)
			}
		}
	}
}

// item is one of the contents. Its type isn't looked at: only texts have a
// text, and only thoughts a thinking.
type item struct {
	text, thinking []byte // quoted
}

func (i *item) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "text":
			i.text = s.Raw()
		case "thinking":
			i.thinking = s.Raw()
		}
	}
}

type call struct {
	present   bool
	id, name  string
	arguments []byte // quoted
}

func (c *call) readFrom(s *rawjson.Scanner) {
	c.present = s.Kind() == rawjson.Object
	for key := range s.Members() {
		switch string(key) {
		case "id":
			c.id = s.Text()
		case "function":
			c.readFunction(s)
		}
	}
}

func (c *call) readFunction(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "name":
			c.name = s.Text()
		case "arguments":
			c.arguments = s.Raw()
		}
	}
}

// usage counts tokens twice: as the model saw them, and as they are billed,
// without what the provider put in front and what the cache held.
// Source: cohere-go v2.18.0, Usage; vercel/ai packages/cohere, fixtures that
// were recorded; read 2026-11-30.
type usage struct {
	tokens, billed counts
	cached         int
}

type counts struct {
	present       bool
	input, output int
}

func (u *usage) toUsage() chat.Usage {
	c := u.tokens
	if !c.present {
		c = u.billed
	}
	return chat.Usage{Input: c.input, CachedInput: min(u.cached, c.input), Output: c.output}
}

func (u *usage) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "tokens":
			u.tokens.readFrom(s)
		case "billed_units":
			u.billed.readFrom(s)
		case "cached_tokens":
			u.cached = wire.Count(s)
		}
	}
}

func (c *counts) readFrom(s *rawjson.Scanner) {
	c.present = s.Kind() == rawjson.Object
	for key := range s.Members() {
		switch string(key) {
		case "input_tokens":
			c.input = wire.Count(s)
		case "output_tokens":
			c.output = wire.Count(s)
		}
	}
}
