package aki

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/hermes"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Persona is AKI.IO's own API: the key is in the body, answers come whole,
// tools travel in words. Source: aki.io/docs, "LLM Chat Response"; the Perl
// library Langertha 0.503, engine AKI; read 2026-11-30.
var Persona = &core.Persona{
	IDHeader: "X-Request-Id", Failure: encodeFailure,
	Key: func(x *core.Exchange) string {
		key, _ := jsondoc.Text(jsondoc.Members(x.Body)["key"])
		return key
	},
}

// request is a request body of /api/call/{model}.
type request struct {
	model string
	said  []message
	bad   string // why the conversation can't be read

	Context     string   `json:"chat_context"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	Limit       int      `json:"max_gen_tokens"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Serve answers a call of a model.
func Serve(x *core.Exchange) {
	r := &request{model: x.R.URL.Path[strings.LastIndexByte(x.R.URL.Path, '/')+1:]}
	if err := json.Unmarshal(x.Body, r); err != nil {
		x.Refuse(&core.Refusal{Status: http.StatusBadRequest, Message: "wrong JSON: " + err.Error()})
		return
	}
	if err := json.Unmarshal([]byte(r.Context), &r.said); err != nil {
		r.bad = "chat_context is no JSON"
	}
	x.Serve(r)
}

func (r *request) Describe() (string, bool) { return r.model, false }

func (r *request) Check() *core.Refusal {
	why := func(format string, args ...any) *core.Refusal {
		return &core.Refusal{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
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

func (r *request) ReadTask() *core.Task {
	task := &core.Task{Limit: r.Limit, Input: core.CountTokens(r.Context), Seed: core.MakeID(32, r.Context)}
	hermes.ReadTask(task, r.readTexts())
	return task
}

func (r *request) readTexts() []core.TextMessage {
	out := make([]core.TextMessage, len(r.said))
	for i, m := range r.said {
		out[i] = core.TextMessage{Role: m.Role, Text: core.ReadContent(m.Content)}
	}
	return out
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, _ *core.Turn, seed string) core.Reply {
	hermes.WriteCalls(out)
	return &reply{request: r, answer: out, id: core.MakeID(26, x.ID, seed)}
}

type reply struct {
	request *request
	answer  *core.Answer
	id      string
}

// contextSize is how many tokens a conversation can have.
const contextSize = 65536

func (p *reply) Whole() object {
	u := p.answer.Usage
	doc := object{
		"success": true, "job_id": strings.ToLower(p.id), "model_name": p.request.model, "text": p.answer.Text,
		"prompt_length": u.Input, "num_generated_tokens": u.Output, "current_context_length": u.Input + u.Output,
		"max_seq_len": contextSize, "total_duration": 0.295, "compute_duration": 0.278,
	}
	if p.answer.Thinking != "" {
		doc["text"] = object{"thinking": p.answer.Thinking, "content": p.answer.Text, "tool": nil}
	}
	if p.answer.Finish == "length" {
		doc["current_context_length"] = contextSize
	}
	return doc
}

// Stream is never called: the wire has no streams.
func (p *reply) Stream() {}

// encodeFailure: errors are a flag and a text. Source: the same.
func encodeFailure(f *core.Refusal, _ string) (string, []byte) {
	if f.Body != "" {
		return f.ScriptedBody()
	}
	if f.Message == "" {
		f.Message = strings.ToLower(http.StatusText(f.Status))
		if f.Status == http.StatusUnauthorized {
			f.Message = "this key is not valid"
		}
	}
	return core.EncodeDocument(object{"success": false, "error": []any{f.Message}})
}

// object is a JSON object to be sent.
type object = map[string]any
