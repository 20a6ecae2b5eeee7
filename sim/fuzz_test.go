package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

// FuzzAnyBody: whatever is sent to any endpoint, it is answered or refused.
func FuzzAnyBody(f *testing.F) {
	providers := append([]string{"openai", "anthropic", "mistral", "deepseek", "groq", "perplexity", "hermes", "aki", "ollama-openai"}, native...)
	files, err := filepath.Glob("testdata/requests/*/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(raw), uint8(i%256))
	}
	f.Fuzz(func(t *testing.T, body string, n uint8) {
		provider := providers[int(n)%len(providers)]
		for _, opts := range []sim.Options{{}, {Lenient: true}} {
			s := sim.New(opts)
			for _, model := range []string{models[provider], "us.anthropic.claude-opus-5-5-v1:0"} {
				req := request(t, s, provider, with(body, `"model":"`+model+`"`))
				if a := send(t, s, req); a.status != 200 && (a.status < 400 || a.status > 500) {
					t.Errorf("%s: %d %s", provider, a.status, a.body)
				}
			}
		}
	})
}
