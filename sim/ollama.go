package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// ollamaPersona is Ollama's own API. It wants no key. Source: ollama/ollama,
// state of 2026-08-21; recordings with 0.17.4; read 2026-11-30.
var ollamaPersona = &persona{failure: ollamaFailure, open: true, noWait: true}

// ollamaRequest is a request body of /api/chat. Members that aren't known,
// tool_choice among them, are ignored. Source: ollama/ollama, api/types.go,
// state of 2026-08-21, read 2026-11-30.
type ollamaRequest struct {
	raw map[string]json.RawMessage

	Model    string          `json:"model"`
	Messages []ollamaMessage `json:"messages"`
	Tools    []functionTool  `json:"tools"`
	Format   json.RawMessage `json:"format"`
	Think    json.RawMessage `json:"think"`
	Stream   *bool           `json:"stream"`
	Options  struct {
		Limit int      `json:"num_predict"`
		Stop  []string `json:"stop"`
	} `json:"options"`
}

type ollamaMessage struct {
	Role     string   `json:"role"`
	Content  string   `json:"content"`
	Images   [][]byte `json:"images"`
	ToolName string   `json:"tool_name"`
	Calls    []struct {
		Function struct {
			Name      string                     `json:"name"`
			Arguments map[string]json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func serveOllama(x *exchange) {
	r := &ollamaRequest{}
	if err := jsondoc.Decode(x.body, r, &r.raw); err != nil {
		x.refuse(&refusal{status: http.StatusBadRequest, message: goError(err)})
		return
	}
	x.play(r)
}

// goError is an error as a server written in Go shows it.
func goError(err error) string {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok && strings.Contains(s.Error(), "unexpected end") {
		return "unexpected EOF"
	}
	return err.Error()
}

func (r *ollamaRequest) about() (string, bool) { return r.Model, r.Stream == nil || *r.Stream }

// check: source: ollama/ollama, server/routes.go and docs/api/errors.mdx, state
// of 2026-08-21; recordings with 0.17.4; read 2026-11-30.
func (r *ollamaRequest) check() *refusal {
	why := func(format string, args ...any) *refusal {
		return &refusal{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
	}
	thinks, plain := ollamaThink(r.Think)
	switch {
	case r.Model == "":
		return why("model is required")
	case !plain:
		return why(`invalid think value: %s (must be "high", "medium", "low", "max", true, or false)`, r.Think)
	case thinks && !ollamaCanThink(r.Model):
		return why("%q does not support thinking", r.Model)
	case len(r.Tools) > 0 && !ollamaTakesTools(r.Model):
		return why("%q does not support tools", r.Model)
	case !jsondoc.IsNull(r.Format) && string(r.Format) != `"json"` && string(r.Format) != `""` && !jsondoc.IsObject(r.Format):
		return why(`invalid format: %q; expected "json" or a valid JSON Schema object`, r.Format)
	}
	if jsondoc.IsObject(r.Format) && !schema.HasGrammar(r.Format) {
		return &refusal{status: http.StatusInternalServerError, message: "invalid JSON schema in format"}
	}
	for _, t := range r.Tools {
		if t.Function == nil {
			return why("invalid tool: it has no function")
		}
	}
	return nil
}

// ollamaThink reads think: a switch or a level. plain is false for anything
// else.
func ollamaThink(raw json.RawMessage) (on, plain bool) {
	if word, ok := jsondoc.Text(raw); ok {
		return true, slices.Contains([]string{"low", "medium", "high", "max"}, word)
	}
	return string(raw) == "true", jsondoc.IsNull(raw) || string(raw) == "true" || string(raw) == "false"
}

// thinks: on by default for the models that can; gpt-oss can't stop. Source:
// ollama/ollama, docs/capabilities/thinking.mdx, read 2026-11-30.
func (r *ollamaRequest) thinks() bool {
	return ollamaCanThink(r.Model) && (string(r.Think) != "false" || strings.HasPrefix(r.Model, "gpt-oss"))
}

// ask: nothing is forced here. A format holds from the first token where the
// model doesn't think, so that no call can come. Source: ollama/ollama,
// server/routes.go, state of 2026-08-21, read 2026-11-30.
func (r *ollamaRequest) ask() *ask {
	a := &ask{thinks: r.thinks(), stops: r.Options.Stop, limit: max(r.Options.Limit, 0)}
	switch {
	case strings.HasSuffix(r.Model, "cloud"): // hosted models know no format
	case jsondoc.IsObject(r.Format):
		a.schema = r.Format
	case string(r.Format) == `"json"`:
		a.schema = promptedSchema(r.texts())
	}
	if a.schema == nil || a.thinks {
		for _, t := range r.Tools {
			if t.Function != nil {
				a.tools = append(a.tools, t.Function.tool())
			}
		}
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			a.prompt, a.results = m.Content, nil
		case "tool":
			a.results = append(a.results, result{tool: m.ToolName, text: m.Content})
		}
	}
	a.input = tokens(string(r.raw["messages"])) + tokens(string(r.raw["tools"]))
	a.seed = hashed(32, string(r.raw["messages"]), string(r.raw["tools"]))
	return a
}

func (r *ollamaRequest) texts() []textMessage {
	out := make([]textMessage, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = textMessage{m.Role, m.Content}
	}
	return out
}

func (r *ollamaRequest) fill(x *exchange, out *answer, t *Turn, seed string) response {
	o := &ollamaReply{x: x, request: r, answer: out, turn: t}
	o.build(seed)
	return o
}
