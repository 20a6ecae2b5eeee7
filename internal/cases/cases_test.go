package cases_test

import (
	"cmp"
	"flag"
	"os"
	"testing"

	"github.com/sabir-go/sabir/internal/cases"
)

var folder = flag.String("cases", "", "run the cases of this folder; empty: $SABIR_CASES, or else testdata")

// chosen is the folder to run.
func chosen() string {
	dir := *folder
	if env, ok := os.LookupEnv("SABIR_CASES"); ok && dir == "" {
		dir = env
	}
	return cmp.Or(dir, "testdata")
}

func load(t *testing.T, dir string) []*cases.Run {
	t.Helper()
	runs, err := cases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// TestCases: every case is green.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, r := range load(t, chosen()) {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			for _, fault := range r.Do(t.Context()).Check() {
				t.Error(fault)
			}
		})
	}
}
