package bedrockconverse

import (
	"math"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// opening stands before a conversation that the model begins: the API wants a
// turn of the user first. Source: Bedrock API Reference, Converse, and its
// ValidationException; pydantic-ai providers/bedrock.py; read 2026-11-30.
const opening = "(The assistant begins.)"

// nothing is what an empty result is sent as: the API refuses empty text, and
// not every model takes an empty list.
const nothing = "(no output)"

func countLeading(ms []chat.Message) int {
	n := 0
	for n < len(ms) && ms[n].Role == chat.RoleSystem {
		n++
	}
	return n
}

// encodeSystem writes the system text, and system messages at the start with it.
func (e *encoder) encodeSystem(lead []chat.Message) {
	texts := make([]string, 0, 1+len(lead))
	if !isBlank(e.c.System) {
		texts = append(texts, e.c.System)
	}
	for i := range lead {
		for _, p := range lead[i].Parts {
			t, ok := p.(chat.Text)
			if !ok {
				e.refusePart(p, chat.RoleSystem)
			} else if !isBlank(t.Text) {
				texts = append(texts, t.Text)
			}
		}
	}
	if len(texts) == 0 {
		return
	}
	e.w.List("system")
	for _, t := range texts {
		e.encodeText(t)
	}
	cache := &e.c.Cache
	if cache.System || cache.Messages > 0 && cache.Messages <= len(lead) {
		encodeCachePoint(&e.w, cache.TTL)
	}
	e.w.EndArray()
}

// encodeMessages writes the conversation from the given message on, as turns: all
// that one side says until the other speaks.
func (e *encoder) encodeMessages(from int) {
	w, first := &e.w, true
	var calls []string // of the turn before
	w.List("messages")
	for _, t := range e.splitTurns(from) {
		if first && t.role == chat.RoleAssistant {
			e.encodeTurn(&turn{role: chat.RoleUser, items: []item{{part: chat.Text{Text: opening}, message: math.MaxInt}}})
		}
		first = false
		t.sortResults(calls)
		e.encodeTurn(&t)
		calls = t.callIDs()
	}
	w.EndArray()
}

// turn is all that one side says until the other speaks.
type turn struct {
	role  chat.Role
	items []item
}

// item is a part, and the message that it comes from.
type item struct {
	part    chat.Part
	message int
}

func (e *encoder) splitTurns(from int) []turn {
	ms := e.c.Messages
	turns := make([]turn, 0, len(ms)-from)
	for i := from; i < len(ms); i++ {
		role := e.wireRole(ms[i].Role)
		for _, p := range ms[i].Parts {
			if p = e.trimPart(p, ms[i].Role); p == nil {
				continue
			}
			if len(turns) == 0 || turns[len(turns)-1].role != role {
				turns = append(turns, turn{role: role})
			}
			t := &turns[len(turns)-1]
			t.items = append(t.items, item{p, i})
		}
	}
	return turns
}

// wireRole is who speaks on this wire. Tool results are the user's; and so are
// instructions in the middle, unless the models behind the profile take the
// role system there, which not all do.
func (e *encoder) wireRole(r chat.Role) chat.Role {
	if r == chat.RoleAssistant || r == chat.RoleSystem && e.c.Quirks.SystemRole == string(chat.RoleSystem) {
		return r
	}
	return chat.RoleUser
}

// trimPart returns a part as it is sent; nil if it says nothing on this wire. Parts that
// can't stand in a message of that role are an error.
func (e *encoder) trimPart(p chat.Part, role chat.Role) chat.Part {
	ok := false
	switch q := p.(type) {
	case chat.Text:
		if isBlank(q.Text) {
			return nil
		}
		if role == chat.RoleSystem && e.wireRole(role) == chat.RoleUser {
			return chat.Text{Text: "<system>\n" + q.Text + "\n</system>"}
		}
		ok = true
	case chat.Thinking:
		if !canReplay(q) {
			return nil
		}
		ok = role == chat.RoleAssistant
	case chat.ToolCall:
		ok = role == chat.RoleAssistant && !q.Synthetic
	case chat.ToolResult:
		ok = role == chat.RoleTool || role == chat.RoleUser
	case chat.Image, chat.File, chat.Audio:
		ok = role == chat.RoleUser
	}
	if !ok {
		e.refusePart(p, role)
		return nil
	}
	return p
}

func (e *encoder) refusePart(p chat.Part, role chat.Role) {
	e.fail("a part of type %T in a %s message has no place on this wire", p, role)
}

// isBlank reports whether the API would refuse the text as empty.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// canReplay reports whether a thought carries what the API needs to take it
// back. Reasoning without a signature, as open models give it, confuses them
// when it is said back. Source: vercel/ai issue 14720, read 2026-11-30.
func canReplay(t chat.Thinking) bool {
	return t.Signature.Data != "" && (t.Signature.Kind == kindSignature || t.Signature.Kind == kindRedacted)
}

// sortResults puts results in front, in the order of their calls in the turn before; a
// result without a call comes last of them.
func (t *turn) sortResults(calls []string) {
	place := func(i item) int {
		r, ok := i.part.(chat.ToolResult)
		if !ok {
			return math.MaxInt
		}
		if at := slices.Index(calls, r.CallID); at >= 0 {
			return at
		}
		return len(calls)
	}
	slices.SortStableFunc(t.items, func(a, b item) int {
		switch x, y := place(a), place(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

func (t *turn) callIDs() []string {
	var ids []string
	for _, i := range t.items {
		if c, ok := i.part.(chat.ToolCall); ok {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func (e *encoder) encodeTurn(t *turn) {
	e.w.Object()
	e.w.Str("role", string(t.role))
	e.w.List("content")
	for _, i := range t.items {
		e.encodePart(i.part)
		if _, ok := i.part.(chat.Thinking); ok {
			continue // can't be marked
		}
		if i.message < e.c.Cache.Messages {
			e.mark = len(e.w.Buf)
		}
		e.last = len(e.w.Buf)
	}
	e.w.EndArray()
	e.w.EndObject()
}
