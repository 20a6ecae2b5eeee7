package aki

import (
	"strings"

	"github.com/sabir-go/sabir/internal/rawjson"
	"github.com/sabir-go/sabir/internal/wire"
)

// result is the one object that the wire answers with.
// Source: aki.io/docs, "LLM Chat Response", read 2026-11-30.
type result struct {
	success   bool   // it says so
	failed    bool   // it says that it isn't
	told      bool   // it has words where only failures have some
	text      []byte // raw: a string, or an object with thinking and content
	id, model string
	// Counts of tokens; context is prompt and answer, most what it can hold.
	prompt, generated, context, most int
}

func readResult(s *rawjson.Scanner) result {
	var r result
	for key := range s.Members() {
		switch string(key) {
		case "success":
			r.success = isTrue(s)
			r.failed = !r.success
		case "text":
			if k := s.Kind(); k == rawjson.String || k == rawjson.Object {
				r.text = s.Raw()
			}
		case "job_id":
			r.id = string(s.Bytes())
		case "model_name":
			r.model = string(s.Bytes())
		case "prompt_length":
			r.prompt = wire.Count(s)
		case "num_generated_tokens":
			r.generated = wire.Count(s)
		case "current_context_length":
			r.context = wire.Count(s)
		case "max_seq_len":
			r.most = wire.Count(s)
		case "error", "errors", "message", "detail":
			switch string(s.Raw()) {
			case "null", `""`, "[]", "{}":
			default:
				r.told = true
			}
		}
	}
	return r
}

// isTrue reads a flag; the documentation calls it a string, its example has a
// boolean.
func isTrue(s *rawjson.Scanner) bool {
	if s.Kind() == rawjson.String {
		return strings.EqualFold(string(s.Bytes()), "true")
	}
	return s.Bool()
}
