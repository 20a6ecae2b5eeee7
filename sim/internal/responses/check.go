package responses

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// requestMembers are the members of a request body. Source: OpenAI, API
// reference, "Create a model response", read 2026-11-30.
var requestMembers = strings.Fields(`background context_management conversation include input instructions
	max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt
	prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream
	stream_options temperature text tool_choice tools top_logprobs top_p truncation user`)

func (r *request) Check() *core.Refusal {
	if f := core.RefuseUnknown(r.raw, requestMembers, ""); f != nil {
		return f
	}
	switch {
	case r.Model == "":
		return core.RefuseParam("model", "missing_required_parameter", "Missing required parameter: 'model'.")
	case !models.IsOpenAI(r.Model):
		return core.RefuseParam("model", "model_not_found", "The requested model '%s' does not exist.", r.Model)
	case len(r.items) == 0:
		return core.RefuseParam("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	}
	checks := []func(*request) *core.Refusal{
		checkState, checkItems, checkItemPairs, checkReasoningItems,
		checkTools, checkChoice, checkFormat, checkEffort, checkLimits,
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// checkState: nothing is kept between requests, so there is no earlier
// response. Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
func checkState(r *request) *core.Refusal {
	switch {
	case r.Previous != "" && !jsondoc.IsNull(r.raw["conversation"]):
		return core.RefuseParam("previous_response_id", "mutually_exclusive_parameters",
			"Mutually exclusive parameters. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.")
	case r.Previous != "":
		f := core.RefuseParam("previous_response_id", "previous_response_not_found",
			"Previous response with id '%s' not found.", r.Previous)
		f.Status = 404
		return f
	case !jsondoc.IsNull(r.raw["conversation"]):
		f := core.RefuseParam("conversation", "", "Conversation not found.")
		f.Status = 404
		return f
	}
	return nil
}

// hostedTools are the kinds of tools that run on the server, as far as they
// begin. Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
var hostedTools = strings.Fields(`web_search file_search code_interpreter image_generation computer local_shell shell
	apply_patch mcp namespace tool_search programmatic_tool_calling`)

var toolMembers = strings.Fields(`type name description parameters strict format defer_loading allowed_callers
	output_schema async`)

// checkTools: a function is strict unless it says otherwise. Source:
// openai-go v3.98.0, responses/response.go, FunctionTool, read 2026-11-30.
func checkTools(r *request) *core.Refusal {
	for i, t := range r.Tools {
		where := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" && t.Type != "custom" {
			if !slices.ContainsFunc(hostedTools, func(h string) bool { return strings.HasPrefix(t.Type, h) }) {
				return core.RefuseParam(where+".type", "invalid_value", "Invalid value: '%s'.", t.Type)
			}
			continue
		}
		if t.Name == "" {
			return core.RefuseParam(where+".name", "missing_required_parameter", "Missing required parameter: '%s.name'.", where)
		}
		if !core.ToolName.MatchString(t.Name) {
			return core.RefuseParam(where+".name", "invalid_value",
				"Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
				where)
		}
		if t.Type == "custom" {
			continue
		}
		if f := checkFunction(&t, where); f != nil {
			return f
		}
	}
	for i, raw := range jsondoc.List(r.raw["tools"]) {
		if t := r.Tools[i]; t.Type == "function" || t.Type == "custom" {
			if f := core.RefuseUnknown(jsondoc.Members(raw), toolMembers, fmt.Sprintf("tools[%d].", i)); f != nil {
				return f
			}
		}
	}
	return nil
}

func checkFunction(t *tool, where string) *core.Refusal {
	if jsondoc.IsNull(t.Parameters) {
		return core.RefuseParam(where+".parameters", "missing_required_parameter",
			"Missing required parameter: '%s.parameters'.", where)
	}
	why := schema.CheckArguments(t.Parameters)
	if why == "" && (t.Strict == nil || *t.Strict) {
		why = schema.CheckStrict(t.Parameters)
	}
	if why != "" {
		return core.RefuseParam(where+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s",
			t.Name, why)
	}
	return nil
}

// checkChoice: source: openai-go v3.98.0, responses/response.go, read
// 2026-11-30.
func checkChoice(r *request) *core.Refusal {
	if !r.choiceOK {
		return core.RefuseParam("tool_choice", "invalid_value",
			"Invalid value for 'tool_choice'. Supported values are: 'none', 'auto', and 'required'.")
	}
	if r.choice.Mode == core.ChoiceAny && len(r.Tools) == 0 {
		return core.RefuseParam("tool_choice", "", "Tool choice 'required' must be specified with 'tools' parameter.")
	}
	wanted := r.choice.Allowed
	if r.choice.Mode == core.ChoiceNamed {
		wanted = []string{r.choice.Name}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(r.Tools, func(t tool) bool { return t.Name == name }) {
			return core.RefuseParam("tool_choice", "", "Tool choice '%s' not found in 'tools' parameter.", name)
		}
	}
	return nil
}

func checkFormat(r *request) *core.Refusal {
	if r.Text == nil || r.Text.Format == nil {
		return nil
	}
	f := r.Text.Format
	switch f.Type {
	case "text":
		return nil
	case "json_object":
		return r.checkWordJSON()
	case "json_schema":
	default:
		return core.RefuseParam("text.format.type", "invalid_value",
			"Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", f.Type)
	}
	if !core.ToolName.MatchString(f.Name) {
		return core.RefuseParam("text.format.name", "missing_required_parameter",
			"Missing required parameter: 'text.format.name'.")
	}
	_, err := schema.Compile(f.Schema)
	why := ""
	switch {
	case jsondoc.IsNull(f.Schema):
		return core.RefuseParam("text.format.schema", "missing_required_parameter",
			"Missing required parameter: 'text.format.schema'.")
	case err != nil:
		why = err.Error()
	case f.Strict:
		why = schema.CheckStrict(f.Schema)
	}
	if why != "" {
		return core.RefuseParam("text.format.schema", "invalid_json_schema", "Invalid schema for response_format '%s': %s",
			f.Name, why)
	}
	return nil
}

func (r *request) checkWordJSON() *core.Refusal {
	for _, i := range r.items {
		if strings.Contains(strings.ToLower(core.ReadContent(i.Content)), "json") {
			return nil
		}
	}
	return core.RefuseParam("input", "",
		"Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.")
}

// effortRules: source: OpenAI, API reference, "Create a model response", read
// 2026-11-30.
var effortRules = []core.Rule{
	{
		Has: "reasoning", Claim: claims.Efforts, Test: core.ListsNothing, Param: "reasoning.effort",
		Code:    "unsupported_parameter",
		Message: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
	},
	{
		Has: "reasoning.effort", Claim: claims.Efforts, Test: core.LacksValue, Param: "reasoning.effort",
		Code:    "unsupported_value",
		Message: "Unsupported value: '{value}' is not supported with the '{model}' model. Supported values are: '{values}'.",
	},
	{
		Has: "reasoning.summary", Values: []string{"auto", "concise", "detailed"}, Param: "reasoning.summary",
		Code:    "invalid_value",
		Message: "Invalid value: '{value}'. Supported values are: 'auto', 'concise', and 'detailed'.",
	},
}

func checkEffort(r *request) *core.Refusal {
	if r.Reasoning == nil {
		return nil
	}
	traits := core.Traits{"reasoning": ""}
	for name, value := range map[string]string{
		"reasoning.effort": r.Reasoning.Effort, "reasoning.summary": r.Reasoning.Summary,
	} {
		if value != "" {
			traits[name] = value
		}
	}
	if f := core.CheckRules(effortRules, r.facts, r.Model, traits); f != nil {
		return f
	}
	return core.RefuseUnknown(jsondoc.Members(r.raw["reasoning"]),
		[]string{"effort", "summary", "generate_summary", "context", "mode"}, "reasoning.")
}

// checkLimits: source: openai-openapi 2.3.0;
// UKGovernmentBEIS/inspect_ai#5254; read 2026-11-30.
func checkLimits(r *request) *core.Refusal {
	for _, p := range []string{"temperature", "top_p"} {
		if !jsondoc.IsNull(r.raw[p]) && r.thinks() && r.facts.Is(claims.Sampling) == "refused_while_thinking" {
			return core.RefuseParam(p, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.",
				p)
		}
	}
	switch {
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return core.RefuseRange("temperature", *r.Temperature, 2)
	case r.TopP != nil && (*r.TopP < 0 || *r.TopP > 1):
		return core.RefuseRange("top_p", *r.TopP, 1)
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16:
		return core.RefuseParam("max_output_tokens", "integer_below_min_value",
			"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d "+
				"instead.", *r.MaxOutputTokens)
	case len(jsondoc.Members(r.raw["metadata"])) > 16:
		return core.RefuseParam("metadata", "object_above_max_properties",
			"Invalid 'metadata': too many properties. Expected an object with at most 16 properties.")
	case !jsondoc.IsNull(r.raw["stream_options"]) && !r.Stream:
		return core.RefuseParam("stream_options", "",
			"The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	return nil
}
