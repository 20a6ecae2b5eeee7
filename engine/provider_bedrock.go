package engine

import (
	"slices"

	"github.com/sabir-go/sabir/toolchoice"
	"github.com/sabir-go/sabir/tools/schema"
)

// Bedrock speaks the Converse API of Amazon Bedrock. What a model takes depends
// on its family. There is no none: the tools are left out, or, where the history
// holds calls, kept, and calls in the reply are refused.
type Bedrock struct{ core }

// NewBedrock returns an engine for Amazon Bedrock. Config.Region defaults to
// $AWS_REGION. The key is a Bedrock API key, by default
// $AWS_BEARER_TOKEN_BEDROCK; with Config.Sign requests are signed instead: see
// the module github.com/sabir-go/sabir/aws.
func NewBedrock(cfg Config) *Bedrock { return &Bedrock{newCore(bedrock, cfg)} }

// Source: aws-sdk-go-v2, service/bedrockruntime v1.63.13 (Converse: parameters,
// tool choice for which families, outputConfig); vercel/ai,
// packages/amazon-bedrock/src (5.0.101: definitions wanted when the history has
// calls; forcing beside thinking); read 2026-11-30.
var bedrock = Profile{
	Name:    "bedrock",
	BaseURL: "https://bedrock-runtime.{region}.amazonaws.com",
	Auth:    Bearer("AWS_BEARER_TOKEN_BEDROCK"),
	Region:  Place{Env: "AWS_REGION"},
	Dialect: BedrockConverse,
	Tools:   toolchoice.Bedrock,
	Schemas: schema.Anthropic,
	Can: Streaming | ToolUse | CallsNeedTools | Images | ResultImages | Files |
		Temperature | TopP | Stop | Metadata,
	Choice:  ChoiceSupport{Auto: Native, Any: Unknown, None: Emulated, Named: Unknown},
	Models:  bedrockModels(),
	Quirks:  Quirks{NoResultStatus: true},
	Example: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
}

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
