package agent_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// TestNestedNamesAreShort: as deep as runs can be inside of each other, and
// whatever ids the provider gives to calls, their names fit a file system.
func TestNestedNamesAreShort(t *testing.T) {
	t.Parallel()
	runs := 0
	bot := &agent.Agent{Model: replies(func(_ context.Context, req *chat.Request) (*chat.Reply, error) {
		if len(req.Messages) > 1 {
			return text("ok"), nil
		}
		runs++
		r := calls(`again {"task":"x"}`)
		c := r.ToolCalls()[0]
		c.ID = strings.Repeat("call ", 60)
		r.Parts[0] = c
		return r, nil
	})}
	bot.Tools = tools.NewSet(agent.AsTool("again", "", bot))
	outer := *bot
	store := agent.FileStore{Dir: t.TempDir()}
	outer.Store, outer.RunID = store, "a run with quite a long name"
	if _, err := outer.Run(t.Context(), hello); err != nil || runs != 9 {
		t.Errorf("%d runs, %v", runs, err)
	}
	keptFiles(t, store, 9)
	if names, err := store.Runs(); err != nil || len(names) != 1 {
		t.Errorf("%q, %v", names, err)
	}
	for _, other := range []string{"a run with quite a long", outer.RunID + "/b", outer.RunID + "b"} {
		if err := store.Save(t.Context(), other+"/ABCDEFGH/0/0", []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Remove(outer.RunID); err != nil {
		t.Fatal(err)
	}
	keptFiles(t, store, 3)
}

// TestNestedNamesDiffer: calls of one reply with the same id, which only a model
// of the caller's own can give, are not taken for each other.
func TestNestedNamesDiffer(t *testing.T) {
	t.Parallel()
	reply := calls(`ask {"task":"a"}`, `ask {"task":"b"}`)
	for i, c := range reply.ToolCalls() {
		c.ID = "c"
		reply.Parts[i] = c
	}
	bot := agent.Agent{
		Model: scripted(reply, text("fine")), Tools: tools.NewSet(agent.AsTool("ask", "", echo("!"))),
		Store: &agent.MemoryStore{}, RunID: "run",
	}
	bot.Tools.MaxParallel = 1
	result, err := bot.Run(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a!", "b!"} {
		if got := said(result.Steps[0].Calls[i]); got != want {
			t.Errorf("call %d gives %q, want %q", i, got, want)
		}
	}
}

// TestNestedNamesOfResumedRuns: a run that is stored from its middle on does not
// find what was inside of another of that name.
func TestNestedNamesOfResumedRuns(t *testing.T) {
	t.Parallel()
	store := &agent.MemoryStore{}
	for _, want := range []string{"one!", "two!"} {
		ask := agent.AsTool("ask", "", echo("!")).With(tools.Options{NeedsApproval: true})
		bot := agent.Agent{Model: scripted(calls(`ask {"task":"`+strings.TrimSuffix(want, "!")+`"}`), text("fine")), Tools: tools.NewSet(ask)}
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopApproval)
		bot.Store, bot.RunID = store, "run"
		result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve("c0"))
		if err != nil {
			t.Fatal(err)
		}
		if got := said(result.Steps[0].Calls[0]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// keptFiles counts the states in a store, those of inner runs included.
func keptFiles(t *testing.T, store agent.FileStore, want int) {
	t.Helper()
	if files, err := filepath.Glob(filepath.Join(store.Dir, "*.state.json")); err != nil || len(files) != want {
		t.Errorf("%d files, %v; want %d", len(files), err, want)
	}
}
