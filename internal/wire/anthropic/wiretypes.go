package anthropic

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Each struct is one object of the wire, filled from a scanner. Strings that
// can be long are kept as the JSON text that they are in the input and
// unquoted when they are fed to the assembly: the member that says what they
// mean may stand behind them.

// eventKind is the type of a stream event.
// Source: platform.claude.com, "Streaming messages", read 2026-11-30.
type eventKind uint8

const (
	noEvent eventKind = iota // the event has no type
	unknownEvent
	messageStart
	blockStart
	blockDelta
	blockStop
	messageDelta
	messageStop
	pingEvent
	errorEvent
)

func eventKindOf(word []byte) eventKind {
	switch string(word) {
	case "":
		return noEvent
	case "message_start":
		return messageStart
	case "content_block_start":
		return blockStart
	case "content_block_delta":
		return blockDelta
	case "content_block_stop":
		return blockStop
	case "message_delta":
		return messageDelta
	case "message_stop":
		return messageStop
	case "ping":
		return pingEvent
	case "error":
		return errorEvent
	}
	return unknownEvent
}

type event struct {
	kind    eventKind
	index   int
	message message
	block   block
	delta   delta
	usage   usage // of message_delta
	failed  bool  // there is an error member
}

func (e *event) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "type":
			e.kind = eventKindOf(s.Bytes())
		case "index":
			e.index = int(s.Int())
		case "message":
			e.message.readFrom(s)
		case "content_block":
			e.block.readFrom(s)
		case "delta":
			e.delta.readFrom(s)
		case "usage":
			e.usage.readFrom(s)
		case "error":
			e.failed = s.Kind() != rawjson.Null
		}
	}
}

// message is a whole reply, or the frame of one in message_start.
type message struct {
	isMessage  bool // the type says so
	id, model  string
	content    []block
	hasContent bool
	stop       stop
	usage      usage
	failed     bool // there is an error member
}

func (m *message) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "type":
			word := s.Bytes()
			m.isMessage = string(word) == "message"
			m.failed = m.failed || string(word) == "error"
		case "id":
			m.id = s.Text()
		case "model":
			m.model = s.Text()
		case "content":
			m.readContent(s)
		case "usage":
			m.usage.readFrom(s)
		case "error":
			m.failed = s.Kind() != rawjson.Null || m.failed
		default:
			m.stop.readMember(string(key), s)
		}
	}
}

func (m *message) readContent(s *rawjson.Scanner) {
	m.hasContent = s.Kind() == rawjson.Array
	for range s.Elems() {
		var b block
		b.readFrom(s)
		m.content = append(m.content, b)
	}
}

// stop is why the model stopped: two members of a message or of a
// message_delta.
type stop struct {
	reason   string
	sequence bool // the sequence that was hit is named
}

// readMember reads the member if it is one of the two.
func (t *stop) readMember(key string, s *rawjson.Scanner) {
	switch key {
	case "stop_reason":
		t.reason = s.Text()
	case "stop_sequence":
		t.sequence = len(s.Bytes()) > 0
	}
}

// blockKind is the type of a content block. Source: anthropic-sdk-go
// message.go, ContentBlockUnion, read 2026-11-30.
type blockKind uint8

const (
	unknownBlock blockKind = iota
	textBlock
	thinkingBlock
	redactedBlock
	toolUseBlock
)

func blockKindOf(word []byte) blockKind {
	switch string(word) {
	case "text":
		return textBlock
	case "thinking":
		return thinkingBlock
	case "redacted_thinking":
		return redactedBlock
	case "tool_use":
		return toolUseBlock
	}
	return unknownBlock
}

// block is a content block, whole or at its start.
type block struct {
	kind      blockKind
	id, name  string
	text      []byte // quoted, as are the next three
	thinking  []byte
	signature []byte
	data      []byte
	input     []byte // any JSON
}

func (b *block) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "type":
			b.kind = blockKindOf(s.Bytes())
		case "id":
			b.id = s.Text()
		case "name":
			b.name = s.Text()
		case "text":
			b.text = s.Raw()
		case "thinking":
			b.thinking = s.Raw()
		case "signature":
			b.signature = s.Raw()
		case "data":
			b.data = s.Raw()
		case "input":
			b.input = s.Raw()
		}
	}
}

// deltaKind is the type of a block's delta; citations_delta is among the
// unknown. Source: anthropic-sdk-go message.go, RawContentBlockDeltaUnion, read
// 2026-11-30.
type deltaKind uint8

const (
	unknownDelta deltaKind = iota
	textDelta
	jsonDelta
	thinkingDelta
	signatureDelta
)

func deltaKindOf(word []byte) deltaKind {
	switch string(word) {
	case "text_delta":
		return textDelta
	case "input_json_delta":
		return jsonDelta
	case "thinking_delta":
		return thinkingDelta
	case "signature_delta":
		return signatureDelta
	}
	return unknownDelta
}

// delta is more of a block, or of the message.
type delta struct {
	kind      deltaKind
	text      []byte // quoted, as are the next three
	json      []byte
	thinking  []byte
	signature []byte
	stop      stop
}

func (d *delta) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "type":
			d.kind = deltaKindOf(s.Bytes())
		case "text":
			d.text = s.Raw()
		case "partial_json":
			d.json = s.Raw()
		case "thinking":
			d.thinking = s.Raw()
		case "signature":
			d.signature = s.Raw()
		default:
			d.stop.readMember(string(key), s)
		}
	}
}

// usage counts tokens as the wire does: input without what the cache took.
type usage struct {
	input, cacheRead, cacheWrite int
	output, thinking             int
}

func usageOf(u chat.Usage) usage {
	return usage{
		input: u.Input - u.CachedInput - u.CacheWrite, cacheRead: u.CachedInput, cacheWrite: u.CacheWrite,
		output: u.Output, thinking: u.Reasoning,
	}
}

func (u usage) toUsage() chat.Usage {
	return chat.Usage{
		Input: u.input + u.cacheRead + u.cacheWrite, CachedInput: u.cacheRead, CacheWrite: u.cacheWrite,
		Output: u.output, Reasoning: u.thinking,
	}
}

// readFrom overwrites the counts that are there and keeps the others: the counts
// of a message_delta are totals, and it may name only some.
func (u *usage) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "input_tokens":
			wire.Recount(s, &u.input)
		case "cache_read_input_tokens":
			wire.Recount(s, &u.cacheRead)
		case "cache_creation_input_tokens":
			wire.Recount(s, &u.cacheWrite)
		case "output_tokens":
			wire.Recount(s, &u.output)
		case "output_tokens_details":
			u.readDetails(s)
		}
	}
}

func (u *usage) readDetails(s *rawjson.Scanner) {
	for key := range s.Members() {
		if string(key) == "thinking_tokens" {
			wire.Recount(s, &u.thinking)
		}
	}
}
