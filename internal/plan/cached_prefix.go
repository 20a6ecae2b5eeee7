package plan

import (
	"hash/maphash"
	"sync"

	"github.com/sabir-go/sabir/chat"
)

// Prefixes remembers, for prompts whose cached prefix is marked, the tool
// choice that they were last sent with. It is rule 9: on Anthropic a changed
// choice drops the cached messages, while tools and system stay cached.
// Source: Anthropic, "Prompt caching", read 2026-11-30.
type Prefixes struct {
	mu   sync.Mutex
	seen map[uint64]string
}

const maxPrefixes = 256

var prefixSeed = maphash.MakeSeed()

// Warn warns in the plan when only the tool choice differs from the one that
// was sent before it.
func (x *Prefixes) Warn(p *Plan) {
	if !marksMessages(p) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if before, ok := x.seen[hashPrefix(p)]; ok && before != p.expect.Choice.String() {
		p.Warnings = append(p.Warnings, chat.Warning{Field: "ToolChoice", Message: "differs from the call before (" +
			before + "): the cached messages are dropped, tools and system stay cached"})
	}
}

// Note remembers the choice of a plan that is sent.
func (x *Prefixes) Note(p *Plan) {
	if !marksMessages(p) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.seen) >= maxPrefixes || x.seen == nil {
		x.seen = make(map[uint64]string, 8)
	}
	x.seen[hashPrefix(p)] = p.expect.Choice.String()
}

func marksMessages(p *Plan) bool {
	return p.dropsCache && (p.Call.Cache.Auto || p.Call.Cache.Messages > 0)
}

// hashPrefix names a conversation by what stands at its beginning.
func hashPrefix(p *Plan) uint64 {
	var h maphash.Hash
	h.SetSeed(prefixSeed)
	write := func(s string) { _, _ = h.WriteString(s); _ = h.WriteByte(0) }
	write(p.Model)
	write(p.Call.System)
	for _, t := range p.Call.Tools {
		write(t.Name)
		write(string(t.Schema))
	}
	if len(p.Call.Messages) > 0 {
		write(p.Call.Messages[0].Text())
	}
	return h.Sum64()
}
