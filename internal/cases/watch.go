package cases

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// markKey labels the goroutines of a run, which their children inherit: so
// runs side by side are told apart.
const markKey = "sabir-case"

var marks atomic.Int64

func newMark() string { return fmt.Sprintf("run-%d", marks.Add(1)) }

// goneAfter is how long after start no goroutine with the mark was left; about
// the limit if some stayed.
func goneAfter(mark string, start time.Time, limit time.Duration) time.Duration {
	for end := start.Add(limit); countMarked(mark) > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond) // each look stops the world
	}
	return time.Since(start)
}

// countMarked counts the goroutines with a mark.
func countMarked(mark string) int {
	var b bytes.Buffer
	if pprof.Lookup("goroutine").WriteTo(&b, 1) != nil {
		return 0
	}
	total, group := 0, 0
	for line := range strings.Lines(b.String()) {
		if n, rest, ok := strings.Cut(line, " @ "); ok && rest != "" {
			group, _ = strconv.Atoi(n) // the profile's header line has no @
		}
		if strings.HasPrefix(line, "# labels:") && strings.Contains(line, strconv.Quote(mark)) {
			total += group
		}
	}
	return total
}

// logs is all that was logged by way of the standard library since the first
// run.
type logs struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write implements io.Writer.
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// theLogs takes over slog, and with it the log package.
var theLogs = sync.OnceValue(func() *logs {
	l := new(logs)
	slog.SetDefault(slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})))
	return l
})

// captureLogs returns a function that gives what was logged so far. Runs side
// by side share it.
func captureLogs() func() string {
	l := theLogs()
	return func() string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.b.String()
	}
}
