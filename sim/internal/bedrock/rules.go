package bedrock

import (
	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// modelRules are refusals by model. Source of the words: aws-sdk-go-v2,
// bedrockruntime types.go, ToolChoice; vercel/ai, packages/amazon-bedrock;
// read 2026-11-30.
var modelRules = []core.Rule{
	{
		Has: "any", Claim: claims.Any, Is: "taken", Test: core.LacksWord,
		Message: "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try " +
			"again.",
	},
	{
		Has: "tool", Claim: claims.Named, Is: "taken", Test: core.LacksWord,
		Message: "This model doesn't support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and " +
			"try again.",
	},
	{
		Has: "textFormat other",
		Message: "This model doesn't support the outputConfig.textFormat field. Remove outputConfig.textFormat and try " +
			"again.",
	},
	{
		Has: "textFormat", Claim: claims.Schema, Is: "refused",
		Message: "This model doesn't support the outputConfig.textFormat field. Remove outputConfig.textFormat and try " +
			"again.",
	},
	{
		Has: "thinking other",
		Message: "The model returned the following errors: Malformed input request: #: extraneous key [thinking] " +
			"is not permitted, please reformat your input and try again.",
	},
	{
		Has: "forced thought", Claim: claims.Forced, Is: "refused_while_thinking",
		Message: "The model returned the following errors: Thinking may not be enabled when tool_choice forces tool use.",
	},
}

// checkModel holds the request against the rows, whose words are:
//   - any and tool: the kind of choice, and forced for either;
//   - textFormat: an output format;
//   - thinking: the member of the additional fields; thought: the model thinks;
//   - other: the model isn't Claude.
func checkModel(r *request) *core.Refusal {
	t := core.Traits{}
	if r.ToolConfig != nil {
		for kind := range r.ToolConfig.Choice {
			t.Add(kind, true)
		}
	}
	t.Add("forced", r.translated.ReadChoice().IsForced())
	t.Add("textFormat", r.Output.TextFormat != nil)
	t.Add("thinking", !jsondoc.IsNull(r.Additional["thinking"]))
	t.Add("other", !r.family.Claude)
	if on := r.translated.Thinking; on != nil {
		t.Add("thought", on.Type != "disabled")
	} else {
		t.Add("thought", models.FindClaude(r.translated.Model).ByDefault)
	}
	f := core.CheckRules(modelRules, r.family.Facts, r.model, t)
	if f == nil {
		return nil
	}
	return refuse("%s", f.Message)
}
