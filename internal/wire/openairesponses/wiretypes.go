package openairesponses

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// The wire's objects. Members that are raw are a part of the input; they are
// kept because their meaning hangs on a member that may come after them:
// Ollama writes the members of an event in the order of the alphabet.

// response is a whole response, as a reply or inside an event.
type response struct {
	id, model, status string
	reason            string // why it is incomplete
	err               []byte // raw
	output            []byte // raw
	usage             []byte // raw
}

func readResponse(s *rawjson.Scanner) response {
	var r response
	for key := range s.Members() {
		switch string(key) {
		case "id":
			r.id = readWord(s)
		case "model":
			r.model = readWord(s)
		case "status":
			r.status = readWord(s)
		case "incomplete_details":
			r.reason = readReason(s)
		case "error":
			r.err = s.Raw()
		case "output":
			r.output = s.Raw()
		case "usage":
			r.usage = s.Raw()
		}
	}
	return r
}

func readReason(s *rawjson.Scanner) (reason string) {
	for key := range s.Members() {
		if string(key) == "reason" {
			reason = readWord(s)
		}
	}
	return reason
}

// event is one step of a stream.
type event struct {
	typ                   []byte // raw
	itemID                []byte // raw
	outputIndex           int64
	hasIndex              bool
	contentIndex, summary int64
	delta                 []byte // raw
	item                  []byte // raw
	response              []byte // raw
	err                   []byte // raw
}

func readEvent(s *rawjson.Scanner) event {
	var e event
	for key := range s.Members() {
		switch string(key) {
		case "type":
			e.typ = s.Raw()
		case "item_id":
			e.itemID = s.Raw()
		case "output_index":
			e.hasIndex = s.Kind() == rawjson.Number
			e.outputIndex = s.Int()
		case "content_index":
			e.contentIndex = s.Int()
		case "summary_index":
			e.summary = s.Int()
		case "delta":
			e.delta = s.Raw()
		case "item":
			e.item = s.Raw()
		case "response":
			e.response = s.Raw()
		case "error":
			e.err = s.Raw()
		}
	}
	return e
}

// item is one element of a response's output.
type item struct {
	kind             uint8
	raw              []byte
	id, callID, name []byte // raw
	arguments        []byte // raw: a string, or an object where a server is generous
	status, phase    []byte // raw
	encrypted        []byte // raw
	summary, content []byte // raw
}

func (d *decoder) readItem(raw []byte) item {
	it := item{raw: raw}
	var typ []byte
	s := &d.item
	s.Reset(raw)
	for key := range s.Members() {
		switch string(key) {
		case "type":
			typ = s.Raw()
		case "id":
			it.id = s.Raw()
		case "call_id":
			it.callID = s.Raw()
		case "name":
			it.name = s.Raw()
		case "arguments", "input":
			it.arguments = s.Raw()
		case "status":
			it.status = s.Raw()
		case "phase":
			it.phase = s.Raw()
		case "encrypted_content":
			it.encrypted = s.Raw()
		case "summary":
			it.summary = s.Raw()
		case "content":
			it.content = s.Raw()
		}
	}
	it.kind = itemKindOf(d.unquoteText(typ))
	return it
}

func itemKindOf(typ []byte) uint8 {
	switch string(typ) {
	case "":
		return noItem
	case "message":
		return messageItem
	case "reasoning":
		return reasoningItem
	case "function_call":
		return callItem
	case "custom_tool_call":
		return customItem
	}
	return otherItem
}

// content is one part of a message or of a thought.
type content struct {
	text    []byte // raw
	refusal bool
}

func readContent(s *rawjson.Scanner) content {
	var c content
	for key := range s.Members() {
		switch string(key) {
		case "text":
			c.text = s.Raw()
		case "refusal":
			c.refusal = s.Kind() == rawjson.String
			if raw := s.Raw(); c.refusal {
				c.text = raw
			}
		}
	}
	return c
}

// readUsage counts tokens. The input holds what was cached, the output what
// was thought. Source: openai-go responses/response.go, read 2026-11-30.
func readUsage(s *rawjson.Scanner) chat.Usage {
	var u chat.Usage
	for key := range s.Members() {
		switch string(key) {
		case "input_tokens":
			u.Input = wire.Count(s)
		case "output_tokens":
			u.Output = wire.Count(s)
		case "input_tokens_details", "output_tokens_details":
			readDetails(s, &u)
		}
	}
	return u
}

func readDetails(s *rawjson.Scanner, u *chat.Usage) {
	for key := range s.Members() {
		switch string(key) {
		case "cached_tokens":
			u.CachedInput = wire.Count(s)
		case "cache_write_tokens":
			u.CacheWrite = wire.Count(s)
		case "reasoning_tokens":
			u.Reasoning = wire.Count(s)
		}
	}
}

// readWord reads a string; anything else is skipped and reads as nothing.
func readWord(s *rawjson.Scanner) string {
	if s.Kind() == rawjson.String {
		return s.Text()
	}
	s.Skip()
	return ""
}
