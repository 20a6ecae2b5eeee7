package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/tools"
)

func TestStores(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]agent.Store{
		"memory": &agent.MemoryStore{}, "file": agent.FileStore{Dir: filepath.Join(t.TempDir(), "not", "there")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			if _, _, err := store.Load(ctx, "x"); !errors.Is(err, agent.ErrNoRun) {
				t.Errorf("a run that was never saved: %v", err)
			}
			for _, run := range []string{"x", "../../etc/passwd", "a b/ü%2F", ".", strings.Repeat("n", 200)} {
				must := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatalf("%q: %v", run, err)
					}
				}
				must(store.Save(ctx, run, []byte(`{"n":1}`)))
				must(store.Append(ctx, run, []byte(`{"old":1}`)))
				must(store.Save(ctx, run, []byte(`{"n":2}`)))
				must(store.Append(ctx, run, []byte(`{"e":1}`)))
				must(store.Append(ctx, run, []byte(`{"e":2}`)))
				state, journal, err := store.Load(ctx, run)
				must(err)
				if got := string(state) + string(bytes.Join(journal, []byte(";"))); got != `{"n":2}{"e":1};{"e":2}` {
					t.Errorf("%q: loaded %s", run, got)
				}
			}
		})
	}
}

func TestFileStore(t *testing.T) {
	t.Parallel()
	store := agent.FileStore{Dir: t.TempDir()}
	for _, run := range []string{"b/../x", "a"} {
		if err := errors.Join(store.Save(t.Context(), run, []byte(`{}`)), store.Append(t.Context(), run, []byte(`{}`))); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(store.Dir, "*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
	runs, err := store.Runs()
	if err != nil || !slices.Equal(runs, []string{"a", "b/../x"}) {
		t.Errorf("runs %q, %v", runs, err)
	}
	if err := errors.Join(store.Remove("b/../x"), store.Remove("b/../x")); err != nil {
		t.Error(err)
	}
	if runs, err := store.Runs(); err != nil || !slices.Equal(runs, []string{"a"}) {
		t.Errorf("runs %q, %v", runs, err)
	}
	for what, err := range map[string]error{
		"no name":      store.Save(t.Context(), "", nil),
		"long name":    store.Save(t.Context(), strings.Repeat("n", 300), nil),
		"no directory": agent.FileStore{}.Save(t.Context(), "a", nil),
		"two lines":    store.Append(t.Context(), "a", []byte("a\nb")),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if runs, err := (agent.FileStore{Dir: filepath.Join(store.Dir, "none")}).Runs(); err != nil || len(runs) > 0 {
		t.Errorf("of no directory: %q, %v", runs, err)
	}
}

// TestFileStoreAfterCrash: half an entry does not spoil the one after it, and
// nothing of a run is left when it is removed.
func TestFileStoreAfterCrash(t *testing.T) {
	t.Parallel()
	for torn, want := range map[string]string{"": `{"b":1}`, `{"a":`: `{"b":1}`, "{\"a\":0}\n{\"a": `{"a":0};{"b":1}`, "{\"a\":0}\n": `{"a":0};{"b":1}`} {
		store := agent.FileStore{Dir: t.TempDir()}
		err := errors.Join(
			store.Save(t.Context(), "r", []byte(`{}`)),
			os.WriteFile(filepath.Join(store.Dir, "r.journal.jsonl"), []byte(torn), 0o600),
			os.WriteFile(filepath.Join(store.Dir, "r.state.json.tmp"), []byte(`{"mess`), 0o600),
			store.Append(t.Context(), "r", []byte(`{"b":1}`)),
		)
		_, journal, failed := store.Load(t.Context(), "r")
		if got := string(bytes.Join(journal, []byte(";"))); got != want || err != nil || failed != nil {
			t.Errorf("behind %q: %s, %v, %v", torn, got, err, failed)
		}
		left, err := filepath.Glob(filepath.Join(store.Dir, "*"))
		if err := errors.Join(err, store.Remove("r")); err != nil || len(left) != 3 {
			t.Errorf("%q, %v", left, err)
		}
		if left, _ := filepath.Glob(filepath.Join(store.Dir, "*")); len(left) > 0 {
			t.Errorf("%q was left behind", left)
		}
	}
}

// failing is a store that fails from its n-th call on.
type failing struct {
	agent.MemoryStore
	left int
}

var errDisk = errors.New("disk full")

func (f *failing) fail() error {
	if f.left--; f.left < 0 {
		return errDisk
	}
	return nil
}

func (f *failing) Save(ctx context.Context, run string, state []byte) error {
	return errors.Join(f.fail(), f.MemoryStore.Save(ctx, run, state))
}

func (f *failing) Append(ctx context.Context, run string, entry []byte) error {
	return errors.Join(f.fail(), f.MemoryStore.Append(ctx, run, entry))
}

// TestStoreFails: a call with side effects that can't be entered is not made,
// and a run that can't be kept is ended.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	for left, want := range []struct {
		requests, ran int
	}{
		{0, 0}, // begin
		{1, 0}, // the reply
		{1, 0}, // the call's beginning
		{1, 1}, // its end
		{1, 1}, // the step
		{2, 1}, // the end of the run
	} {
		ran := 0
		model := scripted(calls("pay"), text("fine"))
		bot := agent.Agent{
			Model: model, Tools: tools.NewSet(counted("pay", &ran, tools.Options{SideEffects: true})),
			Store: &failing{left: left}, RunID: "r",
		}
		result, err := bot.Run(t.Context(), hello)
		stopped(t, result, err, agent.StopStore)
		if !errors.Is(err, errDisk) || len(model.Requests) != want.requests || ran != want.ran {
			t.Errorf("failing after %d: %v after %d requests, ran %d times; want %+v", left, err, len(model.Requests), ran, want)
		}
	}
	ran := 0
	bot := agent.Agent{
		Model: scripted(errors.New("no such host")), Tools: tools.NewSet(counted("pay", &ran, tools.Options{})),
		Store: &failing{left: 1}, RunID: "r",
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopFailed)
	if !errors.Is(err, errDisk) {
		t.Errorf("%v hides that the run was not kept", err)
	}
	result, err = (&agent.Agent{Model: scripted(), Store: &agent.MemoryStore{}}).Run(t.Context(), hello)
	stopped(t, result, err, agent.StopRefused)
}

// forgetful is a store that dies between the new state and the dropping of the
// journal, always.
type forgetful struct {
	agent.MemoryStore
	journal [][]byte
}

func (f *forgetful) Append(_ context.Context, _ string, entry []byte) error {
	f.journal = append(f.journal, bytes.Clone(entry))
	return nil
}

func (f *forgetful) Load(ctx context.Context, run string) (state []byte, journal [][]byte, err error) {
	state, _, err = f.MemoryStore.Load(ctx, run)
	return state, f.journal, err
}

// TestOldEntries: what the journal says about an earlier state is not taken for
// news about this one.
func TestOldEntries(t *testing.T) {
	t.Parallel()
	ran, store := 0, &forgetful{}
	bot := agent.Agent{
		Model: scripted(calls("pay"), calls("wire"), text("fine")), Store: store, RunID: "r",
		Tools: tools.NewSet(counted("pay", &ran, tools.Options{SideEffects: true}), counted("wire", &ran, tools.Options{NeedsApproval: true})),
	}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopApproval)
	state, err := agent.Load(t.Context(), store, "r")
	if err != nil {
		t.Fatal(err)
	}
	result, err = bot.Resume(t.Context(), state, agent.Approve("c0"))
	if err != nil || ran != 2 {
		t.Fatalf("%v; ran %d times", err, ran)
	}
	same(t, "calls", outcomes(result), []string{"0 pay succeeded", "1 wire succeeded"})
}

// TestUnknown: a call that was started and of which nothing more is known is
// not made again by itself; a verdict can settle it.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		verdicts []agent.Verdict
		want     string
		ran      int
	}{
		{"told", nil, "0 pay unknown", 1},
		{"again", []agent.Verdict{agent.Approve("c0")}, "0 pay succeeded", 2},
		{"it did not happen", []agent.Verdict{agent.Deny("c0", "It did not happen.")}, "0 pay refused", 1},
		{"it did", []agent.Verdict{agent.Answer("c0", "paid")}, "0 pay succeeded", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ran, store := 0, &agent.MemoryStore{}
			var crash []byte
			pay := named("pay", func(ctx context.Context) (string, error) {
				if ran++; ran == 1 { // what a crash in the middle of this call would leave
					var err error
					crash, err = agent.Load(ctx, store, "r")
					return "", err
				}
				return "paid", nil
			}).With(tools.Options{SideEffects: true})
			bot := agent.Agent{Model: scripted(calls("pay"), text("fine"), text("fine")), Tools: tools.NewSet(pay), Store: store, RunID: "r"}
			if _, err := bot.Run(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			waits, err := bot.Pending(crash)
			if err != nil || len(waits) != 1 || waits[0].Outcome != agent.Unknown {
				t.Fatalf("to decide: %+v, %v", waits, err)
			}
			result, err := bot.Resume(t.Context(), crash, c.verdicts...)
			if err != nil || ran != c.ran {
				t.Fatalf("%v; ran %d times", err, ran)
			}
			sound(t, result)
			same(t, "calls", outcomes(result), []string{c.want})
			if c.verdicts == nil && !strings.HasPrefix(said(result.Steps[0].Calls[0]), "pay was started, and its outcome is unknown") {
				t.Errorf("the model is told %q", said(result.Steps[0].Calls[0]))
			}
		})
	}
}

// TestUnknownByItsFunction: a function that can't tell is believed, and whether
// the run goes on is for the tool's options to say.
func TestUnknownByItsFunction(t *testing.T) {
	t.Parallel()
	lost := func(context.Context) (string, error) {
		return "", fmt.Errorf("connection lost: %w", tools.ErrOutcomeUnknown)
	}
	bot := agent.Agent{Model: scripted(calls("send"), text("I'll look.")), Tools: tools.NewSet(named("send", lost))}
	result, err := bot.Run(t.Context(), hello)
	if err != nil || said(result.Steps[0].Calls[0]) != "connection lost: outcome unknown" {
		t.Fatal(result, err)
	}
	same(t, "calls", outcomes(result), []string{"0 send unknown"})
	bot = agent.Agent{Model: scripted(calls("send")), Tools: tools.NewSet(named("send", lost).With(tools.Options{OnError: tools.Stop}))}
	result, err = bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopToolError)
	same(t, "calls", outcomes(result), []string{"0 send unknown"})
}
