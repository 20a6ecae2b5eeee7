package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

var chatRoles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// checkBasics holds a request against the rules that every server of the
// dialect has.
func checkBasics(r *request) *core.Refusal {
	checks := []func(*request) *core.Refusal{
		checkModel, checkMessages, checkTools, checkToolChoice, checkToolResults, checkFormat,
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

func checkModel(r *request) *core.Refusal {
	if r.Model == "" {
		return core.RefuseParam("model", "missing_required_parameter", "you must provide a model parameter")
	}
	return nil
}

func checkMessages(r *request) *core.Refusal {
	if len(r.Messages) == 0 {
		return core.RefuseParam("messages", "empty_array",
			"Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	for i, m := range r.Messages {
		if !slices.Contains(chatRoles, m.Role) {
			return core.RefuseParam(fmt.Sprintf("messages[%d].role", i), "invalid_value",
				"Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "+
					"'developer'.", m.Role)
		}
		silent := jsondoc.IsNull(m.Content) || string(m.Content) == "[]"
		acts := len(m.ToolCalls) > 0 || !jsondoc.IsNull(m.raw["refusal"]) || !jsondoc.IsNull(m.raw["function_call"])
		if silent && (m.Role != "assistant" || !acts) {
			return core.RefuseParam(fmt.Sprintf("messages[%d].content", i), "invalid_type",
				"Invalid value for 'content': expected a string, got null.")
		}
	}
	return nil
}

func checkTools(r *request) *core.Refusal {
	if tools, ok := r.raw["tools"]; ok && len(r.Tools) == 0 && !jsondoc.IsNull(tools) {
		return core.RefuseParam("tools", "empty_array",
			"Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	for i, t := range r.Tools {
		where := fmt.Sprintf("tools[%d]", i)
		switch {
		case t.Type == "custom" && t.Custom != nil:
		case t.Type != "function" || t.Function == nil:
			return core.RefuseParam(where+".type", "invalid_value", "Invalid value for '%s.type': '%s'.", where, t.Type)
		}
		if !core.ToolName.MatchString(t.name()) {
			return core.RefuseParam(where+".function.name", "invalid_value",
				"Invalid '%s.function.name': string does not match pattern. Expected a string that matches the pattern "+
					"'^[a-zA-Z0-9_-]+$'.", where)
		}
		if t.Function == nil || jsondoc.IsNull(t.Function.Parameters) {
			continue
		}
		if why := schema.CheckArguments(t.Function.Parameters); why != "" {
			return core.RefuseParam(where+".function.parameters", "invalid_function_parameters",
				"Invalid schema for function '%s': %s.", t.name(), why)
		}
	}
	return nil
}

// checkToolChoice: a choice needs tools, and names only what is offered.
// Source: openai-openapi 2.3.0, read 2026-11-30.
func checkToolChoice(r *request) *core.Refusal {
	if len(r.Tools) == 0 {
		for _, name := range []string{"tool_choice", "parallel_tool_calls"} {
			if !jsondoc.IsNull(r.raw[name]) {
				return core.RefuseParam(name, "", "Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", name,
					name)
			}
		}
		return nil
	}
	wanted := r.choice.Allowed
	if r.choice.Mode == core.ChoiceNamed {
		wanted = []string{r.choice.Name}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(r.Tools, func(t tool) bool { return t.name() == name }) {
			return core.RefuseParam("tool_choice", "invalid_value",
				"Invalid value for 'tool_choice.function.name': no tool named '%s' was supplied.", name)
		}
	}
	return nil
}

// checkToolResults: each call is answered before the next turn, and nothing
// else is. Source: openai-openapi 2.3.0, read 2026-11-30.
func checkToolResults(r *request) *core.Refusal {
	var open []string
	for i, m := range r.Messages {
		where := fmt.Sprintf("messages.[%d].role", i)
		if m.Role == "tool" {
			if !slices.Contains(open, m.ToolCallID) {
				return core.RefuseParam(where, "",
					"Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
			}
			open = slices.DeleteFunc(open, func(id string) bool { return id == m.ToolCallID })
			continue
		}
		if len(open) > 0 {
			return refuseMissingResults(where, open)
		}
		for j, c := range m.ToolCalls {
			if _, ok := jsondoc.Text(c.Function.Arguments); !ok && c.Type != "custom" {
				return core.RefuseParam(fmt.Sprintf("messages[%d].tool_calls[%d].function.arguments", i, j), "invalid_type",
					"Invalid type: expected a string.")
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return refuseMissingResults("messages", open)
	}
	return nil
}

func refuseMissingResults(where string, ids []string) *core.Refusal {
	return core.RefuseParam(where, "",
		"An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
			"'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

func checkFormat(r *request) *core.Refusal {
	f := r.ResponseFormat
	switch {
	case f == nil, f.Type == "text", f.Type == "json_object", f.Type == "regex":
		return nil
	case f.Type != "json_schema":
		return core.RefuseParam("response_format.type", "invalid_value", "Invalid value: '%s'.", f.Type)
	case f.JSONSchema == nil || f.JSONSchema.Name == "":
		return core.RefuseParam("response_format.json_schema.name", "missing_required_parameter",
			"Missing required parameter: 'response_format.json_schema.name'.")
	case !core.ToolName.MatchString(f.JSONSchema.Name):
		return core.RefuseParam("response_format.json_schema.name", "invalid_value",
			"Invalid 'response_format.json_schema.name': string does not match pattern.")
	}
	if _, err := schema.Compile(f.JSONSchema.Schema); err != nil {
		return core.RefuseParam("response_format", "invalid_json_schema", "Invalid schema for response_format '%s': %s.",
			f.JSONSchema.Name, err)
	}
	return nil
}
