package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/enginetest"
	"github.com/sabir-go/sabir/examples/internal/demo"
	"github.com/sabir-go/sabir/tools/mcp"
)

// TestLook: what a file says, and nothing of what is outside.
func TestLook(t *testing.T) {
	t.Parallel()
	fake := enginetest.New(
		enginetest.Calls("read_file", file{"poem.txt"}),
		enginetest.Calls("read_file", file{"../../etc/passwd"}),
		enginetest.Says("Roses."),
	)
	var out bytes.Buffer
	if err := lookHere(t.Context(), &out, fake); err != nil || out.String() != "Roses.\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
	var said []string
	for _, m := range fake.Requests()[2].Messages {
		for _, p := range m.Parts {
			if r, ok := p.(chat.ToolResult); ok {
				said = append(said, chat.Message{Parts: r.Parts}.Text())
			}
		}
	}
	if len(said) != 2 || said[0] != "Roses are red." || !strings.Contains(said[1], "path escapes from parent") {
		t.Errorf("the tools said %q", said)
	}
}

// TestOnSimulator: as it runs without a key.
func TestOnSimulator(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := demo.Simulate(&out, "anthropic", "claude-sonnet-4-5", lookHere); err != nil || out.String() != "list_files says: [\"poem.txt\"]\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := look(t.Context(), &out, enginetest.New(), mcp.Config{Command: []string{"/no/such/program"}}); err == nil || out.Len() > 0 {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}
