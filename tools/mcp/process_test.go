//go:build unix

package mcp_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sabir-go/sabir/tools"
	"github.com/sabir-go/sabir/tools/mcp"
)

// running reports whether the process with that id is there. One that has ended
// but wasn't waited for is still there.
func running(t *testing.T, pid string) bool {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	return syscall.Kill(n, 0) == nil
}

func TestProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := mcp.Connect(t.Context(), mcp.Config{Command: program(dir), Env: []string{"MINE=1"}})
	if err != nil {
		t.Fatal(err)
	}
	set := setOf(t, s)
	if got := run(t.Context(), set, "note", `{"arg":"a"}`); got != "noted" {
		t.Errorf("note: %q", got)
	}
	pid := traces(t, dir, "started")[0]
	if !running(t, pid) {
		t.Error("the program has ended before the session")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if running(t, pid) {
		t.Error("the program runs on, or was not waited for")
	}
	if got := run(t.Context(), set, "note", `{"arg":"b"}`); !strings.Contains(got, "session closed") {
		t.Errorf("after Close: %q", got)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestProgramsEnvironment: a key of ours is none of the server's business.
func TestProgramsEnvironment(t *testing.T) {
	t.Setenv("SOME_API_KEY", "secret")
	set := setOf(t, open(t, mcp.Config{Command: program(t.TempDir()), Env: []string{"MINE=1"}}))
	got := run(t.Context(), set, "env", `{}`)
	if strings.Contains(got, "secret") || !strings.Contains(got, "PATH=") || !strings.Contains(got, "MINE=1") {
		t.Errorf("the program sees %s", got)
	}
}

func TestProgramsThatDontStart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		command []string
		want    string
	}{
		"no such program": {[]string{"/no/such/program"}, "program: connect: fork/exec /no/such/program: no such file"},
		"ends at once":    {program(t.TempDir(), "broken"), "connect: the server ended: exit status 4"},
		"says hello":      {program(t.TempDir(), "noisy"), "connect: what the server wrote can't be read: invalid character 'S'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr strings.Builder
			_, err := mcp.Connect(t.Context(), mcp.Config{Command: tt.command, Stderr: &stderr})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if strings.Contains(tt.want, "exit") && !strings.Contains(stderr.String(), "database") {
				t.Errorf("stderr %q", stderr.String())
			}
		})
	}
}

// TestProgramThatDies: a call that changes something is not made twice, one that
// only reads is.
func TestProgramThatDies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tool    string
		options func() tools.Options
		want    string
		calls   int
	}{
		"changes something":     {"die", nil, "outcome unknown: the server ended: exit status 3", 1},
		"only reads":            {"die_reading", nil, "survived", 2},
		"the caller knows more": {"die", func() tools.Options { return tools.Options{} }, "survived", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, seen := t.TempDir(), newEvents()
			cfg := mcp.Config{Command: program(dir), OnEvent: seen.add}
			if tt.options != nil {
				cfg.Options = func(*sdkTool) tools.Options { return tt.options() }
			}
			set := setOf(t, open(t, cfg))
			if got := run(t.Context(), set, tt.tool, `{"arg":"x"}`); !strings.Contains(got, tt.want) {
				t.Errorf("result %q, want %q", got, tt.want)
			}
			if n := len(traces(t, dir, "died")); n != tt.calls {
				t.Errorf("the tool ran %d times, want %d", n, tt.calls)
			}
			if got := run(t.Context(), set, "note", `{"arg":"y"}`); got != "noted" {
				t.Errorf("the call after it: %q", got)
			}
			seen.wait(t, is[mcp.Lost])
			seen.wait(t, is[mcp.Reconnected])
			if n := len(traces(t, dir, "started")); n != 2 {
				t.Errorf("%d programs were started, want 2", n)
			}
		})
	}
}

// TestOutcomeUnknownStops: whoever stops on errors can tell this one.
func TestOutcomeUnknownStops(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Config{Command: program(t.TempDir()), Options: func(*sdkTool) tools.Options {
		return tools.Options{SideEffects: true, OnError: tools.Stop}
	}})
	_, err := setOf(t, s).Run(t.Context(), calls("die", `{"arg":"x"}`))
	if !errors.Is(err, mcp.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
}

// TestProgramThatLeft: a call that finds nobody is made on a new connection.
func TestProgramThatLeft(t *testing.T) {
	t.Parallel()
	dir, seen := t.TempDir(), newEvents()
	set := setOf(t, open(t, mcp.Config{Command: program(dir), OnEvent: seen.add}))
	_ = run(t.Context(), set, "leave", `{}`)
	seen.wait(t, is[mcp.Lost])
	if got := run(t.Context(), set, "note", `{"arg":"once"}`); got != "noted" {
		t.Errorf("result %q", got)
	}
	if got := traces(t, dir, "noted"); len(got) != 1 {
		t.Errorf("noted %q", got)
	}
}

func TestCancelledCallReachesTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := setOf(t, open(t, mcp.Config{Command: program(dir)}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		until(t, func() bool { return len(tracesExist(dir, "hanging")) > 0 })
		cancel()
	}()
	_, err := set.Run(ctx, calls("hang", `{}`))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	until(t, func() bool { return len(tracesExist(dir, "cancelled")) > 0 })
	if got := run(t.Context(), set, "note", `{"arg":"z"}`); got != "noted" {
		t.Errorf("the call after it: %q", got)
	}
}

func TestTimeoutSaysWhatIsUnknown(t *testing.T) {
	t.Parallel()
	set := setOf(t, open(t, mcp.Config{Command: program(t.TempDir()), Options: func(*sdkTool) tools.Options {
		return tools.Options{SideEffects: true, Timeout: 50 * time.Millisecond}
	}}))
	got := run(t.Context(), set, "hang", `{}`)
	if !strings.Contains(got, "timed out after 50ms") || !strings.Contains(got, "hang may or may not have been carried out") {
		t.Errorf("result %q", got)
	}
}

// TestProgramThatGoesMute: it runs on, but nobody will hear from it again.
func TestProgramThatGoesMute(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := setOf(t, open(t, mcp.Config{Command: program(dir)}))
	if got := run(t.Context(), set, "go_mute", `{}`); !strings.Contains(got, "outcome unknown") {
		t.Errorf("result %q", got)
	}
	if got := run(t.Context(), set, "note", `{"arg":"a"}`); got != "noted" {
		t.Errorf("the call after it: %q", got)
	}
	until(t, func() bool { return !running(t, traces(t, dir, "started")[0]) })
}

// TestCloseEndsCalls: Close doesn't wait for a call that never ends.
func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, mcp.Config{Command: program(dir)})
	set := setOf(t, s)
	go func() {
		until(t, func() bool { return len(tracesExist(dir, "hanging")) > 0 })
		_ = s.Close()
	}()
	if got := run(t.Context(), set, "hang", `{}`); !strings.Contains(got, "session closed") {
		t.Errorf("result %q", got)
	}
}

// TestStubbornProgram: it is killed when it heeds nothing else.
func TestStubbornProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := mcp.Connect(t.Context(), mcp.Config{Command: program(dir, "deaf")})
	if err != nil {
		t.Fatal(err)
	}
	pid := traces(t, dir, "started")[0]
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if running(t, pid) {
		t.Error("the program runs on")
	}
}

// TestConnectGivesUp: a program that never answers is ended with the context.
func TestConnectGivesUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := mcp.Connect(ctx, mcp.Config{Command: []string{"sleep", "100"}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// TestNothingIsLeft: no goroutine of a session outlives it.
func TestNothingIsLeft(t *testing.T) { //nolint:paralleltest // it looks at all goroutines
	r := serveHTTP(t, nil, new(atomic.Int64), nil)
	for name, cfg := range map[string]mcp.Config{
		"program": {Command: program(t.TempDir()), OnEvent: func(mcp.Event) {}},
		"HTTP":    {URL: r.URL, OnEvent: func(mcp.Event) {}, ProtocolVersion: "2025-11-25"},
		"latest":  {URL: r.URL, OnEvent: func(mcp.Event) {}},
	} {
		s, err := mcp.Connect(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		_ = setOf(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		var left string
		for range 1000 {
			if left = clientGoroutines(); left == "" {
				break
			}
			time.Sleep(5 * time.Millisecond) // the SDK's own end is not to be waited for
		}
		if left != "" {
			t.Errorf("%s: left is\n%s", name, left)
		}
	}
}

// clientGoroutines are the stacks of goroutines that belong to a client.
func clientGoroutines() string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	var left []string
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		if strings.Contains(stack, "sabir/tools/mcp.") || strings.Contains(stack, "mcp.(*streamableClientConn)") || strings.Contains(stack, "mcp.newIOConn") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
