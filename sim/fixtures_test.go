package sim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// TestOfficialRequests sends what the official clients send. Those that the
// provider itself refuses are listed with the parameter or words of the
// refusal.
func TestOfficialRequests(t *testing.T) {
	t.Parallel()
	refused := map[string]string{
		"openai/request-basic.json":                       "parallel_tool_calls",         // no tools beside it
		"openai/request-json-object.json":                 "json",                        // the conversation never says JSON
		"openai-responses/request-previous-response.json": "previous_response_not_found", // nothing is kept
	}
	files, err := filepath.Glob("testdata/requests/*/*.json")
	if err != nil || len(files) < 80 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		provider := filepath.Base(filepath.Dir(file))
		name := provider + "/" + filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, stream := range []string{"", `"stream":true`} {
				switch {
				case name == "bedrock/request-basic.json": // temperature beside topP, which models of 2026 refuse
					raw = []byte(with(string(raw), model("anthropic.claude-3-7-sonnet-20250219-v1:0")))
				case provider == "bedrock":
					raw = []byte(with(string(raw), model("anthropic.claude-opus-4-6-v1")))
				}
				if strings.Contains(string(raw), `"stream":`) {
					stream = ""
				}
				a := post(t, sim.New(sim.Options{}), provider, with(string(raw), stream))
				words := refused[name]
				switch {
				case words == "" && a.status != 200:
					t.Errorf("status %d: %s", a.status, a.body)
				case words != "" && (a.status < 400 || a.status > 404 || !strings.Contains(a.body, words)):
					t.Errorf("want a refusal about %q, got %d: %s", words, a.status, a.body)
				}
			}
		})
	}
}
