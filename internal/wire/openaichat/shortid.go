package openaichat

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/sabir-go/sabir/chat"
)

// shortLen is the length of ids that Mistral takes: nine letters and digits.
// Source: docs.mistral.ai, "Function calling", read 2026-11-30.
const shortLen = 9

// shortIDs gives every tool call id of a conversation the form that Mistral
// wants. An id that has it already stays, so that the model's own calls are
// said back as it made them; the others are hashed, the same way each time. Two
// ids never get the same one.
func shortIDs(messages []chat.Message) map[string]string {
	ids := make(map[string]string)
	taken := make(map[string]bool)
	eachID(messages, func(id string) {
		if isShort(id) {
			ids[id], taken[id] = id, true
		}
	})
	eachID(messages, func(id string) {
		if _, ok := ids[id]; ok {
			return
		}
		for salt := uint64(0); ; salt++ {
			if s := shorten(id, salt); !taken[s] {
				ids[id], taken[s] = s, true
				return
			}
		}
	})
	return ids
}

func eachID(messages []chat.Message, do func(id string)) {
	for i := range messages {
		for _, p := range messages[i].Parts {
			switch p := p.(type) {
			case chat.ToolCall:
				do(p.ID)
			case chat.ToolResult:
				do(p.CallID)
			case chat.Text, chat.Thinking, chat.Image, chat.File, chat.Audio:
			}
		}
	}
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func isShort(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return len(id) == shortLen
}

func shorten(id string, salt uint64) string {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, salt)) // a hash never fails
	_, _ = h.Write([]byte(id))
	n := h.Sum64()
	var out [shortLen]byte
	for i := range out {
		out[i] = alphabet[n%uint64(len(alphabet))]
		n /= uint64(len(alphabet))
	}
	return string(out[:])
}

// id is a tool call id as it is sent.
func (e *encoder) id(id string) string {
	if short, ok := e.ids[id]; ok {
		return short
	}
	return id
}
