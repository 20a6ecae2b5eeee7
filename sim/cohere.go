package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// coherePersona is Cohere's Chat API, version 2. Source:
// cohere-ai/cohere-developer-experience, cohere-openapi.yaml;
// docs.cohere.com/reference/chat; read 2026-11-30.
var coherePersona = &core.Persona{IDHeader: "X-Debug-Trace-Id", Failure: cohereFailure}

// cohereRequest is a request body of /v2/chat.
type cohereRequest struct {
	raw map[string]json.RawMessage

	Model       string              `json:"model"`
	Messages    []cohereMessage     `json:"messages"`
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

type cohereMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Plan       string          `json:"tool_plan"`
	ToolCalls  []cohereCall    `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type cohereCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func serveCohere(x *core.Exchange) {
	r := &cohereRequest{}
	if err := jsondoc.Decode(x.Body, r, &r.raw); err != nil {
		x.Refuse(&core.Refusal{Status: http.StatusBadRequest, Message: "invalid json syntax: " + err.Error()})
		return
	}
	x.Serve(r)
}

func (r *cohereRequest) Describe() (string, bool) { return r.Model, r.Stream }

// reasons reports whether the model can think.
func (r *cohereRequest) reasons() bool {
	return strings.Contains(r.Model, "reasoning") || strings.HasPrefix(r.Model, "command-a-plus")
}

func (r *cohereRequest) thinks() bool {
	return r.reasons() && (r.Thinking == nil || r.Thinking.Type != "disabled")
}

func (r *cohereRequest) ReadTask() *core.Task {
	a := &core.Task{Thinks: r.thinks(), Stops: r.Stops}
	switch word, _ := jsondoc.Text(r.ToolChoice); word {
	case "REQUIRED":
		a.Choice.Mode = core.ChoiceAny
	case "NONE":
		a.Choice.Mode = core.ChoiceNone
	}
	for _, t := range r.Tools {
		if t.Function != nil {
			a.Tools = append(a.Tools, t.Function.Tool())
		}
	}
	if f := r.Format; f != nil && f.Type == "json_object" {
		a.Schema = f.Schema
		if jsondoc.IsNull(a.Schema) {
			a.Schema = core.FindPromptedSchema(r.texts())
		}
	}
	if r.MaxTokens != nil {
		a.Limit = *r.MaxTokens
	}
	called := map[string]string{}
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			called[c.ID] = c.Function.Name
		}
		switch m.Role {
		case "user":
			a.Prompt, a.Results = core.ReadContent(m.Content), nil
		case "tool":
			a.Results = append(a.Results, core.Result{Tool: called[m.ToolCallID], Text: core.ReadContent(m.Content)})
		}
	}
	a.Input = core.CountTokens(string(r.raw["messages"])) + core.CountTokens(string(r.raw["tools"]))
	a.Seed = core.MakeID(32, string(r.raw["messages"]), string(r.raw["tools"]))
	return a
}

func (r *cohereRequest) texts() []core.TextMessage {
	out := make([]core.TextMessage, len(r.Messages))
	for i, m := range r.Messages {
		out[i] = core.TextMessage{Role: m.Role, Text: core.ReadContent(m.Content)}
	}
	return out
}

// cohereMembers are the members of a request body. Source: Cohere, API
// reference, "Chat", read 2026-11-30.
var cohereMembers = strings.Fields(`model messages tools documents citation_options response_format safety_mode max_tokens
	stop_sequences temperature seed frequency_penalty presence_penalty k p logprobs tool_choice strict_tools thinking
	priority raw_prompting stream`)

func coherely(format string, args ...any) *core.Refusal {
	return &core.Refusal{Status: http.StatusBadRequest, Message: "invalid request: " + fmt.Sprintf(format, args...)}
}

func (r *cohereRequest) Check() *core.Refusal {
	if f := core.RefuseUnknown(r.raw, cohereMembers, ""); f != nil {
		return &core.Refusal{Status: http.StatusUnprocessableEntity, Message: "unknown field: parameter '" + f.Param + "' is not a valid field"}
	}
	switch {
	case r.Model == "":
		return coherely("model is required")
	case !strings.HasPrefix(r.Model, "command") && !strings.HasPrefix(r.Model, "c4ai"):
		return &core.Refusal{Status: http.StatusNotFound, Message: "model '" + r.Model + "' not found, make sure the correct model id was used"}
	case len(r.Messages) == 0:
		return coherely("must provide at least one message")
	}
	for _, check := range []func(*cohereRequest) *core.Refusal{checkCohereMessages, checkCoherePairs, checkCohereTools, checkCohereSettings} {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// cohereParts are the kinds of content items by role.
var cohereParts = map[string][]string{
	"system": {"text"}, "user": {"text", "image_url"}, "assistant": {"text", "thinking"}, "tool": {"text", "document"},
}

func checkCohereMessages(r *cohereRequest) *core.Refusal {
	for i, m := range r.Messages {
		kinds, ok := cohereParts[m.Role]
		if !ok {
			return coherely("all elements in messages must have a role")
		}
		text, plain := jsondoc.Text(m.Content)
		var parts []core.ContentPart
		switch {
		case plain && strings.TrimSpace(text) != "":
		case jsondoc.IsNull(m.Content) && m.Role == "assistant" && len(m.ToolCalls) > 0:
		case plain || jsondoc.IsNull(m.Content) || json.Unmarshal(m.Content, &parts) != nil || len(parts) == 0:
			return coherely("message at position %d must have non-empty content or tool calls", i)
		}
		for _, p := range parts {
			if !slices.Contains(kinds, p.Type) {
				return &core.Refusal{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("invalid request: content type %q can't be in a message of role %s", p.Type, m.Role)}
			}
			if p.Type == "text" && strings.TrimSpace(p.Text) == "" {
				return coherely("text of the message at position %d must not be empty", i)
			}
		}
	}
	return nil
}

// checkCoherePairs: each result has its call, each call its result.
func checkCoherePairs(r *cohereRequest) *core.Refusal {
	var open []string
	for _, m := range r.Messages {
		if m.Role == "tool" {
			if !slices.Contains(open, m.ToolCallID) {
				return coherely("tool call id %s not found in previous tool calls", m.ToolCallID)
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
			continue
		}
		if len(open) > 0 {
			break
		}
		for _, c := range m.ToolCalls {
			if _, ok := jsondoc.Text(c.Function.Arguments); !ok {
				return coherely("arguments of tool call %s must be a string", c.ID)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return coherely("no tool results for the tool calls %s", strings.Join(open, ", "))
	}
	return nil
}

// checkCohereTools: source: cohere-ai/cohere-developer-experience,
// cohere-openapi.yaml and structured-outputs.mdx; 0xPlaygrounds/rig#2263; read
// 2026-11-30.
func checkCohereTools(r *cohereRequest) *core.Refusal {
	if !jsondoc.IsNull(r.ToolChoice) {
		word, _ := jsondoc.Text(r.ToolChoice)
		switch {
		case word != "REQUIRED" && word != "NONE":
			return coherely("tool_choice must be one of REQUIRED, NONE")
		case len(r.Tools) == 0:
			return coherely("tool_choice %s needs at least one tool", word)
		}
	}
	fields := 0
	for i, t := range r.Tools {
		if t.Type != "function" || t.Function == nil || !core.ToolName.MatchString(t.Function.Name) {
			return coherely("tools[%d] must be a function with a name", i)
		}
		if !jsondoc.IsNull(t.Function.Parameters) {
			if why := schema.CheckArguments(t.Function.Parameters); why != "" {
				return coherely("invalid parameters of tool %s: %s", t.Function.Name, why)
			}
		}
		s, err := schema.Read(t.Function.Parameters)
		if r.StrictTools && (err != nil || len(s.Required) == 0) {
			return coherely("with strict_tools, tool %s must have at least one required parameter", t.Function.Name)
		}
		if err == nil {
			fields += len(s.Properties)
		}
	}
	if r.StrictTools && fields > 200 {
		return coherely("with strict_tools, all tools together may have 200 fields")
	}
	return nil
}

func checkCohereSettings(r *cohereRequest) *core.Refusal {
	out := func(v *float64, low, high float64) bool { return v != nil && (*v < low || *v > high) }
	switch f, t := r.Format, r.Thinking; {
	case f != nil && f.Type != "text" && f.Type != "json_object":
		return coherely("response_format.type must be one of text, json_object")
	case f != nil && f.Type == "json_object" && (len(r.Tools) > 0 || !jsondoc.IsNull(r.raw["documents"])):
		return coherely("cannot specify response_format with tools or documents")
	case f != nil && !jsondoc.IsNull(f.Schema) && schema.CheckArguments(f.Schema) != "":
		return coherely("invalid json_schema: %s", schema.CheckArguments(f.Schema))
	case t != nil && t.Type != "enabled" && t.Type != "disabled":
		return coherely("thinking.type must be one of enabled, disabled")
	case t != nil && !r.reasons():
		return coherely("thinking is not supported by model %s", r.Model)
	case t != nil && t.Budget != nil && *t.Budget < 1:
		return coherely("thinking.token_budget must be at least 1")
	case out(r.Temperature, 0, 1):
		return coherely("temperature must be between 0 and 1.0 inclusive")
	case out(r.TopP, 0.01, 0.99):
		return coherely("p must be between 0.01 and 0.99 inclusive")
	case len(r.Stops) > 5:
		return coherely("at most 5 stop sequences are allowed")
	}
	return nil
}

// cohereFailure is a flat object. Source: recordings in maruel/genai,
// providers/cohere/testdata, read 2026-11-30.
func cohereFailure(f *core.Refusal, id string) (string, []byte) {
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
