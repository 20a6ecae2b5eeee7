package engine

import (
	"slices"

	"github.com/sabir-go/sabir/engine/profile"
)

var bedrockMistral = profile.Quirks{ShortToolIDs: true, NoResultStatus: true}

var bedrockForced = profile.ChoiceSupport{Auto: profile.Native, Any: profile.Native, None: profile.Emulated, Named: profile.Native}

// bedrockModels are Claude's rules under the names that Bedrock gives them, and
// the other families'.
func bedrockModels() []profile.ModelRule {
	rules := make([]profile.ModelRule, 0, len(claudeModels)+5)
	for _, r := range claudeModels {
		if slices.Contains(r.Match, "*") {
			r.Match = []string{"claude*"}
		}
		match := make([]string, len(r.Match))
		for i, m := range r.Match {
			match[i] = "*anthropic." + m
		}
		r.Match, r.Choice, r.Quirks = match, &bedrockForced, &profile.Quirks{}
		r.Add, r.Drop = r.Add|(profile.ParallelSwitch|profile.JSONSchema|profile.SchemaWithTools|profile.CacheMarks|profile.StrictTools)&^r.Drop, r.Drop&sampling
		if r.Guard != profile.GuardAlways { // stricter than on the Claude API
			r.Guard = profile.GuardThinking
		}
		rules = append(rules, r)
	}
	anyOnly := profile.ChoiceSupport{Auto: profile.Native, Any: profile.Native, None: profile.Emulated, Named: profile.Refused}
	autoOnly := profile.ChoiceSupport{Auto: profile.Native, Any: profile.Refused, None: profile.Emulated, Named: profile.Refused}
	return append(rules,
		profile.ModelRule{Match: []string{"*amazon.nova*"}, Choice: &bedrockForced, Guard: profile.GuardNever, Thinking: &thinksNever, Quirks: &profile.Quirks{}},
		profile.ModelRule{Match: []string{"*mistral.mistral-large*"}, Choice: &anyOnly, Guard: profile.GuardNever, Thinking: &thinksNever, Quirks: &bedrockMistral},
		profile.ModelRule{Match: []string{"*mistral.*"}, Choice: &autoOnly, Thinking: &thinksNever, Quirks: &bedrockMistral},
		profile.ModelRule{Match: []string{"*deepseek.v3*"}, Choice: &anyOnly},
		profile.ModelRule{Match: []string{"*meta.llama*"}, Choice: &autoOnly, Thinking: &thinksNever},
	)
}
