package agent_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/engine"
	"github.com/sabir-go/sabir/sim"
	"github.com/sabir-go/sabir/tools"
)

// What doc.go says that agents take, in bytes.
const (
	idleAgent  = 1 << 10
	waitingRun = 64 << 10
)

// TestThousand holds a thousand runs in the middle of a call at once. It is not
// parallel: it counts goroutines and memory.
func TestThousand(t *testing.T) { //nolint:paralleltest // it counts what the whole process has
	const agents = 1000
	server := sim.New(sim.Options{})
	model := engine.NewAnthropic(engine.Config{
		APIKey: "k", Model: "claude-sonnet-4-5", BaseURL: server.BaseURL("anthropic"),
		HTTPClient: &http.Client{Transport: server.RoundTripper()},
	})
	var inside, ended sync.WaitGroup
	open := make(chan struct{})
	set := tools.NewSet(tools.New("get_weather", "Current weather in a city.", func(ctx context.Context, in city) (string, error) {
		inside.Done()
		select {
		case <-open:
		case <-ctx.Done():
		}
		return "4 °C in " + in.City, ctx.Err()
	}))
	goroutines, before := runtime.NumGoroutine(), memory()
	inside.Add(agents)
	for range agents {
		ended.Go(func() {
			bot := agent.Agent{Model: model, Tools: set}
			for ev, err := range bot.Stream(t.Context(), hello) {
				if err != nil {
					t.Error(err)
					return
				}
				if done, ok := ev.(agent.Done); ok && !strings.Contains(done.Result.Text(), "4 °C in Ghent") {
					t.Errorf("%q", done.Result.Text())
				}
			}
		})
	}
	inside.Wait()
	waiting := (memory() - before) / agents
	close(open)
	ended.Wait()
	t.Logf("an agent takes %d bytes, a run that waits in a call %d", unsafe.Sizeof(agent.Agent{}), waiting)
	if waiting > waitingRun || unsafe.Sizeof(agent.Agent{}) > idleAgent {
		t.Errorf("more than %d and %d bytes", idleAgent, waitingRun)
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > goroutines; wait *= 2 {
		if wait > time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(wait)
	}
}

// memory is what the process has in use: heap and stacks.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
