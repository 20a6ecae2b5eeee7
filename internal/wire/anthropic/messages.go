package anthropic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

func countLeading(ms []chat.Message) int {
	n := 0
	for n < len(ms) && ms[n].Role == chat.RoleSystem {
		n++
	}
	return n
}

// encodeSystem writes the system text as a list of blocks, whether it is marked for
// the cache or not. System messages at the start belong to it: the role system
// is for instructions that come later. Source: anthropic-sdk-go message.go,
// MessageParamRole, read 2026-11-30.
func (e *encoder) encodeSystem(lead []chat.Message) error {
	texts := make([]string, 0, 1+len(lead))
	if !isBlank(e.call.System) {
		texts = append(texts, e.call.System)
	}
	for _, m := range lead {
		for _, p := range m.Parts {
			t, ok := p.(chat.Text)
			if !ok {
				return refusePart(p, m.Role)
			}
			if !isBlank(t.Text) {
				texts = append(texts, t.Text)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	cache := &e.call.Cache
	mark := cache.System || cache.Messages > 0 && cache.Messages <= len(lead)
	e.w.List("system")
	for i, t := range texts {
		e.openText(t)
		if mark && i == len(texts)-1 {
			e.encodeCacheMark()
		}
		e.w.EndObject()
	}
	e.w.EndArray()
	return nil
}

// encodeMessages writes the conversation from the given message on, as turns: all
// that one side says until the other speaks.
func (e *encoder) encodeMessages(from int) error {
	ms := e.call.Messages
	e.w.List("messages")
	for i := from; i < len(ms); {
		if !saysAnything(&ms[i]) {
			i++
			continue
		}
		role := wireRole(ms[i].Role)
		end := i + 1
		for end < len(ms) && (!saysAnything(&ms[end]) || wireRole(ms[end].Role) == role) {
			end++
		}
		if err := e.encodeTurn(role, i, end); err != nil {
			return err
		}
		i = end
	}
	e.w.EndArray()
	return nil
}

// wireRole is who speaks on this wire, where tool results are the user's.
func wireRole(r chat.Role) chat.Role {
	if r == chat.RoleTool {
		return chat.RoleUser
	}
	return r
}

func saysAnything(m *chat.Message) bool {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			if !isBlank(p.Text) {
				return true
			}
		case chat.Thinking:
			if canReplay(p) || m.Role != chat.RoleAssistant {
				return true
			}
		case chat.Image, chat.File, chat.Audio, chat.ToolCall, chat.ToolResult:
			return true
		}
	}
	return false
}

// isBlank reports whether the API would refuse the text as empty: "text content
// blocks must contain non-whitespace text", even those it wrote itself.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// encodeTurn writes the messages from i up to end as one.
func (e *encoder) encodeTurn(role chat.Role, i, end int) error {
	e.w.Object()
	e.w.Str("role", string(role))
	e.w.List("content")
	var err error
	switch role {
	case chat.RoleAssistant:
		e.calls = e.calls[:0]
		err = e.encodeParts(i, end, e.encodeModelPart)
	case chat.RoleSystem:
		err = e.encodeParts(i, end, e.encodeSystemPart)
	case chat.RoleUser, chat.RoleTool:
		if err = e.encodeResults(i, end); err == nil {
			err = e.encodeParts(i, end, e.encodeUserPart)
		}
	default:
		err = fmt.Errorf("anthropic: the role %q has no form on this wire", role)
	}
	e.w.EndArray()
	e.w.EndObject()
	return err
}

func (e *encoder) encodeParts(i, end int, write func(chat.Part, chat.Role) (cacheable bool, err error)) error {
	for ; i < end; i++ {
		m := &e.call.Messages[i]
		if !saysAnything(m) {
			continue
		}
		for _, p := range m.Parts {
			cacheable, err := write(p, m.Role)
			if err != nil {
				return err
			}
			if cacheable {
				e.noteBlock(i)
			}
		}
	}
	return nil
}

// noteBlock notes that a block of the message was written that can be marked for
// the cache; thinking can't.
func (e *encoder) noteBlock(message int) {
	if message < e.call.Cache.Messages {
		e.mark = len(e.w.Buf)
	}
}

// result is a tool result and the message it comes from.
type result struct {
	message int
	chat.ToolResult
}

// encodeResults writes the results of a user turn. They stand before anything
// else in it, in the order of the calls. Source: platform.claude.com, "Handle
// tool calls", read 2026-11-30.
func (e *encoder) encodeResults(i, end int) error {
	e.results = e.results[:0]
	for ; i < end; i++ {
		for _, p := range e.call.Messages[i].Parts {
			if r, ok := p.(chat.ToolResult); ok {
				e.results = append(e.results, result{i, r})
			}
		}
	}
	slices.SortStableFunc(e.results, func(a, b result) int { return e.findCall(a.CallID) - e.findCall(b.CallID) })
	for i := range e.results {
		if err := e.encodeResult(&e.results[i].ToolResult); err != nil {
			return err
		}
		e.noteBlock(e.results[i].message)
	}
	return nil
}

// findCall returns where a call stands among those of the turn before; a result
// without one comes last.
func (e *encoder) findCall(callID string) int {
	if i := slices.Index(e.calls, callID); i >= 0 {
		return i
	}
	return math.MaxInt32
}
