package middleware

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/internal/terms"
)

// question is a request with the key under which its answer is kept.
type question struct {
	req  *chat.Request
	plan *chat.Plan
	key  string
}

// keyVersion begins all keys; it changes with the meaning of what is kept.
const keyVersion = "sabir-1-"

// question plans a request; nil if it goes past the cache.
func (c cached) question(req *chat.Request) (*question, error) {
	plan, err := c.Plan(req)
	if err != nil {
		return nil, err
	}
	if plan == nil || c.cfg.Skip != nil && c.cfg.Skip(req) {
		return nil, nil //nolint:nilnil // no question is no failure
	}
	head, err := json.Marshal([]any{c.cfg.Scope, plan.Engine, plan.Model, plan.URL(), terms.Of(req)})
	if err != nil {
		return nil, &chat.Error{Kind: chat.ErrInvalid, Engine: c.Name(), Err: err}
	}
	h := sha256.New()
	h.Write(head) // one JSON value, so that where it ends can't be mistaken
	body, err := plan.Body()
	if err != nil {
		return nil, err
	}
	h.Write(body)
	return &question{req: req, plan: plan, key: keyVersion + hex.EncodeToString(h.Sum(nil))}, nil
}

// ownWarnings are those of a reply that its plan didn't give it: another
// request with the same body has warnings of its own.
func (q *question) ownWarnings(r *chat.Reply) []chat.Warning {
	if stoodIn(r) {
		return r.Warnings
	}
	planned := q.plan.Warnings
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(w chat.Warning) bool { return slices.Contains(planned, w) })
}

// hit reads a kept reply and makes it one that cost nothing.
func (q *question) hit(data []byte) (*chat.Reply, error) {
	var r chat.Reply
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	r.Usage, r.RateLimit, r.Timing = chat.Usage{}, chat.RateLimit{}, chat.Timing{}
	if !stoodIn(&r) {
		r.Warnings, r.Steps = append(q.plan.Warnings, r.Warnings...), q.plan.Steps
	}
	return &r, nil
}

// replay streams a kept reply. It was held against the same terms before it was
// kept, so its calls are ready to run.
func (q *question) replay(r *chat.Reply, yield func(chat.Event, error) bool) {
	for ev := range chat.Deltas(r) {
		if !yield(ev, nil) {
			return
		}
	}
	for i, call := range r.ToolCalls() {
		offered := slices.ContainsFunc(q.req.Tools, func(t chat.ToolDef) bool { return t.Name == call.Name })
		if offered && !yield(chat.ToolCallDone{Index: i, Call: call}, nil) {
			return
		}
	}
	yield(chat.Done{Reply: r}, nil)
}
