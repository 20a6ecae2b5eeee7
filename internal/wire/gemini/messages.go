package gemini

import (
	"fmt"
	"slices"

	"github.com/sabir-go/sabir/chat"
)

// splitContinuation splits off what a broken off reply left at the end of a conversation:
// the API wants the contents as they were before, and its token. Source:
// go-genai continuation.go, read 2026-11-30.
func splitContinuation(ms []chat.Message) (before []chat.Message, token string) {
	for len(ms) > 0 {
		t := tokenOf(&ms[len(ms)-1])
		if t == "" {
			break
		}
		if token == "" { // the latest one counts
			token = t
		}
		ms = ms[:len(ms)-1]
	}
	return ms, token
}

// tokenOf is the token with which a message ends, if it does.
func tokenOf(m *chat.Message) string {
	if m.Role != chat.RoleAssistant || len(m.Parts) == 0 {
		return ""
	}
	t, ok := m.Parts[len(m.Parts)-1].(chat.Thinking)
	if !ok || t.Signature.Kind != kindContinuation {
		return ""
	}
	return t.Signature.Data
}

func countLeading(ms []chat.Message) int {
	n := 0
	for n < len(ms) && ms[n].Role == chat.RoleSystem {
		n++
	}
	return n
}

// encodeSystem writes the instruction, which system messages at the start belong to.
func (e *encoder) encodeSystem(lead []chat.Message) error {
	texts := make([]string, 0, 1+len(lead))
	if e.call.System != "" {
		texts = append(texts, e.call.System)
	}
	for _, m := range lead {
		for _, p := range m.Parts {
			t, ok := p.(chat.Text)
			if !ok {
				return refusePart(p, m.Role)
			}
			if t.Text != "" {
				texts = append(texts, t.Text)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	w := &e.w
	w.Obj("systemInstruction")
	w.Str("role", roleUser)
	w.List("parts")
	for _, t := range texts {
		e.encodeText(t, "")
	}
	w.EndArray()
	w.EndObject()
	return nil
}

// The roles of this wire. Tool results are the user's.
const (
	roleUser  = "user"
	roleModel = "model"
)

func wireRole(r chat.Role) (string, error) {
	switch r {
	case chat.RoleAssistant:
		return roleModel, nil
	case chat.RoleUser, chat.RoleTool, chat.RoleSystem:
		return roleUser, nil
	}
	return "", fmt.Errorf("gemini: the role %q has no form on this wire", r)
}

// turn is all that one side says until the other speaks: the messages from
// first up to end.
type turn struct {
	role       string
	first, end int
	results    bool // there are tool results in it
}

// splitTurns cuts a conversation into turns; messages that say nothing are in none.
func splitTurns(ms []chat.Message) ([]turn, error) {
	out := make([]turn, 0, len(ms))
	for i := range ms {
		if !saysAnything(&ms[i]) {
			continue
		}
		role, err := wireRole(ms[i].Role)
		if err != nil {
			return nil, err
		}
		if len(out) == 0 || out[len(out)-1].role != role {
			out = append(out, turn{role: role, first: i})
		}
		t := &out[len(out)-1]
		t.end = i + 1
		t.results = t.results || ms[i].Role == chat.RoleTool
	}
	return out, nil
}

func saysAnything(m *chat.Message) bool {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case chat.Text:
			if p.Text != "" || tokenFor(p.Signature) != "" {
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

func (e *encoder) encodeContents(ms []chat.Message) error {
	list, err := splitTurns(ms)
	if err != nil {
		return err
	}
	current := currentTurn(list)
	e.w.List("contents")
	for i, t := range list {
		e.bare = i > current && e.call.Quirks.CallSignature != ""
		if err := e.encodeTurn(t.role, ms[t.first:t.end]); err != nil {
			return err
		}
	}
	e.w.EndArray()
	return nil
}

// currentTurn is the number of the user turn to which the model is still
// answering, with calls and their results. From there on the API checks that
// the calls carry tokens. Results may have text beside them; it isn't sure
// that this begins a new turn, so it is not taken to. Source: ai.google.dev,
// "Thought signatures", read 2026-11-30.
func currentTurn(list []turn) int {
	for i, t := range slices.Backward(list) {
		if t.role == roleUser && !t.results {
			return i
		}
	}
	return -1
}

// encodeTurn writes messages as one content.
func (e *encoder) encodeTurn(role string, ms []chat.Message) error {
	w := &e.w
	w.Object()
	w.Str("role", role)
	w.List("parts")
	write := e.encodeUserPart
	if role == roleModel {
		e.calls = e.calls[:0]
		write = e.encodeModelPart
	} else if err := e.encodeResults(ms); err != nil {
		return err
	}
	for i := range ms {
		if !saysAnything(&ms[i]) {
			continue // may be of the other side, between two of this one
		}
		for _, p := range ms[i].Parts {
			if err := write(p, ms[i].Role); err != nil {
				return err
			}
		}
	}
	w.EndArray()
	w.EndObject()
	return nil
}
