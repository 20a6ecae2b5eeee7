package sim

import (
	"net/http"
	"slices"
	"strings"
)

// perplexityPersona has no tools. Source: maruel/genai,
// providers/perplexity/scoreboard.json; Perplexity, API reference, "Sonar";
// read 2026-11-30.
var perplexityPersona = &chatPersona{
	persona: &persona{idHeader: "X-Request-Id", failure: perplexityFailure},
	check:   checkPerplexity,
	thinks:  sonarThinks,
	style: chatStyle{
		thoughts:     always(thoughtsTags),
		usage:        usageEverywhere,
		crlf:         true,
		noDone:       true,
		cumulative:   true,
		callID:       func(seed string) string { return "call_" + hashed(24, seed) },
		extras:       object{"citations": []any{}, "search_results": []any{}},
		replyID:      uuidOf,
		usageDetails: addPerplexityUsage,
	},
}

func sonarThinks(r *chatRequest) bool { return strings.Contains(r.Model, "reasoning") }

// perplexityFailure answers a bad key with a page, the rest with JSON whose
// code is the status.
func perplexityFailure(f *refusal, _ string) (string, []byte) {
	switch {
	case f.body != "":
		return f.raw()
	case f.status == http.StatusUnauthorized:
		return "text/html", []byte("<html>\r\n<head><title>401 Authorization Required</title></head>\r\n" +
			"<body>\r\n<center><h1>401 Authorization Required</h1></center>\r\n</body>\r\n</html>\r\n")
	}
	f.fill(openaiWords(f.status))
	return document(object{"error": object{"message": f.message, "type": f.typ, "code": f.status}})
}

func checkPerplexity(r *chatRequest) *refusal {
	switch e := r.effort(); {
	case r.has("tools") || r.has("tool_choice"):
		return bad("", "", "Tool calling is not supported for this model")
	case r.Model != "" && !strings.HasPrefix(r.Model, "sonar"):
		f := bad("", "", "Invalid model '%s'. Permitted models can be found in the documentation.", r.Model)
		f.typ = "invalid_model"
		return f
	case !slices.Contains([]string{"text", "json_schema", "regex"}, r.format()):
		return bad("", "", "response_format: Input should be 'text', 'json_schema' or 'regex'")
	case e != "" && !slices.Contains([]string{"minimal", "low", "medium", "high"}, e):
		return bad("", "", "reasoning_effort: Input should be 'minimal', 'low', 'medium' or 'high'")
	}
	return nil
}

func addPerplexityUsage(doc object, _ Usage) {
	doc["search_context_size"] = "low"
	doc["cost"] = object{"total_cost": 0.005}
}
