package bedrockconverse

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/sabir-go/sabir/chat"
)

// Forms of tool call ids. Source: Bedrock API Reference, ToolUseBlock: 1 to 64
// letters, digits, underscores and hyphens; docs.mistral.ai, "Function
// calling": nine letters and digits; read 2026-11-30.
const (
	maxID   = 64
	shortID = 9
	longID  = 32 // of those that are made here
)

// wireIDs gives every tool call id of a conversation a form that the API takes.
// Those that have it stay; the others, which come from another provider, are
// hashed, the same way each time. Two ids never get the same one. nil means
// that all stay.
func wireIDs(messages []chat.Message, short bool) map[string]string {
	ids := make(map[string]string)
	taken := make(map[string]bool)
	var odd []string
	eachID(messages, func(id string) {
		if fits(id, short) {
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
		made := hashed(id, short, 0)
		for salt := uint64(1); taken[made]; salt++ {
			made = hashed(id, short, salt)
		}
		ids[id], taken[made] = made, true
	}
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

func fits(id string, short bool) bool {
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

func hashed(id string, short bool, salt uint64) string {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, salt), id...))
	text := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
	if short {
		return text[:shortID]
	}
	return text[:longID]
}

// id is a tool call id as it is sent.
func (e *encoder) id(id string) string {
	if made, ok := e.ids[id]; ok {
		return made
	}
	return id
}
