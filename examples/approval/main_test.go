package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTwoProcesses runs the program as its comment says.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "approval")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for verdict, want := range map[string]string{"approve": " euro go to ", "deny": "The user said no."} {
		dir := t.TempDir()
		run := func(args ...string) string {
			out, err := exec.CommandContext(t.Context(), program, append([]string{"-dir", dir}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			return string(out)
		}
		first := run()
		id := regexp.MustCompile(`^send_money wants to run with .*; -approve (\S+) or -deny \S+\n$`).FindStringSubmatch(first)
		if id == nil {
			t.Fatalf("printed %q", first)
		}
		second := run("-"+verdict, id[1])
		if !strings.Contains(second, want) || strings.Contains(second, " euro go to ") != (verdict == "approve") {
			t.Errorf("%s: printed %q", verdict, second)
		}
		// The run has ended: another verdict on the same call is refused.
		if out, err := exec.CommandContext(t.Context(), program, "-dir", dir, "-approve", id[1]).CombinedOutput(); err == nil {
			t.Errorf("approved twice: %s", out)
		}
	}
}
