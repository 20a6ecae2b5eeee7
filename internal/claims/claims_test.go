package claims_test

import (
	"slices"
	"testing"

	"github.com/sabir-go/sabir/internal/claims"
)

func TestFormIsRight(t *testing.T) {
	t.Parallel()
	if err := claims.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"claude-opus-4-5": "claude",
		"Claude-Opus-4.5": "claude",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": "claude",
		"gpt-5.6":              "gpt",
		"GPT-4o":               "gpt",
		"ft:gpt-4.1:acme::abc": "gpt",
		"openai/gpt-oss-120b":  "gpt-oss",
		"gpt-oss:20b":          "gpt-oss",
		"o4-mini":              "o-series",
		"publishers/google/models/gemini-3-flash": "gemini",
		"Qwen/QwQ-32B": "qwen",
		"accounts/fireworks/models/kimi-k2-thinking": "kimi",
		"hf.co/NousResearch/Hermes-3-Llama-3.1-8B":   "hermes",
		"meta.llama3-3-70b-instruct-v1:0":            "llama",
		"deepseek.v3-v1:0":                           "deepseek",
		"magistral-medium-latest":                    "mistral",
		"local-model":                                "",
	} {
		if got := claims.Family(model); got != want {
			t.Errorf("Family(%q) = %q, want %q", model, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		engine, model string
		what          claims.What
		want          string
	}{
		{"anthropic", "claude-sonnet-4-5", claims.Thinks, "if_asked"},
		{"anthropic", "claude-3-5-haiku-20241022", claims.Thinks, "never"},
		{"anthropic", "claude-3-7-sonnet-latest", claims.Thinks, "if_asked"},
		{"anthropic", "claude-sonnet-5", claims.Thinks, "by_default"},
		{"anthropic", "claude-opus-5.5", claims.Thinks, "always"},
		{"anthropic", "claude-opus-50", claims.Forced, "refused"},
		{"anthropic", "claude-opus-5-6", claims.Forced, "refused"},
		{"anthropic", "claude-sonnet-4-20250514", claims.Schema, "refused"},
		{"anthropic", "claude-fable-5", claims.Forced, "taken"},
		{"anthropic", "claude-fable-5-1", claims.Forced, "refused"},
		{"anthropic", "claude-opus-4-8", claims.Forced, "refused_while_enabled"},
		{"anthropic", "claude-mythos-preview", claims.Sampling, "refused"},
		{"bedrock", "eu.anthropic.claude-opus-4-8", claims.Forced, "taken"},
		{"bedrock", "us.anthropic.claude-opus-4-6-v1:0", claims.Schema, "taken"},
		{"bedrock", "us.anthropic.claude-opus-4-7", claims.Schema, "refused"},
		{"bedrock", "deepseek.v3-v1:0", claims.Named, "refused"},
		{"bedrock", "deepseek.v3.2", claims.Named, "taken"},
		{"bedrock", "mistral.mistral-large-2407-v1:0", claims.Any, "taken"},
		{"bedrock", "amazon.nova-2-lite-v1:0", claims.Thinks, "if_asked"},
		{"openai", "gpt-5", claims.Thinks, "always"},
		{"openai", "gpt-5-2025-08-07", claims.Thinks, "always"},
		{"openai", "gpt-5-chat-latest", claims.Thinks, "never"},
		{"openai", "gpt-5.10", claims.Thinks, "by_default"},
		{"openai", "gpt-5.2-pro", claims.Off, "refused"},
		{"openai", "gpt-5.5", claims.Tools, "refused_while_thinking"},
		{"openai-responses", "gpt-5.5", claims.Tools, "taken"},
		{"openai", "gpt-6-luna", claims.Thinks, "by_default"},
		{"openai", "gpt-6.1-luna", claims.Thinks, "always"},
		{"gemini", "gemini-2.5-flash-lite", claims.Thinks, "if_asked"},
		{"gemini", "models/gemini-flash-latest", claims.JSONBesideTools, "taken"},
		{"vertex", "gemini-2.5-pro", claims.Off, "refused"},
		{"ollama", "kimi-k2:1t-cloud", claims.Schema, "refused"},
		{"openai-compatible", "moonshotai/Kimi-K2.6", claims.Forced, "refused_while_thinking"},
		{"openai-compatible", "kimi-k3", claims.Named, "refused"},
		{"openai-compatible", "Qwen/Qwen3-235B-A22B-Thinking-2507", claims.Thinks, "always"},
		{"groq", "qwen/qwen3-32b", claims.Off, "effort"},
		{"perplexity", "sonar", claims.Forced, ""},
	} {
		if got := claims.About(c.engine, c.model).Is(c.what); got != c.want {
			t.Errorf("%s of %s on %s is %q, want %q", c.what, c.model, c.engine, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	efforts, known := claims.About("openai", "gpt-4o-2024-08-06").Words(claims.Efforts)
	if !known || len(efforts) != 0 {
		t.Errorf("gpt-4o: %q, %t; want the claim that it takes none", efforts, known)
	}
	efforts, _ = claims.About("openai", "gpt-6.1-terra").Words(claims.Efforts)
	if want := []string{"none", "low", "medium", "high", "xhigh"}; !slices.Equal(efforts, want) {
		t.Errorf("gpt-6.1-terra: %q, want %q", efforts, want)
	}
	if _, known := claims.About("openai-compatible", "local-model").Words(claims.Efforts); known {
		t.Error("nothing is known of a local model's efforts")
	}
}

// TestExamples: the models that the tests look at stand under engines that
// have claims of their own.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, r := range claims.Rows() {
		for _, engine := range r.On {
			if len(claims.Models(engine)) == 0 {
				t.Errorf("%s has claims, but no examples", engine)
			}
		}
		if s := claims.SourceOf(r); s.Title == "" || s.Read == "" {
			t.Errorf("no source of %+v", r)
		}
	}
	if claims.Knows("nobody") || !claims.Knows("anthropic") || claims.Models("nobody") != nil {
		t.Error("Knows and Models: an engine is known by its rows")
	}
}
