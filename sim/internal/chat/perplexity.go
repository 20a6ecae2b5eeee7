package chat

import (
	"net/http"

	"github.com/sabir-go/sabir/internal/claims"
	"github.com/sabir-go/sabir/sim/internal/core"
)

// Perplexity has no tools. Source: maruel/genai,
// providers/perplexity/scoreboard.json; Perplexity, API reference, "Sonar";
// read 2026-11-30.
var Perplexity = &Persona{
	Persona: &core.Persona{IDHeader: "X-Request-Id", Failure: encodePerplexityFailure},
	check:   checkPerplexity,
	engine:  "perplexity",
	thinks:  sonarThinks,
	style: style{
		thoughts:     alwaysAt(thoughtsTags),
		usage:        usageEverywhere,
		crlf:         true,
		noDone:       true,
		cumulative:   true,
		callID:       func(seed string) string { return "call_" + core.MakeID(24, seed) },
		extras:       object{"citations": []any{}, "search_results": []any{}},
		replyID:      formatUUID,
		usageDetails: addPerplexityUsage,
	},
}

func sonarThinks(r *request) bool { return r.facts.Is(claims.Thinks) == "always" }

// encodePerplexityFailure answers a bad key with a page, the rest with JSON whose
// code is the status.
func encodePerplexityFailure(f *core.Refusal, _ string) (string, []byte) {
	switch {
	case f.Body != "":
		return f.ScriptedBody()
	case f.Status == http.StatusUnauthorized:
		return "text/html", []byte("<html>\r\n<head><title>401 Authorization Required</title></head>\r\n" +
			"<body>\r\n<center><h1>401 Authorization Required</h1></center>\r\n</body>\r\n</html>\r\n")
	}
	f.FillWords(core.OpenAIWords(f.Status))
	return core.EncodeDocument(object{"error": object{"message": f.Message, "type": f.Type, "code": f.Status}})
}

// perplexityRules: source: Perplexity, API reference, "Sonar";
// perplexityai/perplexity-py, types/chat/completion_create_params.py; read
// 2026-11-30.
var perplexityRules = []core.Rule{
	{
		Has: "model", Except: "sonar*", Type: "invalid_model",
		Message: "Invalid model '{model}'. Permitted models can be found in the documentation.",
	},
	{
		Has: "format", Values: []string{"text", "json_schema", "regex"},
		Message: "response_format: Input should be 'text', 'json_schema' or 'regex'",
	},
	{
		Has: "reasoning_effort", Claim: claims.Efforts, Test: core.LacksValue,
		Message: "reasoning_effort: Input should be 'minimal', 'low', 'medium' or 'high'",
	},
}

func checkPerplexity(r *request) *core.Refusal {
	if r.hasMember("tools") || r.hasMember("tool_choice") {
		return core.RefuseParam("", "", "Tool calling is not supported for this model")
	}
	return r.checkRules(perplexityRules)
}

func addPerplexityUsage(doc object, _ core.Usage) {
	doc["search_context_size"] = "low"
	doc["cost"] = object{"total_cost": 0.005}
}
