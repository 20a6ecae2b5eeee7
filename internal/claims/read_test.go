package claims

import (
	"strings"
	"testing"
)

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const head = `{"sources": {"s": {"title": "t", "read": "2026-11-30"}}, "families": [{"name": "f", "models": "f"}], "claims": [`
	for name, c := range map[string]struct{ data, want string }{
		"not JSON":         {`{`, "EOF"},
		"unknown member":   {`{"rows": []}`, "unknown field"},
		"source's day":     {`{"sources": {"s": {"title": "t", "read": "today"}}}`, "the day it was read"},
		"family's pattern": {`{"families": [{"name": "f", "models": ">5"}]}`, "can't read"},
		"row's pattern":    {head + `{"models": "<x", "what": "thinks", "is": "never", "source": "s", "sure": "high"}]}`, "can't read"},
		"unknown source":   {head + `{"what": "thinks", "is": "never", "source": "x", "sure": "high"}]}`, "unknown source"},
		"how sure":         {head + `{"what": "thinks", "is": "never", "source": "s", "sure": "very"}]}`, "high, medium or low"},
		"unknown family":   {head + `{"family": "x", "what": "thinks", "is": "never", "source": "s", "sure": "high"}]}`, "unknown family"},
		"unknown claim":    {head + `{"what": "sings", "is": "never", "source": "s", "sure": "high"}]}`, "unknown claim"},
		"unknown word":     {head + `{"what": "thinks", "is": "often", "source": "s", "sure": "high"}]}`, "is none of"},
		"words":            {head + `{"what": "thinks", "is": "never", "words": ["x"], "source": "s", "sure": "high"}]}`, "words"},
		"no words":         {head + `{"what": "efforts", "source": "s", "sure": "high"}]}`, "words"},
		"bounds":           {head + `{"what": "thinks", "is": "never", "least": 1, "source": "s", "sure": "high"}]}`, "least and most"},
		"turned bounds":    {head + `{"what": "max_tokens", "least": 2, "most": 1, "source": "s", "sure": "high"}]}`, "above most"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read([]byte(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something about %q", err, c.want)
			}
		})
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, model string
		want           bool
	}{
		{"", "anything", true},
		{"opus|sonnet >=5.5", "claude-sonnet-5-5", true},
		{"opus|sonnet >=5.5", "claude-haiku-5-5", false},
		{">=5.5", "claude-opus-5", false},
		{">=5.10", "gpt-5.9", false},
		{"=5", "gpt-5-2025-08-07", true},
		{"=5", "gpt-5.1", false},
		{"<5", "gpt-latest", false},
		{">=6", "gpt-latest", true},
		{"!oss", "gpt-oss:20b", false},
		{"=3", "qwen3-1.7b", true},
		{"=3", "qwen3-235b-a22b-thinking-2507", true},
		{"=3.3", "meta.llama3-3-70b-instruct-v1:0", true},
		{"=4.5", "anthropic.claude-opus-4-5-20251101-v1:0", true},
		{"=2", "gemini-2.0-flash-001", true},
		{"plus", "command-r-plus-08-2024", true},
		{"a plus", "command-r-plus-08-2024", false},
	} {
		p, err := parsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.matches(parseName(c.model)); got != c.want {
			t.Errorf("%q matches %s: %t, want %t (%+v)", c.pattern, c.model, got, c.want, parseName(c.model))
		}
	}
}
