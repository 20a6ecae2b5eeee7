package bedrockconverse

import (
	"bytes"
	"errors"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

var errNoMessage = errors.New("no message in it")

// DecodeReply reads a whole reply. The wire names neither the reply nor the
// model. A body with nothing but a message is a failure, whatever the status
// said.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	s := wire.Borrow(body)
	defer wire.GiveBack(s, len(body))
	var r reply
	r.readFrom(s)
	switch err := s.End(); {
	case err != nil:
		return failure.Unreadable(body, err)
	case !r.hasContent && r.reason == "" && r.message:
		return failures.Inside(body)
	case !r.hasContent && r.reason == "":
		return failure.Unreadable(body, errNoMessage)
	}
	for i := range r.content {
		r.content[i].feedTo(s, a, i)
	}
	a.Usage = r.usage.toUsage()
	noteFinish(a, r.reason)
	a.End()
	return nil
}

// feedTo hands a block, its start or more of it to the assembly; its place among
// the blocks is its slot. Blocks of unknown kinds are left out.
func (b *block) feedTo(s *rawjson.Scanner, a *wire.Assembly, slot int) {
	switch b.kind {
	case textBlock:
		a.Text(slot, wire.Unquote(s, b.text))
	case reasoningBlock:
		a.Think(slot, wire.Unquote(s, b.thought))
		signPart(a, slot, kindSignature, wire.Unquote(s, b.signature))
		signPart(a, slot, kindRedacted, wire.Unquote(s, b.redacted))
	case toolUseBlock:
		b.feedCall(s, a, slot)
	case citedBlock:
		b.feedCited(s, a, slot)
	case noBlock, unknownBlock:
	}
}

func (b *block) feedCall(s *rawjson.Scanner, a *wire.Assembly, slot int) {
	if b.remote {
		a.Skip(slot)
		return
	}
	if b.id != "" || b.name != "" {
		a.StartCall(slot, b.id, b.name)
	}
	switch {
	case len(b.input) == 0 || b.input[0] == 'n':
	case b.input[0] == '"':
		a.Args(slot, wire.Unquote(s, b.input))
	case b.input[0] == '{' && len(bytes.TrimSpace(b.input[1:len(b.input)-1])) == 0:
	default: // as the deltas of a stream would give it
		a.Args(slot, rawjson.AppendCompact(nil, b.input))
	}
}

// feedCited takes the texts of a list of objects.
func (b *block) feedCited(s *rawjson.Scanner, a *wire.Assembly, slot int) {
	if len(b.cited) == 0 {
		return
	}
	s.Reset(b.cited)
	for range s.Elems() {
		readMember(s, "text", func() { a.Text(slot, s.Bytes()) })
	}
}

func signPart(a *wire.Assembly, slot int, kind string, token []byte) {
	if len(token) > 0 {
		a.Sign(slot, kind, token)
	}
}

// noteFinish notes the reason, if there is one. Source: aws-sdk-go-v2
// bedrockruntime enums.go, StopReason, read 2026-11-30.
func noteFinish(a *wire.Assembly, reason string) {
	switch reason {
	case "":
	case "end_turn":
		a.Finish(chat.FinishStop, reason)
	case "stop_sequence":
		a.Finish(chat.FinishStopSequence, reason)
	case "tool_use":
		a.Finish(chat.FinishToolCalls, reason)
	case "max_tokens", "model_context_window_exceeded":
		a.Finish(chat.FinishLength, reason)
	case "guardrail_intervened", "content_filtered":
		a.Finish(chat.FinishFiltered, reason)
	case "malformed_tool_use", "malformed_model_output":
		a.Finish(chat.FinishMalformed, reason)
	default:
		a.Finish(chat.FinishOther, reason)
	}
}
