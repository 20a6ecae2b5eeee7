package coherev2

import (
	"errors"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
	"github.com/sabir-go/sabir/internal/wire/failure"
)

var errNoMessage = errors.New("no message in it")

// DecodeReply reads a whole reply. The wire doesn't name the model.
func (Codec) DecodeReply(a *wire.Assembly, body []byte) error {
	s := wire.Borrow(body)
	defer wire.GiveBack(s, len(body))
	var r reply
	r.readFrom(s)
	switch err := s.End(); {
	case err != nil:
		return failure.Unreadable(body, err)
	case r.failed:
		return failures.Inside(body)
	case !r.hasMessage && r.reason == "":
		return failure.Unreadable(body, errNoMessage)
	}
	a.ID, a.Usage = r.id, r.usage.toUsage()
	r.message.feedTo(s, a, wire.CallKey{})
	noteFinish(a, r.reason)
	a.End()
	return nil
}

// feedTo hands a message or a piece of one to the assembly. key says which call
// the piece belongs to, if it is one of a call.
func (m *message) feedTo(s *rawjson.Scanner, a *wire.Assembly, key wire.CallKey) {
	if plan := wire.Unquote(s, m.plan); len(plan) > 0 {
		a.Think(planSlot, plan)
		a.Sign(planSlot, kindPlan, nil)
	}
	m.content.feedTo(s, a)
	if len(m.items) > 0 {
		list := wire.Borrow(m.items)
		for range list.Elems() {
			var i item
			i.readFrom(list)
			i.feedTo(s, a)
		}
		wire.GiveBack(list, len(m.items))
	}
	m.call.feedTo(s, a, key)
	if len(m.calls) > 0 {
		list := wire.Borrow(m.calls)
		for n := range list.Elems() {
			var c call
			c.readFrom(list)
			k := wire.CallKey{Index: n, HasIndex: true}
			if key.HasIndex { // a list in a stream, where the event has the index
				k.Index += key.Index
			}
			c.feedTo(s, a, k)
		}
		wire.GiveBack(list, len(m.calls))
	}
}

func (i *item) feedTo(s *rawjson.Scanner, a *wire.Assembly) {
	if thinking := wire.Unquote(s, i.thinking); len(thinking) > 0 {
		a.Think(wire.ThoughtSlot, thinking)
		a.Sign(wire.ThoughtSlot, kindThinking, nil)
	}
	if text := wire.Unquote(s, i.text); len(text) > 0 {
		a.Text(wire.TextSlot, text)
	}
}

func (c *call) feedTo(s *rawjson.Scanner, a *wire.Assembly, key wire.CallKey) {
	if !c.present {
		return
	}
	args := wire.Unquote(s, c.arguments)
	if c.id != "" {
		key.ID = []byte(c.id)
	}
	if c.name != "" {
		key.Name = []byte(c.name)
	}
	key.Empty = len(args) == 0
	a.Args(a.CallSlot(key), args)
}

// noteFinish notes the reason, if there is one. Source: cohere-openapi.yaml and
// cohere-go v2.18.0, ChatFinishReason, read 2026-11-30.
func noteFinish(a *wire.Assembly, reason string) {
	switch reason {
	case "":
	case "COMPLETE":
		a.Finish(chat.FinishStop, reason)
	case "STOP_SEQUENCE":
		a.Finish(chat.FinishStopSequence, reason)
	case "MAX_TOKENS":
		a.Finish(chat.FinishLength, reason)
	case "TOOL_CALL":
		a.Finish(chat.FinishToolCalls, reason)
	case "ERROR", "TIMEOUT":
		a.Finish(chat.FinishError, reason)
	default:
		a.Finish(chat.FinishOther, reason)
	}
}
