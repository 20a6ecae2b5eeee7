package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// fingerprintVersion begins every fingerprint; it changes with their meaning.
const fingerprintVersion = "sabir-2-"

// Fingerprint names all that decides the reply to a plan: where its body goes,
// the body, and the whole expectation, which two requests with equal bodies can
// differ in. What is sent of a tool's schema may be less than what its calls are
// held against, so the schemas as the caller gave them count, too.
func (p *Plan) Fingerprint(url string, body []byte) (string, error) {
	h := sha256.New()
	tools := make([]string, len(p.tools))
	for i, t := range p.tools {
		sum := sha256.Sum256(t.Schema)
		tools[i] = t.Name + " " + hex.EncodeToString(sum[:8])
	}
	// One JSON value, so that where it ends can't be mistaken.
	head, err := json.Marshal([]any{p.Host.Name, p.Model, url, tools, p.expect, p.textTools, p.Call.Quirks.ThinkTags})
	if err != nil {
		return "", err
	}
	h.Write(head)
	h.Write(body)
	return fingerprintVersion + hex.EncodeToString(h.Sum(nil)), nil
}
