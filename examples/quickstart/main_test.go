package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/examples/internal/demo"
)

var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// TestEveryEngine: the same program on each engine of the catalog.
func TestEveryEngine(t *testing.T) {
	t.Parallel()
	for _, e := range engine.Catalog() {
		t.Run(e.Profile.Name, func(t *testing.T) {
			t.Parallel()
			world, err := demo.Open("")
			if err != nil {
				t.Fatal(err)
			}
			defer world.Close()
			var out bytes.Buffer
			if err := run(t.Context(), &out, world, e.Profile.Name, ""); err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(out.String(), "\n\n")
			if !strings.HasPrefix(first, e.Profile.Name+` called get_weather({"city":"Ghent"})`) || !strings.Contains(first, "rain in Ghent") {
				t.Errorf("printed\n%s", first)
			}
		})
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	world, err := demo.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	var out bytes.Buffer
	if err := run(t.Context(), &out, world, "anthropic", "claude-sonnet-4-5"); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := port.ReplaceAll(out.Bytes(), []byte("127.0.0.1:port")); !bytes.Equal(got, want) {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
