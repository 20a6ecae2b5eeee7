package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sabir-go/sabir/chat"
)

// ErrNoRun says that a [Store] holds nothing of a run.
var ErrNoRun = errors.New("no such run")

// Store keeps runs, so that one whose process ended can be gone on with in
// another: the state after every step, and a journal of the calls since then.
// Both are opaque JSON. A call returns when what it wrote would survive a crash.
// The context that it gets isn't cancelled with the run, which has to be stored
// even then: a store bounds its own time. One process at a time may work on a
// run.
type Store interface {
	// Save replaces the state of a run, all or nothing, and drops its journal.
	// Journal entries that are there after a crash between the two do no harm.
	Save(ctx context.Context, run string, state []byte) error
	// Append adds one entry to the journal of a run.
	Append(ctx context.Context, run string, entry []byte) error
	// Load returns the state and the journal, in order; an entry that was cut by
	// a crash is left out. The error is ErrNoRun if nothing was saved.
	Load(ctx context.Context, run string) (state []byte, journal [][]byte, err error)
}

// Load reads a run from a store, for [Agent.Resume]. What the journal says about
// calls is worked into the state.
func Load(ctx context.Context, store Store, run string) (json.RawMessage, error) {
	raw, journal, err := store.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	s, err := readState(raw)
	if err != nil {
		return nil, err
	}
	for _, line := range journal {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, &chat.Error{Kind: chat.ErrInvalid, Param: "journal", Err: err}
		}
		s.apply(e)
	}
	return json.Marshal(s)
}

// entry is what the journal says about one call of the open step.
type entry struct {
	Seq  int `json:"seq"` // of the state before it
	Call int `json:"call"`
	callState
}

// apply works an entry in. Entries of an earlier state are in this one already.
func (s *state) apply(e entry) {
	if s.Open != nil && e.Seq == s.Seq && e.Call >= 0 && e.Call < len(s.Open.Calls) {
		s.Open.Calls[e.Call] = e.callState
	}
}

// save stores the run as it stands.
func (r *run) save(ctx context.Context) error {
	if r.agent.Store == nil {
		return nil
	}
	r.seq++
	raw, err := json.Marshal(r.snapshot())
	if err == nil {
		err = r.agent.Store.Save(context.WithoutCancel(ctx), r.agent.RunID, raw)
	}
	if err != nil {
		return r.stop(StopStore, err)
	}
	return nil
}

// note enters a call of the open step into the journal.
func (r *run) note(ctx context.Context, i int) error {
	if r.agent.Store == nil {
		return nil
	}
	raw, err := json.Marshal(entry{r.seq, i, storeCall(r.open.Calls[i])})
	if err == nil {
		err = r.agent.Store.Append(context.WithoutCancel(ctx), r.agent.RunID, raw)
	}
	if err != nil {
		return r.stop(StopStore, err)
	}
	return nil
}

// noteStart notes that a call with side effects is about to run: if nothing
// more is heard of it, its outcome is unknown.
func (r *run) noteStart(ctx context.Context, i int) error {
	call := &r.open.Calls[i]
	if !r.hasSideEffects(call.Name) {
		return nil
	}
	started := *call
	*call = unknown(started)
	err := r.note(ctx, i)
	*call = started
	return err
}

func (r *run) hasSideEffects(tool string) bool {
	t, ok := r.set.Lookup(tool)
	return ok && t.Options.SideEffects
}

// unknown is a call of which only its beginning is known.
func unknown(c Call) Call {
	return c.answered(Unknown, c.Name+" was started, and its outcome is unknown: the process ended before it did. "+
		"It may have happened or not. Find out before calling it again.")
}

// MemoryStore is a [Store] for tests and for runs that need not outlive the
// process. The zero MemoryStore is ready; it is safe for concurrent use.
type MemoryStore struct {
	mu   sync.Mutex
	runs map[string]memoryRun
}

type memoryRun struct {
	state   []byte
	journal [][]byte
}

// Save implements [Store].
func (m *MemoryStore) Save(_ context.Context, run string, state []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[string]memoryRun{}
	}
	m.runs[run] = memoryRun{state: bytes.Clone(state)}
	return nil
}

// Append implements [Store].
func (m *MemoryStore) Append(_ context.Context, run string, entry []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.runs[run]
	if !ok {
		return ErrNoRun
	}
	kept.journal = append(kept.journal, bytes.Clone(entry))
	m.runs[run] = kept
	return nil
}

// Load implements [Store].
func (m *MemoryStore) Load(_ context.Context, run string) (state []byte, journal [][]byte, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.runs[run]
	if !ok {
		return nil, nil, ErrNoRun
	}
	for _, entry := range kept.journal {
		journal = append(journal, bytes.Clone(entry))
	}
	return bytes.Clone(kept.state), journal, nil
}

// since is the time since then, by the run's clock.
func (r *run) since(then time.Time) time.Duration { return r.runtime.Now().Sub(then) }
