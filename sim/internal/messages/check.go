package messages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
	"github.com/sabir-go/sabir/sim/internal/schema"
)

// refuse makes a 400 of Anthropic's API.
func refuse(format string, args ...any) *core.Refusal {
	return &core.Refusal{Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

// requestMembers are the members of a request body. Source: Anthropic, API
// reference, "Messages", read 2026-11-30.
var requestMembers = strings.Fields(`model messages max_tokens system tools tool_choice thinking output_config
	output_format temperature top_p top_k stop_sequences stream metadata service_tier speed inference_geo cache_control
	container context_management mcp_servers`)

// Check holds the request against all of Anthropic's rules.
func (r *Request) Check() *core.Refusal {
	checks := []func(*Request) *core.Refusal{
		checkVersion, checkMembers, checkMaxTokens, checkSystem, checkThinking, checkEffort, checkSampling,
		checkTools, checkChoice, checkOutputFormat, checkCacheMarks,
		checkBlocks, checkPrefill, checkToolPairs, checkReplayedThinking, checkOpenLoop,
	}
	for _, check := range checks {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

// CheckModelRules holds a request against the rules that hold for the model
// wherever it runs.
func (r *Request) CheckModelRules() *core.Refusal {
	for _, check := range []func(*Request) *core.Refusal{
		checkThinking, checkEffort, checkSampling, checkTools, checkChoice, checkOutputFormat,
		checkBlocks, checkPrefill, checkReplayedThinking, checkOpenLoop,
	} {
		if f := check(r); f != nil {
			return f
		}
	}
	return nil
}

func checkVersion(r *Request) *core.Refusal {
	switch r.version {
	case "":
		return refuse("anthropic-version: header is required")
	case "2023-06-01", versionNoSampling:
		return nil
	}
	return refuse("anthropic-version: \"%s\" is not a valid version. Use \"%s\" or \"2023-06-01\".", r.version,
		versionNoSampling)
}

// versionNoSampling is the version that has no sampling members. Source:
// Anthropic, "API version 2026-10-21", read 2026-11-30.
const versionNoSampling = "2026-10-21"

// checkExtra refuses a member that isn't known.
func checkExtra(raw map[string]json.RawMessage, known []string, where string) *core.Refusal {
	if f := core.RefuseUnknown(raw, known, ""); f != nil {
		return refuse("%s%s: Extra inputs are not permitted", where, f.Param)
	}
	return nil
}

func checkMembers(r *Request) *core.Refusal {
	if f := checkExtra(r.raw, requestMembers, ""); f != nil {
		return f
	}
	for _, name := range []string{"model", "messages"} {
		if jsondoc.IsNull(r.raw[name]) {
			return refuse("%s: Field required", name)
		}
	}
	if !r.claude.Known && strings.HasPrefix(r.Model, "claude") {
		f := refuse("model: %s", r.Model)
		f.Status, f.Type = 404, "not_found_error"
		return f
	}
	return checkExtra(jsondoc.Members(r.raw["metadata"]), []string{"user_id"}, "metadata.")
}

// checkMaxTokens: the number is required; 0 only warms the cache.
func checkMaxTokens(r *Request) *core.Refusal {
	switch {
	case r.MaxTokens == nil:
		return refuse("max_tokens: Field required")
	case *r.MaxTokens < 0:
		return refuse("max_tokens: Input should be greater than or equal to 0")
	case *r.MaxTokens > 0:
		return nil
	case r.Stream, r.Thinking != nil && r.Thinking.Type == "enabled", r.ReadChoice().IsForced(), r.Output != nil &&
		r.Output.Format != nil:
		return refuse("max_tokens: 0 is not supported with stream, thinking, output_config.format or a forced tool")
	}
	return nil
}

func checkSystem(r *Request) *core.Refusal {
	if _, ok := jsondoc.Text(r.System); ok || jsondoc.IsNull(r.System) {
		return nil
	}
	var blocks []block
	if json.Unmarshal(r.System, &blocks) != nil {
		return refuse("system: Input should be a valid string or array")
	}
	for i, b := range blocks {
		if b.Type != "text" {
			return refuse("system.%d.type: Input should be 'text'", i)
		}
		if f := checkTextBlock(b, fmt.Sprintf("system.%d", i), "system"); f != nil {
			return f
		}
	}
	return nil
}

// checkThinking holds the thinking against the model. Source: Anthropic,
// "Thinking" and the migration guides, read 2026-11-30.
func checkThinking(r *Request) *core.Refusal {
	t := r.Thinking
	if t == nil {
		return nil
	}
	if f := checkExtra(jsondoc.Members(r.raw["thinking"]), thinkingMembers[t.Type], "thinking."+t.Type+"."); f != nil &&
		r.claude.TakesThinking(t.Type) {
		return f
	}
	effort := r.effort()
	switch {
	case !slices.Contains([]string{"enabled", "adaptive", "disabled", "between_tools"}, t.Type):
		return refuse("thinking: Input tag '%s' found using 'type' does not match any of the expected tags: 'adaptive', "+
			"'disabled', 'enabled'", t.Type)
	case t.Type == "enabled" && !r.claude.TakesThinking("enabled"):
		return refuse("\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and " +
			"\"output_config.effort\" to control thinking behavior.")
	case !r.claude.TakesThinking(t.Type):
		return refuse("\"thinking.type.%s\" is not supported for this model.", t.Type)
	case r.claude.EffortsWhenOff != nil && t.Type != "adaptive" && effort != "" && !slices.Contains(r.claude.EffortsWhenOff, effort):
		return refuse("\"thinking.type.%s\" is not supported with \"output_config.effort\" above \"high\" for this model.",
			t.Type)
	case t.Type == "enabled":
		return checkBudget(r)
	}
	return nil
}

var thinkingMembers = map[string][]string{
	"enabled":       {"type", "budget_tokens", "display"},
	"adaptive":      {"type", "display"},
	"disabled":      {"type"},
	"between_tools": {"type"},
}

func checkBudget(r *Request) *core.Refusal {
	b := r.Thinking.Budget
	switch {
	case b == nil:
		return refuse("thinking.enabled.budget_tokens: Field required")
	case *b < 1024:
		return refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case *b >= *r.MaxTokens && !strings.Contains(r.beta, "interleaved-thinking"):
		return refuse("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	return nil
}

func checkEffort(r *Request) *core.Refusal { return r.checkRules(effortRules) }

// checkSampling holds the sampling members against version and model.
// Source: platform.claude.com/docs/en/api/migration-2026-10-21; Anthropic,
// "Thinking"; anthropics/skills, model-migration.md; read 2026-11-30.
func checkSampling(r *Request) *core.Refusal {
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		v := string(r.raw[name])
		if jsondoc.IsNull(r.raw[name]) {
			continue
		}
		isDefault := name != "top_k" && (v == "1" || v == "1.0")
		switch {
		case r.version == versionNoSampling:
			return refuse("%s: Extra inputs are not permitted", name)
		case r.claude.Sampling == models.SamplingNone, r.claude.Sampling == models.SamplingDefault && !isDefault:
			return refuse("`%s` is not supported for this model.", name)
		}
	}
	thinking := r.Thinking != nil && (r.Thinking.Type == "enabled" || r.Thinking.Type == "adaptive")
	switch t := r.Temperature; {
	case t != nil && (*t < 0 || *t > 1):
		return refuse("temperature: range: 0..1")
	case thinking && t != nil && *t != 1:
		return refuse("`temperature` may only be set to 1 when thinking is enabled.")
	case thinking && r.TopK != nil:
		return refuse("`top_k` must be unset when thinking is enabled.")
	case thinking && r.TopP != nil && *r.TopP < 0.95:
		return refuse("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
	}
	return r.checkRules(samplingRules)
}

var toolMembers = strings.Fields(`type name description input_schema strict cache_control eager_input_streaming
	defer_loading allowed_callers input_examples`)

func checkTools(r *Request) *core.Refusal {
	seen := map[string]bool{}
	for i, t := range r.Tools {
		where := fmt.Sprintf("tools.%d", i)
		if seen[t.Name] {
			f := refuse("Two tools in this request share one name.")
			f.ErrorCode = "tool_name_conflict"
			return f
		}
		seen[t.Name] = true
		if t.isHosted() {
			continue
		}
		if f := checkExtra(t.raw, toolMembers, where+".custom."); f != nil {
			return f
		}
		if !core.ToolName.MatchString(t.Name) {
			return refuse("%s.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", where)
		}
		if jsondoc.IsNull(t.Schema) {
			return refuse("%s.custom.input_schema: Field required", where)
		}
		if why := schema.CheckArguments(t.Schema); why != "" {
			return refuse("%s.custom.input_schema: %s", where, why)
		}
		if t.Strict {
			if why := schema.CheckClosed(t.Schema); why != "" {
				return refuse("%s.custom: %s", where, why)
			}
		}
	}
	return nil
}

var choiceMembers = map[string][]string{
	"auto": {"type", "disable_parallel_tool_use"},
	"any":  {"type", "disable_parallel_tool_use"},
	"tool": {"type", "name", "disable_parallel_tool_use"},
	"none": {"type"},
}

// checkChoice holds the tool choice against tools, thinking and model.
// Source: Anthropic, "Thinking" and the migration guides, read 2026-11-30.
func checkChoice(r *Request) *core.Refusal {
	if r.ToolChoice == nil {
		return nil
	}
	kind := r.ToolChoice.Type
	known, ok := choiceMembers[kind]
	if !ok {
		return refuse("tool_choice: Input tag '%s' found using 'type' does not match any of the expected tags: 'auto', "+
			"'any', 'tool', 'none'", kind)
	}
	if f := checkExtra(r.ToolChoice.raw, known, "tool_choice."+kind+"."); f != nil {
		return f
	}
	named := slices.ContainsFunc(r.Tools, func(t tool) bool { return t.Name == r.ToolChoice.Name })
	switch {
	case len(r.Tools) == 0:
		return refuse("tool_choice may only be specified while providing tools.")
	case kind == "tool" && r.ToolChoice.Name == "":
		return refuse("tool_choice.tool.name: Field required")
	case kind == "tool" && !named:
		return refuse("Tool '%s' not found in provided tools", r.ToolChoice.Name)
	}
	return r.checkRules(choiceRules)
}

func checkOutputFormat(r *Request) *core.Refusal {
	if f := checkExtra(jsondoc.Members(r.raw["output_config"]), []string{"effort", "format"}, "output_config."); f != nil {
		return f
	}
	if r.Output == nil || r.Output.Format == nil {
		return nil
	}
	f := r.Output.Format
	if f.Type != "json_schema" {
		return refuse("output_config.format.type: Input should be 'json_schema'")
	}
	known := []string{"type", "schema"}
	given := jsondoc.Members(jsondoc.Members(r.raw["output_config"])["format"])
	if bad := checkExtra(given, known, "output_config.format."); bad != nil {
		return bad
	}
	if jsondoc.IsNull(f.Schema) {
		return refuse("output_config.format.schema: Field required")
	}
	if why := schema.CheckClosed(f.Schema); why != "" {
		return refuse("output_config.format.schema: %s", why)
	}
	return nil
}

// checkCacheMarks: at most four. Source: anthropic-sdk-go v2.15.0, message.go;
// anthropics/skills, prompt-caching.md; read 2026-11-30.
func checkCacheMarks(r *Request) *core.Refusal {
	n := 0
	for _, part := range []string{"tools", "system", "messages", "cache_control"} {
		n += strings.Count(string(r.raw[part]), `"cache_control"`)
	}
	if r.raw["cache_control"] != nil {
		n++
	}
	if n > 4 {
		return refuse("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	return nil
}
