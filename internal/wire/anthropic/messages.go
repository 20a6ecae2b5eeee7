package anthropic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// leading counts the system messages before anything else was said.
func leading(ms []chat.Message) int {
	n := 0
	for n < len(ms) && ms[n].Role == chat.RoleSystem {
		n++
	}
	return n
}

// system writes the system text as a list of blocks, whether it is marked for
// the cache or not. System messages at the start belong to it: the role system
// is for instructions that come later. Source: anthropic-sdk-go message.go,
// MessageParamRole, read 2026-11-30.
func (e *encoder) system(lead []chat.Message) error {
	texts := make([]string, 0, 1+len(lead))
	if !blank(e.call.System) {
		texts = append(texts, e.call.System)
	}
	for _, m := range lead {
		for _, p := range m.Parts {
			t, ok := p.(chat.Text)
			if !ok {
				return misplaced(p, m.Role)
			}
			if !blank(t.Text) {
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
			e.cacheControl()
		}
		e.w.EndObject()
	}
	e.w.EndArray()
	return nil
}

// messages writes the conversation from the given message on, as turns: all
// that one side says until the other speaks.
func (e *encoder) messages(from int) error {
	ms := e.call.Messages
	e.w.List("messages")
	for i := from; i < len(ms); {
		if !says(&ms[i]) {
			i++
			continue
		}
		role := wireRole(ms[i].Role)
		end := i + 1
		for end < len(ms) && (!says(&ms[end]) || wireRole(ms[end].Role) == role) {
			end++
		}
		if err := e.turn(role, i, end); err != nil {
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

// says reports whether anything of a message is written.
func says(m *chat.Message) bool {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			if !blank(p.Text) {
				return true
			}
		case chat.Thinking:
			if replayable(p) || m.Role != chat.RoleAssistant {
				return true
			}
		case chat.Image, chat.File, chat.Audio, chat.ToolCall, chat.ToolResult:
			return true
		}
	}
	return false
}

// blank reports whether the API would refuse the text as empty: "text content
// blocks must contain non-whitespace text", even those it wrote itself.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// turn writes the messages from i up to end as one.
func (e *encoder) turn(role chat.Role, i, end int) error {
	e.w.Object()
	e.w.Str("role", string(role))
	e.w.List("content")
	var err error
	switch role {
	case chat.RoleAssistant:
		e.calls = e.calls[:0]
		err = e.parts(i, end, e.assistantPart)
	case chat.RoleSystem:
		err = e.parts(i, end, e.systemPart)
	case chat.RoleUser, chat.RoleTool:
		if err = e.toolResults(i, end); err == nil {
			err = e.parts(i, end, e.userPart)
		}
	default:
		err = fmt.Errorf("anthropic: the role %q has no form on this wire", role)
	}
	e.w.EndArray()
	e.w.EndObject()
	return err
}

func (e *encoder) parts(i, end int, write func(chat.Part, chat.Role) (cacheable bool, err error)) error {
	for ; i < end; i++ {
		m := &e.call.Messages[i]
		if !says(m) {
			continue
		}
		for _, p := range m.Parts {
			cacheable, err := write(p, m.Role)
			if err != nil {
				return err
			}
			if cacheable {
				e.wrote(i)
			}
		}
	}
	return nil
}

// wrote notes that a block of the message was written that can be marked for
// the cache; thinking can't.
func (e *encoder) wrote(message int) {
	if message < e.call.Cache.Messages {
		e.mark = len(e.w.Buf)
	}
}

// result is a tool result and the message it comes from.
type result struct {
	message int
	chat.ToolResult
}

// toolResults writes the results of a user turn. They stand before anything
// else in it, in the order of the calls. Source: platform.claude.com, "Handle
// tool calls", read 2026-11-30.
func (e *encoder) toolResults(i, end int) error {
	e.results = e.results[:0]
	for ; i < end; i++ {
		for _, p := range e.call.Messages[i].Parts {
			if r, ok := p.(chat.ToolResult); ok {
				e.results = append(e.results, result{i, r})
			}
		}
	}
	slices.SortStableFunc(e.results, func(a, b result) int { return e.place(a.CallID) - e.place(b.CallID) })
	for i := range e.results {
		if err := e.toolResult(&e.results[i].ToolResult); err != nil {
			return err
		}
		e.wrote(e.results[i].message)
	}
	return nil
}

// place is where a call stands among those of the turn before; a result
// without one comes last.
func (e *encoder) place(callID string) int {
	if i := slices.Index(e.calls, callID); i >= 0 {
		return i
	}
	return math.MaxInt32
}
