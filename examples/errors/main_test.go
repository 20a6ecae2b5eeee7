package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/sim"
)

func TestRun(t *testing.T) {
	t.Parallel()
	server, err := sim.Start(sim.Options{Turns: []sim.Turn{sim.Fails(529, "Overloaded"), sim.Says("hello")}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var out bytes.Buffer
	if err := run(t.Context(), &out, server.BaseURL("anthropic")); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "not with extended thinking") ||
		lines[1] != "later: 529 overloaded_error 0s" || lines[2] != "hello" {
		t.Errorf("printed\n%s", out.String())
	}
	if n := len(server.Requests()); n != 2 {
		t.Errorf("%d requests were sent, want 2: the first one was refused", n)
	}
}
