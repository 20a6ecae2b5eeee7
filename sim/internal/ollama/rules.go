package ollama

import (
	"github.com/sabir-go/sabir/sim/internal/core"
	"github.com/sabir-go/sabir/sim/internal/jsondoc"
	"github.com/sabir-go/sabir/sim/internal/models"
)

// modelRules: source: ollama/ollama, server/routes.go and docs/api/errors.mdx,
// state of 2026-08-21; recordings with 0.17.4; read 2026-11-30. What a model can
// do is told by its template.
var modelRules = []core.Rule{
	{
		Has: "think", Values: []string{"true", "false", `"low"`, `"medium"`, `"high"`, `"max"`},
		Message: `invalid think value: {value} (must be "high", "medium", "low", "max", true, or false)`,
	},
	{Has: "think thoughtless", Values: []string{"false"}, Message: `"{model}" does not support thinking`},
	{Has: "tools toolless", Message: `"{model}" does not support tools`},
}

// checkModel holds the request against the rows, whose words are:
//   - think: as it was sent;
//   - tools: there is at least one;
//   - thoughtless, toolless: the model can't think, or takes no tools.
func checkModel(r *request) *core.Refusal {
	t := core.Traits{}
	if !jsondoc.IsNull(r.Think) {
		t["think"] = string(r.Think)
	}
	t.Add("tools", len(r.Tools) > 0)
	t.Add("thoughtless", !models.OllamaCanThink(r.Model))
	t.Add("toolless", !models.OllamaTakesTools(r.Model))
	return core.CheckRules(modelRules, nil, r.Model, t)
}
