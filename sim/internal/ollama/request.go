package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// Persona is Ollama's own API. It wants no key. Source: ollama/ollama,
// state of 2026-08-21; recordings with 0.17.4; read 2026-11-30.
var Persona = &core.Persona{Failure: core.EncodeOllamaFailure, Open: true, NoWait: true}

// request is a request body of /api/chat. Members that aren't known,
// tool_choice among them, are ignored. Source: ollama/ollama, api/types.go,
// state of 2026-08-21, read 2026-11-30.
type request struct {
	raw map[string]json.RawMessage

	Model    string              `json:"model"`
	Messages []message           `json:"messages"`
	Tools    []core.FunctionTool `json:"tools"`
	Format   json.RawMessage     `json:"format"`
	Think    json.RawMessage     `json:"think"`
	Stream   *bool               `json:"stream"`
	Options  struct {
		Limit int      `json:"num_predict"`
		Stop  []string `json:"stop"`
	} `json:"options"`
}

type message struct {
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

// Serve answers a chat request.
func Serve(x *core.Exchange) {
	r := &request{}
	if err := jsondoc.Decode(x.Body, r, &r.raw); err != nil {
		x.Refuse(&core.Refusal{Status: http.StatusBadRequest, Message: formatGoError(err)})
		return
	}
	x.Serve(r)
}

// formatGoError formats an error as a server written in Go shows it.
func formatGoError(err error) string {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok && strings.Contains(s.Error(), "unexpected end") {
		return "unexpected EOF"
	}
	return err.Error()
}

func (r *request) Describe() (string, bool) { return r.Model, r.Stream == nil || *r.Stream }

// Check: source: ollama/ollama, server/routes.go and docs/api/errors.mdx, state
// of 2026-08-21; recordings with 0.17.4; read 2026-11-30.
func (r *request) Check() *core.Refusal {
	why := func(format string, args ...any) *core.Refusal {
		return &core.Refusal{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
	}
	if r.Model == "" {
		return why("model is required")
	}
	if f := checkModel(r); f != nil {
		return f
	}
	if !jsondoc.IsNull(r.Format) && string(r.Format) != `"json"` && string(r.Format) != `""` &&
		!jsondoc.IsObject(r.Format) {
		return why(`invalid format: %q; expected "json" or a valid JSON Schema object`, r.Format)
	}
	if jsondoc.IsObject(r.Format) && !schema.HasGrammar(r.Format) {
		return &core.Refusal{Status: http.StatusInternalServerError, Message: "invalid JSON schema in format"}
	}
	for _, t := range r.Tools {
		if t.Function == nil {
			return why("invalid tool: it has no function")
		}
	}
	return nil
}

// thinks: on by default for the models that can; gpt-oss can't stop. Source:
// ollama/ollama, docs/capabilities/thinking.mdx, read 2026-11-30.
func (r *request) thinks() bool {
	return models.OllamaCanThink(r.Model) && (string(r.Think) != "false" || strings.HasPrefix(r.Model, "gpt-oss"))
}

// ReadTask: nothing is forced here. A format holds from the first token where the
// model doesn't think, so that no call can come. Source: ollama/ollama,
// server/routes.go, state of 2026-08-21, read 2026-11-30.
func (r *request) ReadTask() *core.Task {
	task := &core.Task{Thinks: r.thinks(), Stops: r.Options.Stop, Limit: max(r.Options.Limit, 0)}
	switch {
	case strings.HasSuffix(r.Model, "cloud"): // hosted models know no format
	case jsondoc.IsObject(r.Format):
		task.Schema = r.Format
	case string(r.Format) == `"json"`:
		task.Schema = core.FindPromptedSchema(r.readTexts())
	}
	if task.Schema == nil || task.Thinks {
		for _, t := range r.Tools {
			if t.Function != nil {
				task.Tools = append(task.Tools, t.Function.Tool())
			}
		}
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			task.Prompt, task.Results = m.Content, nil
		case "tool":
			task.Results = append(task.Results, core.Result{Tool: m.ToolName, Text: m.Content})
		}
	}
	task.Input = core.CountTokens(string(r.raw["messages"])) + core.CountTokens(string(r.raw["tools"]))
	task.Seed = core.MakeID(32, string(r.raw["messages"]), string(r.raw["tools"]))
	return task
}

func (r *request) readTexts() []core.TextMessage {
	out := make([]core.TextMessage, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = core.TextMessage{Role: m.Role, Text: m.Content}
	}
	return out
}

func (r *request) EncodeReply(x *core.Exchange, out *core.Answer, t *core.Turn, seed string) core.Reply {
	o := &reply{x: x, request: r, answer: out, turn: t}
	o.buildCalls(seed)
	return o
}
