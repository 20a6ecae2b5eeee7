package mcp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a server gets: to end by itself once its input is closed, and again
// once it was told to; to hand over its last words when it has ended; to read
// what is written to it.
const (
	graceExit  = 2 * time.Second
	graceDrain = time.Second
	graceWrite = 30 * time.Second
)

// errUnsent marks a message of which nothing was written.
var errUnsent = errors.New("not sent")

// process is a server that was started. The SDK's own transport isn't used: it
// doesn't bound writes, it holds up every other call of the connection while it
// waits for the exit, and it doesn't say how the process ended.
type process struct {
	cmd  *exec.Cmd
	in   *os.File // its standard input, our end
	out  *os.File // its standard output, our end
	done chan struct{}
	err  error // how it ended; to be read after done
}

func startProcess(c *Config) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	// It lives as long as the session, not as the context.
	cmd := exec.Command(c.Command[0], c.Command[1:]...) //nolint:gosec,noctx // the caller's own command; see above
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, append(baseEnv(), c.Env...), graceDrain
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, c.Stderr
	err = cmd.Start()
	_, _ = childIn.Close(), childOut.Close() // the child has its own
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	p := &process{cmd: cmd, in: in, out: out, done: make(chan struct{})}
	go p.awaitExit()
	return p, nil
}

// awaitExit reaps the process. Its output ends with it even if a child of its
// own holds the pipe open.
func (p *process) awaitExit() {
	p.err = p.cmd.Wait()
	close(p.done)
	time.AfterFunc(graceDrain, func() { _ = p.out.Close() })
}

func (p *process) newTransport(maxLine int) sdk.Transport {
	return &sdk.IOTransport{Reader: p.out, Writer: (*stdin)(p), MaxLineLength: maxLine}
}

// stop ends the process: by closing its input, then by a signal, then by force.
// It returns when the process has ended.
func (p *process) stop() {
	_ = p.in.Close()
	if p.hasEnded(graceExit) {
		return
	}
	if p.cmd.Process.Signal(syscall.SIGTERM) == nil && p.hasEnded(graceExit) {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.done
}

func (p *process) hasEnded(within time.Duration) bool {
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// describeExit says how the process ended; "" while it runs.
func (p *process) describeExit() string {
	if !p.hasEnded(graceDrain) {
		return ""
	}
	return p.cmd.ProcessState.String()
}

// stdin is a process's input. A server that doesn't read can't hold up a call
// for ever.
type stdin process

func (s *stdin) Write(b []byte) (int, error) {
	_ = s.in.SetWriteDeadline(time.Now().Add(graceWrite)) // not on every system
	n, err := s.in.Write(b)
	if err != nil && n == 0 {
		err = fmt.Errorf("%w: %w", errUnsent, err)
	}
	return n, err
}

func (s *stdin) Close() error { return s.in.Close() }

// baseEnv returns what a server gets of this process's environment: the names
// that other MCP clients pass on, and language and time zone. Source:
// modelcontextprotocol/typescript-sdk, client stdio,
// DEFAULT_INHERITED_ENV_VARS, read 2026-11-30.
func baseEnv() []string {
	names := []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"}
	if runtime.GOOS == "windows" {
		names = []string{
			"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
			"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
		}
	}
	env := make([]string, 0, len(names))
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return slices.Clip(env)
}
