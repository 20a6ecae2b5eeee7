package engine

import "slices"

var bedrockMistral = Quirks{ShortToolIDs: true, NoResultStatus: true}

var bedrockForced = ChoiceSupport{Auto: Native, Any: Native, None: Emulated, Named: Native}

// bedrockModels are Claude's rules under the names that Bedrock gives them, and
// the other families'.
func bedrockModels() []ModelRule {
	rules := make([]ModelRule, 0, len(claudeModels)+5)
	for _, r := range claudeModels {
		if slices.Contains(r.Match, "*") {
			r.Match = []string{"claude*"}
		}
		match := make([]string, len(r.Match))
		for i, m := range r.Match {
			match[i] = "*anthropic." + m
		}
		r.Match, r.Choice, r.Quirks = match, &bedrockForced, &Quirks{}
		r.Add, r.Drop = r.Add|(ParallelSwitch|JSONSchema|SchemaWithTools|CacheMarks|StrictTools)&^r.Drop, r.Drop&sampling
		if r.Guard != GuardAlways { // stricter than on the Claude API
			r.Guard = GuardThinking
		}
		rules = append(rules, r)
	}
	anyOnly := ChoiceSupport{Auto: Native, Any: Native, None: Emulated, Named: Refused}
	autoOnly := ChoiceSupport{Auto: Native, Any: Refused, None: Emulated, Named: Refused}
	return append(rules,
		ModelRule{Match: []string{"*amazon.nova*"}, Choice: &bedrockForced, Guard: GuardNever, Thinking: &thinksNever, Quirks: &Quirks{}},
		ModelRule{Match: []string{"*mistral.mistral-large*"}, Choice: &anyOnly, Guard: GuardNever, Thinking: &thinksNever, Quirks: &bedrockMistral},
		ModelRule{Match: []string{"*mistral.*"}, Choice: &autoOnly, Thinking: &thinksNever, Quirks: &bedrockMistral},
		ModelRule{Match: []string{"*deepseek.v3*"}, Choice: &anyOnly},
		ModelRule{Match: []string{"*meta.llama*"}, Choice: &autoOnly, Thinking: &thinksNever},
	)
}
