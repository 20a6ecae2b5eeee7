package bedrockconverse

import (
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// Each struct is one object of the wire, filled from a scanner. Unions have no
// type member: the name of the one member that is there says which it is.
// Strings that can be long are kept as the JSON text that they are in the input
// and unquoted when they are fed to the assembly.

// eventKind is the name of a frame.
type eventKind uint8

const (
	unknownEvent eventKind = iota
	messageStart
	blockStart
	blockDelta
	blockStop
	messageStop
	metadata
)

func eventKindOf(name []byte) eventKind {
	switch string(name) {
	case "messageStart":
		return messageStart
	case "contentBlockStart":
		return blockStart
	case "contentBlockDelta":
		return blockDelta
	case "contentBlockStop":
		return blockStop
	case "messageStop":
		return messageStop
	case "metadata":
		return metadata
	}
	return unknownEvent
}

// event is the payload of any event; each has some of the members.
type event struct {
	index  int
	block  block // its start or more of it
	reason string
	usage  usage
}

func (e *event) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "contentBlockIndex":
			e.index = int(s.Int())
		case "start", "delta":
			e.block.readFrom(s)
		case "stopReason":
			e.reason = s.Text()
		case "usage":
			e.usage.readFrom(s)
		}
	}
}

// reply is the body of an answer that came whole.
type reply struct {
	content    []block
	hasContent bool
	reason     string
	usage      usage
	message    bool // there is a message or an error, which only failures have
}

func (r *reply) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "output":
			r.readOutput(s)
		case "stopReason":
			r.reason = s.Text()
		case "usage":
			r.usage.readFrom(s)
		case "message", "Message", "error":
			r.message = s.Kind() == rawjson.String || s.Kind() == rawjson.Object
		}
	}
}

func (r *reply) readOutput(s *rawjson.Scanner) {
	readMember(s, "message", func() { readMember(s, "content", func() { r.readContent(s) }) })
}

func (r *reply) readContent(s *rawjson.Scanner) {
	r.hasContent = s.Kind() == rawjson.Array
	for range s.Elems() {
		var b block
		b.readFrom(s)
		r.content = append(r.content, b)
	}
}

// blockKind is which member of the union of content blocks is there.
type blockKind uint8

const (
	noBlock blockKind = iota
	unknownBlock
	textBlock
	reasoningBlock
	toolUseBlock
	citedBlock // text in parts, each with its sources
)

// block is a content block, its start, or more of it.
type block struct {
	kind      blockKind
	text      []byte // quoted, as are the next three
	thought   []byte
	signature []byte
	redacted  []byte
	id, name  string
	input     []byte // an object; in a stream a piece of its text, quoted
	remote    bool   // the call is for a tool that runs at the provider
	cited     []byte // a list of texts
}

func (b *block) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		if s.Kind() == rawjson.Null {
			continue
		}
		switch string(key) {
		case "text":
			b.kind, b.text = textBlock, s.Raw()
		case "toolUse":
			b.kind = toolUseBlock
			b.readToolUse(s)
		case "reasoningContent":
			b.kind = reasoningBlock
			b.readReasoning(s)
		case "citationsContent":
			b.kind = citedBlock
			b.readCited(s)
		default:
			if b.kind == noBlock {
				b.kind = unknownBlock
			}
		}
	}
}

func (b *block) readToolUse(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "toolUseId":
			b.id = s.Text()
		case "name":
			b.name = s.Text()
		case "input":
			b.input = s.Raw()
		case "type":
			b.remote = len(s.Bytes()) > 0 // server_tool_use is the only type
		}
	}
}

// readReasoning reads the members of a whole block and those of a delta, which
// has the text and the signature one level higher.
func (b *block) readReasoning(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "reasoningText":
			b.readReasoning(s)
		case "text":
			b.thought = s.Raw()
		case "signature":
			b.signature = s.Raw()
		case "redactedContent":
			b.redacted = s.Raw()
		}
	}
}

func (b *block) readCited(s *rawjson.Scanner) {
	readMember(s, "content", func() { b.cited = s.Raw() })
}

func readMember(s *rawjson.Scanner, name string, read func()) {
	for key := range s.Members() {
		if string(key) == name {
			read()
		}
	}
}

// usage counts tokens as the wire does: input without what the cache took.
// Source: aws-sdk-go-v2 bedrockruntime types.go, TokenUsage; Bedrock User
// Guide, "Prompt caching"; read 2026-11-30.
type usage struct{ input, cacheRead, cacheWrite, output int }

func usageOf(u chat.Usage) usage {
	return usage{
		input: u.Input - u.CachedInput - u.CacheWrite, cacheRead: u.CachedInput, cacheWrite: u.CacheWrite,
		output: u.Output,
	}
}

func (u usage) toUsage() chat.Usage {
	return chat.Usage{
		Input: u.input + u.cacheRead + u.cacheWrite, CachedInput: u.cacheRead, CacheWrite: u.cacheWrite,
		Output: u.output,
	}
}

// readFrom overwrites the counts that are named and keeps the others.
func (u *usage) readFrom(s *rawjson.Scanner) {
	for key := range s.Members() {
		switch string(key) {
		case "inputTokens":
			wire.Recount(s, &u.input)
		case "cacheReadInputTokens":
			wire.Recount(s, &u.cacheRead)
		case "cacheWriteInputTokens":
			wire.Recount(s, &u.cacheWrite)
		case "outputTokens":
			wire.Recount(s, &u.output)
		}
	}
}
