package anthropic

import (
	"bytes"
	"errors"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

// DecodeReply reads a whole message.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	s := wire.Borrow(body)
	defer wire.GiveBack(s, len(body))
	var m message
	m.readFrom(s)
	if err := s.End(); err != nil {
		return failure.Unreadable(body, err)
	}
	if m.failed {
		return failures.Inside(body)
	}
	if !m.hasContent && (!m.isMessage || m.stop.reason == "") {
		return failure.Unreadable(body, errNoMessage)
	}
	m.feedTo(a)
	for i := range m.content {
		m.content[i].feedTo(s, a, i)
	}
	m.stop.feedTo(a)
	a.End()
	return nil
}

var errNoMessage = errors.New("no message in it")

func (m *message) feedTo(a *wire.Assembly) {
	a.ID, a.Model = m.id, m.model
	a.Usage = m.usage.toUsage()
}

// feedTo hands a block to the assembly; a block's place among the blocks is its
// slot. Blocks of unknown types are left out, with their deltas.
func (b *block) feedTo(s *rawjson.Scanner, a *wire.Assembly, slot int) {
	switch b.kind {
	case textBlock:
		a.Text(slot, wire.Unquote(s, b.text))
	case thinkingBlock:
		a.Think(slot, wire.Unquote(s, b.thinking))
		signPart(a, slot, kindSignature, wire.Unquote(s, b.signature))
	case redactedBlock:
		signPart(a, slot, kindRedacted, wire.Unquote(s, b.data))
	case toolUseBlock:
		a.StartCall(slot, b.id, b.name)
		if args := b.inputText(s); len(args) > 0 {
			a.Args(slot, args)
		}
	case unknownBlock:
		a.Skip(slot)
	}
}

// signPart keeps a token unless it is the empty one that a stream begins with.
func signPart(a *wire.Assembly, slot int, kind string, token []byte) {
	if len(token) > 0 {
		a.Sign(slot, kind, token)
	}
}

// inputText is the call's input as JSON text. It is nil for an empty object:
// at the start of a streamed block that is a placeholder, in front of the deltas.
func (b *block) inputText(s *rawjson.Scanner) []byte {
	raw := b.input
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	if raw[0] == '"' { // some servers give the text instead of the object
		return wire.Unquote(s, raw)
	}
	if raw[0] == '{' && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0 {
		return nil
	}
	return rawjson.AppendCompact(nil, raw) // as the deltas of a stream would give it
}

func (t *stop) feedTo(a *wire.Assembly) {
	if t.reason != "" {
		a.Finish(t.finishReason(), t.reason)
	}
}

// finishReason is the canonical reason. Source: anthropic-sdk-go message.go,
// StopReason, read 2026-11-30. llama.cpp's server says end_turn when it hit a
// stop sequence, but names the sequence (recorded 2026-11-30).
func (t *stop) finishReason() chat.FinishReason {
	switch t.reason {
	case "end_turn":
		if t.sequence {
			return chat.FinishStopSequence
		}
		return chat.FinishStop
	case "stop_sequence":
		return chat.FinishStopSequence
	case "tool_use":
		return chat.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return chat.FinishLength
	case "pause_turn":
		return chat.FinishPaused
	case "refusal":
		return chat.FinishFiltered
	}
	return chat.FinishOther
}
