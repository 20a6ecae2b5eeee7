package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// responsesMembers are the members of a request body. Source: OpenAI, API
// reference, "Create a model response", read 2026-11-30.
var responsesMembers = strings.Fields(`background context_management conversation include input instructions
	max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt
	prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream
	stream_options temperature text tool_choice tools top_logprobs top_p truncation user`)

func (r *responsesRequest) check() *refusal {
	if f := unknownMember(r.raw, responsesMembers, ""); f != nil {
		return f
	}
	g := openaiModel(r.Model)
	switch {
	case r.Model == "":
		return bad("model", "missing_required_parameter", "Missing required parameter: 'model'.")
	case !g.known:
		return bad("model", "model_not_found", "The requested model '%s' does not exist.", r.Model)
	case len(r.items) == 0:
		return bad("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	}
	checks := []func(*responsesRequest, gpt) *refusal{
		checkResponsesState, checkItems, checkItemPairs, checkReasoningItems,
		checkResponsesTools, checkResponsesChoice, checkResponsesFormat, checkResponsesEffort, checkResponsesLimits,
	}
	for _, check := range checks {
		if f := check(r, g); f != nil {
			return f
		}
	}
	return nil
}

// checkResponsesState: nothing is kept between requests, so there is no earlier
// response. Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
func checkResponsesState(r *responsesRequest, _ gpt) *refusal {
	switch {
	case r.Previous != "" && !jsondoc.IsNull(r.raw["conversation"]):
		return bad("previous_response_id", "mutually_exclusive_parameters",
			"Mutually exclusive parameters. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.")
	case r.Previous != "":
		f := bad("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", r.Previous)
		f.status = 404
		return f
	case !jsondoc.IsNull(r.raw["conversation"]):
		f := bad("conversation", "", "Conversation not found.")
		f.status = 404
		return f
	}
	return nil
}

// hostedTools are the kinds of tools that run on the server, as far as they
// begin. Source: openai-go v3.98.0, responses/response.go, read 2026-11-30.
var hostedTools = strings.Fields(`web_search file_search code_interpreter image_generation computer local_shell shell
	apply_patch mcp namespace tool_search programmatic_tool_calling`)

var responsesToolMembers = strings.Fields(`type name description parameters strict format defer_loading allowed_callers output_schema async`)

// checkResponsesTools: a function is strict unless it says otherwise. Source:
// openai-go v3.98.0, responses/response.go, FunctionTool, read 2026-11-30.
func checkResponsesTools(r *responsesRequest, _ gpt) *refusal {
	for i, t := range r.Tools {
		where := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" && t.Type != "custom" {
			if !slices.ContainsFunc(hostedTools, func(h string) bool { return strings.HasPrefix(t.Type, h) }) {
				return bad(where+".type", "invalid_value", "Invalid value: '%s'.", t.Type)
			}
			continue
		}
		if t.Name == "" {
			return bad(where+".name", "missing_required_parameter", "Missing required parameter: '%s.name'.", where)
		}
		if !toolName.MatchString(t.Name) {
			return bad(where+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", where)
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
			if f := unknownMember(jsondoc.Members(raw), responsesToolMembers, fmt.Sprintf("tools[%d].", i)); f != nil {
				return f
			}
		}
	}
	return nil
}

func checkFunction(t *responsesTool, where string) *refusal {
	if jsondoc.IsNull(t.Parameters) {
		return bad(where+".parameters", "missing_required_parameter", "Missing required parameter: '%s.parameters'.", where)
	}
	why := schema.CheckArguments(t.Parameters)
	if why == "" && (t.Strict == nil || *t.Strict) {
		why = schema.CheckStrict(t.Parameters)
	}
	if why != "" {
		return bad(where+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", t.Name, why)
	}
	return nil
}

// checkResponsesChoice: source: openai-go v3.98.0, responses/response.go, read
// 2026-11-30.
func checkResponsesChoice(r *responsesRequest, _ gpt) *refusal {
	if !r.choiceOK {
		return bad("tool_choice", "invalid_value", "Invalid value for 'tool_choice'. Supported values are: 'none', 'auto', and 'required'.")
	}
	if r.choice.mode == choiceAny && len(r.Tools) == 0 {
		return bad("tool_choice", "", "Tool choice 'required' must be specified with 'tools' parameter.")
	}
	wanted := r.choice.allowed
	if r.choice.mode == choiceNamed {
		wanted = []string{r.choice.name}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(r.Tools, func(t responsesTool) bool { return t.Name == name }) {
			return bad("tool_choice", "", "Tool choice '%s' not found in 'tools' parameter.", name)
		}
	}
	return nil
}

func checkResponsesFormat(r *responsesRequest, _ gpt) *refusal {
	if r.Text == nil || r.Text.Format == nil {
		return nil
	}
	f := r.Text.Format
	switch f.Type {
	case "text":
		return nil
	case "json_object":
		return r.needsWordJSON()
	case "json_schema":
	default:
		return bad("text.format.type", "invalid_value", "Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", f.Type)
	}
	if !toolName.MatchString(f.Name) {
		return bad("text.format.name", "missing_required_parameter", "Missing required parameter: 'text.format.name'.")
	}
	_, err := schema.Compile(f.Schema)
	why := ""
	switch {
	case jsondoc.IsNull(f.Schema):
		return bad("text.format.schema", "missing_required_parameter", "Missing required parameter: 'text.format.schema'.")
	case err != nil:
		why = err.Error()
	case f.Strict:
		why = schema.CheckStrict(f.Schema)
	}
	if why != "" {
		return bad("text.format.schema", "invalid_json_schema", "Invalid schema for response_format '%s': %s", f.Name, why)
	}
	return nil
}

func (r *responsesRequest) needsWordJSON() *refusal {
	for _, i := range r.items {
		if strings.Contains(strings.ToLower(contentText(i.Content)), "json") {
			return nil
		}
	}
	return bad("input", "", "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.")
}

func checkResponsesEffort(r *responsesRequest, g gpt) *refusal {
	e := r.effort()
	efforts := responsesEfforts(r.Model)
	switch {
	case r.Reasoning == nil:
		return nil
	case g.efforts == nil:
		return bad("reasoning.effort", "unsupported_parameter", "Unsupported parameter: 'reasoning.effort' is not supported with this model.")
	case e != "" && !slices.Contains(efforts, e):
		return bad("reasoning.effort", "unsupported_value",
			"Unsupported value: '%s' is not supported with the '%s' model. Supported values are: '%s'.", e, r.Model, strings.Join(efforts, "', '"))
	case r.Reasoning.Summary != "" && !slices.Contains([]string{"auto", "concise", "detailed"}, r.Reasoning.Summary):
		return bad("reasoning.summary", "invalid_value", "Invalid value: '%s'. Supported values are: 'auto', 'concise', and 'detailed'.", r.Reasoning.Summary)
	}
	return unknownMember(jsondoc.Members(r.raw["reasoning"]), []string{"effort", "summary", "generate_summary", "context", "mode"}, "reasoning.")
}

// checkResponsesLimits: source: openai-openapi 2.3.0;
// UKGovernmentBEIS/inspect_ai#5254; read 2026-11-30.
func checkResponsesLimits(r *responsesRequest, g gpt) *refusal {
	for _, p := range []string{"temperature", "top_p"} {
		if !jsondoc.IsNull(r.raw[p]) && g.reasons(r.effort()) {
			return bad(p, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", p)
		}
	}
	switch {
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return outOfRange("temperature", *r.Temperature, 2)
	case r.TopP != nil && (*r.TopP < 0 || *r.TopP > 1):
		return outOfRange("top_p", *r.TopP, 1)
	case r.MaxOutputTokens != nil && *r.MaxOutputTokens < 16:
		return bad("max_output_tokens", "integer_below_min_value",
			"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", *r.MaxOutputTokens)
	case len(jsondoc.Members(r.raw["metadata"])) > 16:
		return bad("metadata", "object_above_max_properties", "Invalid 'metadata': too many properties. Expected an object with at most 16 properties.")
	case !jsondoc.IsNull(r.raw["stream_options"]) && !r.Stream:
		return bad("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	return nil
}
