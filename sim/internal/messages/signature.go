package messages

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// SignThought seals a thought at the end of the conversation; shown is what the
// client sees of it.
func (r *Request) SignThought(thought string) (shown, signature string) {
	if !r.omitsThoughts() {
		shown = thought
	}
	return shown, core.Sign(r.claude.Family, shown, thought, r.digestPrefix(len(r.Messages)))
}

// digestPrefix is the part of a conversation that a signature in message n is bound
// to, in a form that doesn't depend on spelling: nil for models that don't
// bind it. The tool choice and cache marks are no part of it. Source:
// Anthropic, "Preserved thinking"; anthropics/skills, prompt-caching.md; read
// 2026-11-30.
func (r *Request) digestPrefix(n int) []byte {
	if !r.claude.Bound {
		return nil
	}
	system := r.System
	if text, ok := jsondoc.Text(system); ok {
		system, _ = jsondoc.Marshal([]any{makeTextBlock(text).raw})
	}
	parts := []any{decodePlain(system), decodePlain(r.raw["tools"])}
	role := ""
	for _, m := range r.Messages[:n] {
		if m.Role != role {
			parts = append(parts, m.Role)
			role = m.Role
		}
		for _, b := range m.Content {
			parts = append(parts, decodeUnmarked(b.raw))
		}
	}
	raw, err := jsondoc.Marshal(parts)
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(raw)
	return sum[:]
}

func decodeUnmarked(raw map[string]json.RawMessage) any {
	b, err := jsondoc.Marshal(raw)
	if err != nil {
		return nil
	}
	return decodePlain(b)
}

// decodePlain decodes JSON and drops cache marks and nulls.
func decodePlain(raw json.RawMessage) any {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if len(raw) == 0 || dec.Decode(&v) != nil {
		return nil
	}
	return dropMarks(v)
}

func dropMarks(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = dropMarks(v[i])
		}
	case map[string]any:
		delete(v, "cache_control")
		for k, sub := range v {
			if sub == nil {
				delete(v, k)
			} else {
				v[k] = dropMarks(sub)
			}
		}
	}
	return v
}
