package wire

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// Forms of tool call ids. Source: Bedrock API Reference, ToolUseBlock: 1 to 64
// letters, digits, underscores and hyphens, and Anthropic's own refusal of
// others; docs.mistral.ai, "Function calling": nine letters and digits; read
// 2026-11-30.
const (
	maxID   = 64
	shortID = 9
	longID  = 32 // of those that are made here
)

// ToolIDs are the ids of tool calls as they are sent.
type ToolIDs map[string]string

// Of is an id as it is sent.
func (t ToolIDs) Of(id string) string {
	if made, ok := t[id]; ok {
		return made
	}
	return id
}

// NewToolIDs gives every tool call id of a conversation a form that the wire
// takes: up to 64 letters, digits, underscores and hyphens, or, if short, nine
// letters and digits. Those that have it stay, so that a model's own calls are
// said back as it made them; the others, which come from another provider, are
// hashed, the same way each time. Two ids never get the same one. nil means that
// all stay.
func NewToolIDs(messages []chat.Message, short bool) ToolIDs {
	ids := make(ToolIDs)
	taken := make(map[string]bool)
	var odd []string
	visitIDs(messages, func(id string) {
		if fitsWire(id, short) {
			taken[id] = true
		} else if _, ok := ids[id]; !ok {
			ids[id] = ""
			odd = append(odd, id)
		}
	})
	if len(odd) == 0 {
		return nil
	}
	for _, id := range odd {
		made := hashID(id, short, 0)
		for salt := uint64(1); taken[made]; salt++ {
			made = hashID(id, short, salt)
		}
		ids[id], taken[made] = made, true
	}
	return ids
}

func visitIDs(messages []chat.Message, do func(id string)) {
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

func fitsWire(id string, short bool) bool {
	for _, r := range id {
		switch {
		case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z':
		case !short && (r == '_' || r == '-'):
		default:
			return false
		}
	}
	if short {
		return len(id) == shortID
	}
	return 0 < len(id) && len(id) <= maxID
}

func hashID(id string, short bool, salt uint64) string {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, salt), id...))
	text := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
	if short {
		return text[:shortID]
	}
	return text[:longID]
}
