package chat

import (
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
)

// listTraits lists what rules can ask about: the members that aren't null, with
// their values, and
//   - tools: there is at least one;
//   - forced: a call must come;
//   - thinking: the model thinks;
//   - json: the answer must be JSON, of a schema or not;
//   - format: the type of response_format, text where it is left out;
//   - thinking.type.
func (r *request) listTraits() core.Traits {
	t := core.Traits{}
	for name, raw := range r.raw {
		if text, ok := jsondoc.Text(raw); ok {
			t[name] = text
		} else if !jsondoc.IsNull(raw) {
			t[name] = string(raw)
		}
	}
	if r.Model == "" {
		delete(t, "model")
	}
	for _, name := range []string{"tools", "stop", "thinking", "reasoning_effort", "reasoning_format"} {
		delete(t, name)
	}
	for name, value := range map[string]string{"reasoning_effort": r.effort(), "reasoning_format": r.ReasoningFormat} {
		if value != "" {
			t[name] = value
		}
	}
	if r.Thinking != nil {
		t["thinking.type"] = r.Thinking.Type
	}
	t["format"] = r.formatType()
	t.Add("tools", len(r.Tools) > 0)
	t.Add("stop", len(readStops(r.Stop)) > 0)
	t.Add("forced", r.choice.IsForced())
	t.Add("thinking", r.persona.thinks(r))
	t.Add("json", t["format"] == "json_object" || t["format"] == "json_schema")
	return t
}

func (r *request) checkRules(rules []core.Rule) *core.Refusal {
	return core.CheckRules(rules, r.facts, r.Model, r.listTraits())
}
