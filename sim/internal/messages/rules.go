package messages

import (
	"strings"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// Refusals by model. Source of the words: Anthropic, "Thinking", "Effort" and
// the migration guides; BerriAI/litellm#27074; read 2026-12-01.
var (
	effortRules = []core.Rule{
		{
			Has: "effort", Values: strings.Fields("low medium high xhigh max"),
			Message: "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
		},
		{
			Has: "effort", Claim: claims.Efforts, Test: core.ListsNothing,
			Message: "This model does not support the effort parameter.",
		},
		{
			Has: "effort", Claim: claims.Efforts, Test: core.LacksValue,
			Message: "This model does not support effort level '{value}'. Supported levels: {values}.",
		},
	}

	samplingRules = []core.Rule{{
		Has: "temperature top_p", Claim: claims.SamplingPair, Is: "refused",
		Message: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
	}}

	choiceRules = []core.Rule{
		{
			Has: "forced", Claim: claims.Forced, Is: "refused",
			Message: "tool_choice forces tool use is not compatible with this model",
		},
		{Has: "forced thinking:enabled", Message: "Thinking may not be enabled when tool_choice forces tool use."},
	}

	prefillRules = []core.Rule{
		{
			Has: "prefill", Claim: claims.Prefill, Is: "refused",
			Message: "This model does not support assistant message prefill. The conversation must end with a user message.",
		},
		{
			Has:     "prefill thought",
			Message: "This model does not support assistant message prefill. The conversation must end with a user message.",
		},
	}
)

// listTraits lists what the rules ask about:
//   - effort, temperature, top_p;
//   - thinking: the type of thinking;
//   - thought: the model thinks before it answers;
//   - forced: a call must come;
//   - prefill: the last turn is the assistant's.
func (r *Request) listTraits() core.Traits {
	t := core.Traits{}
	if e := r.effort(); e != "" {
		t["effort"] = e
	}
	if r.Thinking != nil {
		t["thinking"] = r.Thinking.Type
	}
	t.Add("temperature", !jsondoc.IsNull(r.raw["temperature"]))
	t.Add("top_p", !jsondoc.IsNull(r.raw["top_p"]))
	t.Add("thought", r.thinks())
	t.Add("forced", r.ReadChoice().IsForced())
	t.Add("prefill", len(r.Messages) > 0 && r.Messages[len(r.Messages)-1].Role == "assistant")
	return t
}

func (r *Request) checkRules(rules []core.Rule) *core.Refusal {
	f := core.CheckRules(rules, r.claude.Facts, r.Model, r.listTraits())
	if f != nil {
		f.Type = "invalid_request_error"
	}
	return f
}
