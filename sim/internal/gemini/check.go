package gemini

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Members of a request. Source: go-genai v1.77.0, types.go, read 2026-11-30.
var (
	requestMembers = strings.Fields(`contents systemInstruction tools toolConfig generationConfig safetySettings
		cachedContent serviceTier continuationToken store`)
	partMembers = strings.Fields(`text thought thoughtSignature functionCall functionResponse inlineData fileData
		executableCode codeExecutionResult videoMetadata mediaResolution partMetadata toolCall toolResponse`)
	generationMembers = strings.Fields(`stopSequences responseMimeType responseModalities thinkingConfig temperature topP
		topK candidateCount maxOutputTokens responseLogprobs logprobs presencePenalty frequencyPenalty seed responseSchema
		responseJsonSchema routingConfig audioTimestamp mediaResolution speechConfig enableAffectiveDialog imageConfig
		modelSelectionConfig enableEnhancedCivicAnswers`)
	functionMembers = strings.Fields(`name description parameters parametersJsonSchema response responseJsonSchema
		behavior`)
	functionName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)
)

func (r *request) Check() *core.Refusal {
	if !r.version.Known {
		f := refuseArgument("", "models/%s is not found for API version v1beta.", r.model)
		f.Status, f.Type = 404, "NOT_FOUND"
		return f
	}
	checks := []func(*request) *core.Refusal{
		checkMembers, checkContents, checkTools, checkCalling, checkGeneration, checkThinking,
		checkCallTurns, checkSignatures,
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// checkNames refuses a member that isn't known, in Google's words.
func checkNames(raw map[string]json.RawMessage, known []string, where string) *core.Refusal {
	f := core.RefuseUnknown(raw, known, "")
	if f == nil {
		return nil
	}
	at := ""
	if where != "" {
		at = fmt.Sprintf(" at '%s'", where)
	}
	return refuseArgument(where, "Invalid JSON payload received. Unknown name \"%s\"%s: Cannot find field.", f.Param, at)
}

func checkMembers(r *request) *core.Refusal {
	known := requestMembers
	if r.vertex {
		known = append(slices.Clone(known), "labels", "modelArmorConfig")
	}
	if f := checkNames(r.raw, known, ""); f != nil {
		return f
	}
	return checkNames(r.Generation.raw, generationMembers, "generation_config")
}

func checkContents(r *request) *core.Refusal {
	if len(r.Contents) == 0 {
		return refuseArgument("contents", "* GenerateContentRequest.contents: contents is not specified")
	}
	for i, c := range r.Contents {
		if c.Role != "user" && c.Role != "model" && (c.Role != "" || r.vertex) {
			return refuseArgument("", "Please use a valid role: user, model.")
		}
		if len(c.Parts) == 0 {
			return refuseArgument(fmt.Sprintf("contents[%d].parts", i),
				"* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
		}
		for j, p := range c.Parts {
			if f := r.checkPart(&p, c.Role, fmt.Sprintf("contents[%d].parts[%d]", i, j)); f != nil {
				return f
			}
		}
	}
	return nil
}

// checkPart: one part has one kind of data.
func (r *request) checkPart(p *part, role, where string) *core.Refusal {
	if f := checkNames(p.raw, partMembers, where); f != nil {
		return f
	}
	data := 0
	for _, name := range []string{
		"text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult",
		"toolCall", "toolResponse",
	} {
		if !jsondoc.IsNull(p.raw[name]) {
			data++
		}
	}
	switch {
	case data != 1:
		return refuseArgument(where+".data",
			"* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field", where)
	case p.Call != nil && !functionName.MatchString(p.Call.Name):
		return refuseArgument(where+".function_call.name",
			"* GenerateContentRequest.%s.function_call.name: Name cannot be empty.", where)
	case p.Call != nil && role != "model", p.Response != nil && role == "model":
		return refuseArgument("",
			"Please ensure that function call turns come from the model and function response turns from the user.")
	case p.Call != nil && !jsondoc.IsNull(p.Call.Args) && !jsondoc.IsObject(p.Call.Args):
		return refuseArgument(where+".function_call.args",
			"Invalid value at '%s.function_call.args' (type.googleapis.com/google.protobuf.Struct)", where)
	case p.Response != nil && p.Response.Name == "":
		return refuseArgument(where+".function_response.name",
			"* GenerateContentRequest.%s.function_response.name: Name cannot be empty.", where)
	case p.Response != nil && !jsondoc.IsObject(p.Response.Response):
		return refuseArgument(where+".function_response.response",
			"Invalid value at '%s.function_response.response' (type.googleapis.com/google.protobuf.Struct)", where)
	case p.Response != nil && !jsondoc.IsNull(jsondoc.Members(p.raw["functionResponse"])["parts"]) && r.version.Major < 3:
		return refuseArgument(where+".function_response.parts",
			"Multimodal function responses are not supported for this model.")
	}
	return checkMedia(p, where)
}

func checkMedia(p *part, where string) *core.Refusal {
	if jsondoc.IsNull(p.Inline) && jsondoc.IsNull(p.File) {
		return nil
	}
	m := jsondoc.Members(p.Inline)
	data := "data"
	if jsondoc.IsNull(p.Inline) {
		m, data = jsondoc.Members(p.File), "fileUri"
	}
	for _, name := range []string{"mimeType", data} {
		if v, ok := jsondoc.Text(m[name]); !ok || v == "" {
			return refuseArgument(where, "* GenerateContentRequest.%s: %s must be set", where, name)
		}
	}
	return nil
}

// checkTools: source: go-genai v1.77.0, types.go, FunctionDeclaration,
// read 2026-11-30.
func checkTools(r *request) *core.Refusal {
	seen := map[string]bool{}
	for i, t := range r.Tools {
		for j, f := range t.Functions {
			where := fmt.Sprintf("tools[%d].function_declarations[%d]", i, j)
			if bad := checkNames(f.raw, functionMembers, where); bad != nil {
				return bad
			}
			switch {
			case !functionName.MatchString(f.Name):
				return refuseArgument(where+".name",
					"* GenerateContentRequest.%s.name: Invalid function name. Must start with a letter or an underscore. Must be "+
						"alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.",
					where)
			case seen[f.Name]:
				return refuseArgument("", "Duplicate function declaration found: %s", f.Name)
			case !jsondoc.IsNull(f.Parameters) && !jsondoc.IsNull(f.JSONSchema):
				return refuseArgument(where, "Only one of `parameters` and `parameters_json_schema` can be set on %s", where)
			}
			seen[f.Name] = true
			if why := checkSchema(f.Parameters, f.JSONSchema); why != "" {
				return refuseArgument(where+".parameters", "* GenerateContentRequest.%s.parameters: %s", where, why)
			}
		}
	}
	if len(seen) > 512 {
		return refuseArgument("tools", "At most 512 functions can be specified.")
	}
	return nil
}

// checkCalling: source: go-genai v1.77.0, types.go, FunctionCallingConfig, read
// 2026-11-30.
func checkCalling(r *request) *core.Refusal {
	c := r.readCalling()
	switch {
	case c.Mode == "" && len(c.Allowed) == 0:
		return nil
	case !slices.Contains([]string{"", "MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"}, c.Mode):
		return refuseArgument(callingField+".mode",
			"Invalid value at '%s.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "+
				"\"%s\"", callingField, c.Mode)
	case len(r.listFunctions()) == 0:
		return refuseArgument(callingField, "Function calling config is set without function_declarations.")
	case len(c.Allowed) > 0 && c.Mode != "ANY" && c.Mode != "VALIDATED":
		return refuseArgument(callingField+".allowed_function_names",
			"Allowed function names should only be set when function calling mode is ANY or VALIDATED.")
	}
	if f := r.checkRules(subsetRules); f != nil {
		return f
	}
	for _, name := range c.Allowed {
		if !slices.ContainsFunc(r.listFunctions(), func(f function) bool { return f.Name == name }) {
			return refuseArgument(callingField+".allowed_function_names",
				"* GenerateContentRequest.%s.allowed_function_names: unknown function %s", callingField, name)
		}
	}
	return nil
}

func checkGeneration(r *request) *core.Refusal {
	g := &r.Generation
	schemas := !jsondoc.IsNull(g.Schema) || !jsondoc.IsNull(g.JSONSchema)
	doc := g.MimeType == "application/json"
	switch {
	case !slices.Contains([]string{"", "text/plain", "application/json", "text/x.enum"}, g.MimeType):
		return refuseArgument("generation_config.response_mime_type",
			"* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, "+
				"`application/json`, `application/xml`, `application/yaml` and `text/x.enum`.")
	case !jsondoc.IsNull(g.Schema) && !jsondoc.IsNull(g.JSONSchema):
		return refuseArgument("generation_config", "Only one of response_schema and response_json_schema can be set.")
	case schemas && !doc && g.MimeType != "text/x.enum":
		return refuseArgument("generation_config.response_schema",
			"* GenerateContentRequest.generation_config.response_schema: only allowed with response_mime_type "+
				"'application/json'")
	}
	if f := r.checkRules(jsonRules); f != nil {
		return f
	}
	switch {
	case g.MaxTokens != nil && *g.MaxTokens < 1:
		return refuseArgument("generation_config.max_output_tokens",
			"* GenerateContentRequest.generation_config.max_output_tokens: must be positive.")
	case g.Temperature != nil && (*g.Temperature < 0 || *g.Temperature > 2):
		return refuseArgument("generation_config.temperature",
			"* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].")
	case g.TopP != nil && (*g.TopP < 0 || *g.TopP > 1):
		return refuseArgument("generation_config.top_p",
			"* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0].")
	case len(g.Stops) > 5:
		return refuseArgument("generation_config.stop_sequences", "The number of stop sequences must not exceed 5.")
	}
	if why := checkSchema(g.Schema, g.JSONSchema); why != "" {
		return refuseArgument("generation_config.response_schema",
			"* GenerateContentRequest.generation_config.response_schema: %s", why)
	}
	return nil
}

// checkThinking: a budget on 2.5, a level from 3 on. Source: go-genai
// v1.77.0, types.go, ThinkingConfig; vercel/ai, packages/google,
// google-model-catalog.ts; read 2026-11-30.
func checkThinking(r *request) *core.Refusal {
	t, v := r.Generation.Thinking, r.version
	if t == nil {
		return nil
	}
	if f := r.checkRules(thinkingRules); f != nil {
		return f
	}
	switch {
	case t.Budget == nil, *t.Budget == -1, v.Levels != nil && *t.Budget > 0:
		return nil
	case *t.Budget == 0 && !v.Off:
		return refuseArgument(thinkingField+".thinking_budget",
			"Budget 0 is invalid. This model only works in thinking mode.")
	case *t.Budget != 0 && (*t.Budget < v.Least || *t.Budget > v.Most):
		return refuseArgument(thinkingField+".thinking_budget",
			"The thinking budget %d is invalid. Please choose a value between %d and %d.", *t.Budget, v.Least, v.Most)
	}
	return nil
}
