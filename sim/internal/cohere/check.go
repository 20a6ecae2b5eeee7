package cohere

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

// requestMembers are the members of a request body. Source: Cohere, API
// reference, "Chat", read 2026-11-30.
var requestMembers = strings.Fields(`model messages tools documents citation_options response_format safety_mode
	max_tokens stop_sequences temperature seed frequency_penalty presence_penalty k p logprobs tool_choice strict_tools
	thinking priority raw_prompting stream`)

func refuse(format string, args ...any) *core.Refusal {
	return &core.Refusal{Status: http.StatusBadRequest, Message: "invalid request: " + fmt.Sprintf(format, args...)}
}

func (r *request) Check() *core.Refusal {
	if f := core.RefuseUnknown(r.raw, requestMembers, ""); f != nil {
		return &core.Refusal{
			Status: http.StatusUnprocessableEntity, Message: "unknown field: parameter '" + f.Param + "' is not a valid field",
		}
	}
	switch {
	case r.Model == "":
		return refuse("model is required")
	case !strings.HasPrefix(r.Model, "command") && !strings.HasPrefix(r.Model, "c4ai"):
		return &core.Refusal{
			Status: http.StatusNotFound, Message: "model '" + r.Model + "' not found, make sure the correct model id was used",
		}
	case len(r.Messages) == 0:
		return refuse("must provide at least one message")
	}
	for _, check := range []func(*request) *core.Refusal{checkMessages, checkPairs, checkTools, checkSettings} {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// partKinds are the kinds of content items by role.
var partKinds = map[string][]string{
	"system": {"text"}, "user": {"text", "image_url"}, "assistant": {"text", "thinking"}, "tool": {"text", "document"},
}

func checkMessages(r *request) *core.Refusal {
	for i, m := range r.Messages {
		kinds, ok := partKinds[m.Role]
		if !ok {
			return refuse("all elements in messages must have a role")
		}
		text, plain := jsondoc.Text(m.Content)
		var parts []core.ContentPart
		switch {
		case plain && strings.TrimSpace(text) != "":
		case jsondoc.IsNull(m.Content) && m.Role == "assistant" && len(m.ToolCalls) > 0:
		case plain || jsondoc.IsNull(m.Content) || json.Unmarshal(m.Content, &parts) != nil || len(parts) == 0:
			return refuse("message at position %d must have non-empty content or tool calls", i)
		}
		for _, p := range parts {
			if !slices.Contains(kinds, p.Type) {
				return &core.Refusal{
					Status:  http.StatusUnprocessableEntity,
					Message: fmt.Sprintf("invalid request: content type %q can't be in a message of role %s", p.Type, m.Role),
				}
			}
			if p.Type == "text" && strings.TrimSpace(p.Text) == "" {
				return refuse("text of the message at position %d must not be empty", i)
			}
		}
	}
	return nil
}

// checkPairs: each result has its call, each call its result.
func checkPairs(r *request) *core.Refusal {
	var open []string
	for _, m := range r.Messages {
		if m.Role == "tool" {
			if !slices.Contains(open, m.ToolCallID) {
				return refuse("tool call id %s not found in previous tool calls", m.ToolCallID)
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
			continue
		}
		if len(open) > 0 {
			break
		}
		for _, c := range m.ToolCalls {
			if _, ok := jsondoc.Text(c.Function.Arguments); !ok {
				return refuse("arguments of tool call %s must be a string", c.ID)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return refuse("no tool results for the tool calls %s", strings.Join(open, ", "))
	}
	return nil
}

// checkTools: source: cohere-ai/cohere-developer-experience,
// cohere-openapi.yaml and structured-outputs.mdx; 0xPlaygrounds/rig#2263; read
// 2026-11-30.
func checkTools(r *request) *core.Refusal {
	if f := r.checkRules(toolRules); f != nil {
		return f
	}
	fields := 0
	for i, t := range r.Tools {
		if t.Type != "function" || t.Function == nil || !core.ToolName.MatchString(t.Function.Name) {
			return refuse("tools[%d] must be a function with a name", i)
		}
		if !jsondoc.IsNull(t.Function.Parameters) {
			if why := schema.CheckArguments(t.Function.Parameters); why != "" {
				return refuse("invalid parameters of tool %s: %s", t.Function.Name, why)
			}
		}
		s, err := schema.Read(t.Function.Parameters)
		if r.StrictTools && (err != nil || len(s.Required) == 0) {
			return refuse("with strict_tools, tool %s must have at least one required parameter", t.Function.Name)
		}
		if err == nil {
			fields += len(s.Properties)
		}
	}
	if r.StrictTools && fields > 200 {
		return refuse("with strict_tools, all tools together may have 200 fields")
	}
	return nil
}

func checkSettings(r *request) *core.Refusal {
	out := func(v *float64, low, high float64) bool { return v != nil && (*v < low || *v > high) }
	if f := r.checkRules(formatRules); f != nil {
		return f
	}
	if f := r.Format; f != nil && !jsondoc.IsNull(f.Schema) {
		if why := schema.CheckArguments(f.Schema); why != "" {
			return refuse("invalid json_schema: %s", why)
		}
	}
	if f := r.checkRules(thinkingRules); f != nil {
		return f
	}
	switch {
	case r.Thinking != nil && r.Thinking.Budget != nil && *r.Thinking.Budget < 1:
		return refuse("thinking.token_budget must be at least 1")
	case out(r.Temperature, 0, 1):
		return refuse("temperature must be between 0 and 1.0 inclusive")
	case out(r.TopP, 0.01, 0.99):
		return refuse("p must be between 0.01 and 0.99 inclusive")
	case len(r.Stops) > 5:
		return refuse("at most 5 stop sequences are allowed")
	}
	return nil
}
