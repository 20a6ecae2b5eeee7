package cohere

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Persona is Cohere's Chat API, version 2. Source:
// cohere-ai/cohere-developer-experience, cohere-openapi.yaml;
// docs.cohere.com/reference/chat; read 2026-11-30.
var Persona = &core.Persona{IDHeader: "X-Debug-Trace-Id", Failure: encodeFailure}

// request is a request body of /v2/chat.
type request struct {
	raw   map[string]json.RawMessage
	facts claims.Facts

	Model       string              `json:"model"`
	Messages    []message           `json:"messages"`
	Tools       []core.FunctionTool `json:"tools"`
	ToolChoice  json.RawMessage     `json:"tool_choice"`
	StrictTools bool                `json:"strict_tools"`
	Format      *struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"json_schema"`
	} `json:"response_format"`
	Thinking *struct {
		Type   string `json:"type"`
		Budget *int   `json:"token_budget"`
	} `json:"thinking"`
	MaxTokens   *int     `json:"max_tokens"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"p"`
	Stops       []string `json:"stop_sequences"`
	Stream      bool     `json:"stream"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Plan       string          `json:"tool_plan"`
	ToolCalls  []call          `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type call struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// Serve answers a chat request.
func Serve(x *core.Exchange) {
	r := &request{}
	if err := jsondoc.Decode(x.Body, r, &r.raw); err != nil {
		x.Refuse(&core.Refusal{Status: http.StatusBadRequest, Message: "invalid json syntax: " + err.Error()})
		return
	}
	r.facts = claims.About("cohere", r.Model)
	x.Serve(r)
}

func (r *request) Describe() (string, bool) { return r.Model, r.Stream }

func (r *request) canThink() bool {
	thinks := r.facts.Is(claims.Thinks)
	return thinks == "by_default" || thinks == "always"
}

func (r *request) thinks() bool {
	return r.canThink() && (r.Thinking == nil || r.Thinking.Type != "disabled")
}

func (r *request) ReadTask() *core.Task {
	task := &core.Task{Thinks: r.thinks(), Stops: r.Stops}
	switch word, _ := jsondoc.Text(r.ToolChoice); word {
	case "REQUIRED":
		task.Choice.Mode = core.ChoiceAny
	case "NONE":
		task.Choice.Mode = core.ChoiceNone
	}
	for _, t := range r.Tools {
		if t.Function != nil {
			task.Tools = append(task.Tools, t.Function.Tool())
		}
	}
	if f := r.Format; f != nil && f.Type == "json_object" {
		task.Schema = f.Schema
		if jsondoc.IsNull(task.Schema) {
			task.Schema = core.FindPromptedSchema(r.readTexts())
		}
	}
	if r.MaxTokens != nil {
		task.Limit = *r.MaxTokens
	}
	called := map[string]string{}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			called[c.ID] = c.Function.Name
		}
		switch m.Role {
		case "user":
			task.Prompt, task.Results = core.ReadContent(m.Content), nil
		case "tool":
			task.Results = append(task.Results, core.Result{Tool: called[m.ToolCallID], Text: core.ReadContent(m.Content)})
		}
	}
	task.Input = core.CountTokens(string(r.raw["messages"])) + core.CountTokens(string(r.raw["tools"]))
	task.Seed = core.MakeID(32, string(r.raw["messages"]), string(r.raw["tools"]))
	return task
}

func (r *request) readTexts() []core.TextMessage {
	out := make([]core.TextMessage, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = core.TextMessage{Role: m.Role, Text: core.ReadContent(m.Content)}
	}
	return out
}

// encodeFailure is a flat object. Source: recordings in maruel/genai,
// providers/cohere/testdata, read 2026-11-30.
func encodeFailure(f *core.Refusal, id string) (string, []byte) {
	switch {
	case f.Body != "":
		return f.ScriptedBody()
	case f.Message != "":
	case f.Status == http.StatusUnauthorized:
		return core.EncodeDocument(object{"message": "invalid api token"})
	case f.Status == http.StatusTooManyRequests:
		f.Message = "too many requests in a minute, please wait"
	default:
		f.Message = strings.ToLower(http.StatusText(f.Status))
	}
	return core.EncodeDocument(object{"id": id, "message": f.Message})
}
