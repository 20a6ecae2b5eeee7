package gemini

import (
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
)

// Fields of a request, as the errors name them.
const (
	callingField  = "tool_config.function_calling_config"
	thinkingField = "generation_config.thinking_config"
)

// Refusals by model. Source of the words: go-genai v1.77.0, types.go;
// vercel/ai, packages/google, google-language-model.ts; read 2026-11-30.
var (
	subsetRules = []core.Rule{{
		Has: "subset", Claim: claims.Subset, Test: core.LacksValue, Param: callingField + ".allowed_function_names",
		Message: "Allowed function names with function calling mode {value} are not supported for this model.",
	}}

	jsonRules = []core.Rule{
		{
			Has: "json functions", Claim: claims.JSONBesideTools, Is: "refused",
			Message: "Function calling with a response mime type: 'application/json' is unsupported",
		},
		{
			Has: "json functions mode:ANY", Claim: claims.JSONBesideForced, Is: "refused",
			Message: "Forced function calling (mode = ANY) with a response mime type: 'application/json' is unsupported",
		},
	}

	thinkingRules = []core.Rule{
		{
			Has: "thinking", Claim: claims.Thinks, Is: "never", Param: thinkingField,
			Message: "Unable to submit request because thinking is not supported by this model.",
		},
		{
			Has: "level budget", Param: thinkingField,
			Message: "You can only set one of thinking_level and thinking_budget.",
		},
		{
			Has: "level", Claim: claims.Efforts, Test: core.LacksValue, Param: thinkingField + ".thinking_level",
			Message: "Thinking level {value} is not supported for this model.",
		},
	}
)

// listTraits lists what the rules ask about:
//   - functions: there is at least one;
//   - mode, and subset where only some functions are allowed in it;
//   - json: the answer must be JSON;
//   - thinking, level, budget.
func (r *request) listTraits() core.Traits {
	t := core.Traits{}
	c := r.readCalling()
	t["mode"] = c.Mode
	if len(c.Allowed) > 0 {
		t["subset"] = c.Mode
	}
	t.Add("functions", len(r.listFunctions()) > 0)
	t.Add("json", r.Generation.MimeType == "application/json")
	if th := r.Generation.Thinking; th != nil {
		t.Add("thinking", true)
		t.Add("budget", th.Budget != nil)
		if th.Level != "" {
			t["level"] = strings.ToUpper(th.Level)
		}
	}
	return t
}

func (r *request) checkRules(rules []core.Rule) *core.Refusal {
	f := core.CheckRules(rules, r.version.Facts, r.model, r.listTraits())
	if f == nil {
		return nil
	}
	return refuseArgument(f.Param, "%s", f.Message)
}
