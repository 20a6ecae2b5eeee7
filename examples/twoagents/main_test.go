package main

import (
	"bytes"
	"testing"

	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

func TestTwoAgents(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(
		enginetest.Calls("research", map[string]string{"task": "When was it built?"}),
		enginetest.Calls("search_archive", topic{"Gravensteen"}),
		enginetest.Says("In 1180."),
		enginetest.Says("The Gravensteen, 1180."))
	var out bytes.Buffer
	if err := write(t.Context(), &out, fake); err != nil {
		t.Fatal(err)
	}
	want := `writer calls research({"task":"When was it built?"})
  research calls search_archive: Gravensteen: built in 1180 by Philip of Alsace
The Gravensteen, 1180.
`
	if got := out.String(); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	asked := fake.Requests()
	if n := len(asked[1].Messages); n != 1 || asked[1].Messages[0].Text() != "When was it built?" {
		t.Errorf("the researcher is asked %+v", asked[1].Messages)
	}
}

// TestOnSimulator: as it runs without a key.
func TestOnSimulator(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	want := `writer calls research({"task":"Gravensteen"})
  research calls search_archive: Gravensteen: built in 1180 by Philip of Alsace
research says: search_archive says: Gravensteen: built in 1180 by Philip of Alsace
`
	if err := demo.Simulate(&out, "anthropic", "claude-sonnet-4-5", write); err != nil || out.String() != want {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := write(t.Context(), &out, enginetest.New(enginetest.Fails(401, ""))); err == nil || out.Len() > 0 {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}
