package main

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKilled kills the program in the middle of its second booking, and after
// it, and starts it again.
func TestKilled(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "durable")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for killedAt, want := range map[string]string{"booking a ship": "book_ship unknown", "book_ship succeeded": ""} {
		dir := t.TempDir()
		first := exec.CommandContext(t.Context(), program, "-dir", dir, "-takes", "100ms")
		out, err := first.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != killedAt; {
		}
		if err := first.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = first.Wait()
		again, err := exec.CommandContext(t.Context(), program, "-dir", dir, "-takes", "1ms").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, again)
		}
		got := string(again)
		if strings.Contains(got, "booking a train") || strings.Contains(got, "booking a ship") ||
			!strings.Contains(got, want) || !strings.Contains(got, "booked a room\n") || !strings.Contains(got, "4 steps: ") {
			t.Errorf("killed at %q, it goes on with %s", killedAt, got)
		}
	}
}
