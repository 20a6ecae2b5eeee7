package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func TestEnrich(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := demo.Simulate(&out, "anthropic", "claude-sonnet-4-5", enrich, script...); err != nil {
		t.Fatal(err)
	}
	const want = `step 0 tool(extract_metadata)
  extract_metadata succeeded
step 1 unset
  enrich succeeded
step 2 unset
Filed: a paper of 1969 on the castle of the counts, cited 12 times.
`
	if out.String() != want {
		t.Errorf("printed %s\nwant %s", out.String(), want)
	}
}

// TestBeforeItsTime: a paper that could not be read is not looked up.
func TestBeforeItsTime(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(enginetest.Calls("extract_metadata", map[string]any{"title": 7}), enginetest.Calls("enrich", doi{"x"}), enginetest.Says("I can't read it."))
	var out bytes.Buffer
	if err := enrich(t.Context(), &out, fake); err != nil {
		t.Fatal(err)
	}
	const want = `step 0 tool(extract_metadata)
  extract_metadata invalid
step 1 unset
  enrich refused
step 2 unset
I can't read it.
`
	if out.String() != want {
		t.Errorf("printed %s\nwant %s", out.String(), want)
	}
}
