package cases

import (
	"context"
	"log"
	"log/slog"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestGoneAfter: a goroutine that stays is seen, and its children are.
func TestGoneAfter(t *testing.T) {
	t.Parallel()
	mark, stop := newMark(), make(chan struct{})
	pprof.Do(t.Context(), pprof.Labels(markKey, mark), func(context.Context) {
		go func() {
			go func() { <-stop }()
			<-stop
		}()
	})
	if wait := 100 * time.Millisecond; goneAfter(mark, time.Now(), wait) < wait {
		t.Error("two goroutines stayed, none was seen")
	}
	if got := countMarked(mark); got != 2 {
		t.Errorf("%d goroutines seen, want 2", got)
	}
	close(stop)
	if took := goneAfter(mark, time.Now(), 5*time.Second); took >= 5*time.Second {
		t.Errorf("still there after %v", took)
	}
}

// TestCaptureLogs: both of the standard library's loggers are heard.
func TestCaptureLogs(t *testing.T) {
	t.Parallel()
	logged := captureLogs()
	slog.Debug("said-by-slog")
	log.Print("said-by-log") //nolint:forbidigo // what a library must not do is what has to be heard
	for _, want := range []string{"said-by-slog", "said-by-log"} {
		if !strings.Contains(logged(), want) {
			t.Errorf("%s was not heard", want)
		}
	}
}
