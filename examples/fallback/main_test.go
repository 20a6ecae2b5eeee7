package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"testing"

	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	first := enginetest.New(enginetest.Fails(503, "down for maintenance"))
	second := enginetest.New(enginetest.Says("In Ghent."), enginetest.Says("In Gent."))
	var out bytes.Buffer
	if err := answer(t.Context(), &out, first, second); err != nil {
		t.Fatal(err)
	}
	want := `openai-compatible: In Ghent.
- passed over openai-compatible: overloaded (503): down for maintenance
openai-compatible: In Gent.
- passed over openai-compatible: overloaded: the breaker is open; failures in a row: 1, the last: overloaded (503): down for maintenance
`
	if out.String() != want || len(first.Sent()) != 1 {
		t.Errorf("%d requests to the first; printed\n%s\nwant\n%s", len(first.Sent()), out.String(), want)
	}
}

// TestOnSimulator: as it runs without a key.
func TestOnSimulator(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := demo.Simulate(&out, "openai", "gpt-4.1", func(ctx context.Context, w io.Writer, eng engine.Engine) error {
		return answer(ctx, w, down(), eng)
	}); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^openai: .+
- passed over anthropic: network error: 127\.0\.0\.1:1: .+
openai: .+
- passed over anthropic: overloaded: the breaker is open; .+
$`)
	if !want.MatchString(out.String()) {
		t.Errorf("printed\n%s", out.String())
	}
}
