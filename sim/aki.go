package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// akiPersona is AKI.IO's own API: the key is in the body, answers come whole,
// tools travel in words. Source: aki.io/docs, "LLM Chat Response"; the Perl
// library Langertha 0.503, engine AKI; read 2026-11-30.
var akiPersona = &persona{
	idHeader: "X-Request-Id", failure: akiFailure,
	key: func(x *exchange) string {
		key, _ := jsondoc.Text(jsondoc.Members(x.body)["key"])
		return key
	},
}

// akiRequest is a request body of /api/call/{model}.
type akiRequest struct {
	model string
	said  []akiMessage
	bad   string // why the conversation can't be read

	Context     string   `json:"chat_context"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	Limit       int      `json:"max_gen_tokens"`
}

type akiMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func serveAKI(x *exchange) {
	r := &akiRequest{model: x.r.URL.Path[strings.LastIndexByte(x.r.URL.Path, '/')+1:]}
	if err := json.Unmarshal(x.body, r); err != nil {
		x.refuse(&refusal{status: http.StatusBadRequest, message: "wrong JSON: " + err.Error()})
		return
	}
	if err := json.Unmarshal([]byte(r.Context), &r.said); err != nil {
		r.bad = "chat_context is no JSON"
	}
	x.play(r)
}

func (r *akiRequest) about() (string, bool) { return r.model, false }

func (r *akiRequest) check() *refusal {
	why := func(format string, args ...any) *refusal {
		return &refusal{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.bad != "":
		return why("%s", r.bad)
	case len(r.said) == 0:
		return why("chat_context is empty")
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return why("temperature is out of range")
	case r.TopP != nil && (*r.TopP < 0 || *r.TopP > 1):
		return why("top_p is out of range")
	}
	for i, m := range r.said {
		if !slices.Contains([]string{"system", "user", "assistant"}, m.Role) {
			return why("chat_context: role %q is not known", m.Role)
		}
		if _, ok := jsondoc.Text(m.Content); !ok {
			return why("chat_context: message %d has no text", i)
		}
		if i > 0 && m.Role == r.said[i-1].Role {
			return why("chat_context: roles must alternate")
		}
	}
	return nil
}

func (r *akiRequest) ask() *ask {
	a := &ask{limit: r.Limit, input: tokens(r.Context), seed: hashed(32, r.Context)}
	readTextTask(a, r.texts())
	return a
}

func (r *akiRequest) texts() []textMessage {
	out := make([]textMessage, len(r.said))
	for i, m := range r.said {
		out[i] = textMessage{m.Role, contentText(m.Content)}
	}
	return out
}

func (r *akiRequest) fill(x *exchange, out *answer, _ *Turn, seed string) response {
	writeTextCalls(out)
	return &akiReply{request: r, answer: out, id: hashed(26, x.id, seed)}
}

type akiReply struct {
	request *akiRequest
	answer  *answer
	id      string
}

// contextSize is how many tokens a conversation can have.
const contextSize = 65536

func (a *akiReply) whole() object {
	u := a.answer.usage
	doc := object{
		"success": true, "job_id": strings.ToLower(a.id), "model_name": a.request.model, "text": a.answer.text,
		"prompt_length": u.Input, "num_generated_tokens": u.Output, "current_context_length": u.Input + u.Output,
		"max_seq_len": contextSize, "total_duration": 0.295, "compute_duration": 0.278,
	}
	if a.answer.thinking != "" {
		doc["text"] = object{"thinking": a.answer.thinking, "content": a.answer.text, "tool": nil}
	}
	if a.answer.finish == "length" {
		doc["current_context_length"] = contextSize
	}
	return doc
}

// stream is never called: the wire has no streams.
func (a *akiReply) stream() {}

// akiFailure: errors are a flag and a text. Source: the same.
func akiFailure(f *refusal, _ string) (string, []byte) {
	if f.body != "" {
		return f.raw()
	}
	if f.message == "" {
		f.message = strings.ToLower(http.StatusText(f.status))
		if f.status == http.StatusUnauthorized {
			f.message = "this key is not valid"
		}
	}
	return document(object{"success": false, "error": []any{f.message}})
}
