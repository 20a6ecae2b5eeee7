package compact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-go/sabir/agent"
	"github.com/sabir-go/sabir/agent/compact"
	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// moment is what a crash would leave: a store, and how many calls had their
// effect.
type moment struct {
	state   []byte
	journal [][]byte
	effects int
}

// recorder is a store that keeps all its moments.
type recorder struct {
	agent.MemoryStore
	moments []moment
	effects []string
}

func (r *recorder) keep(ctx context.Context, run string, err error) error {
	state, journal, _ := r.Load(ctx, run)
	r.moments = append(r.moments, moment{state, journal, len(r.effects)})
	return err
}

func (r *recorder) Save(ctx context.Context, run string, state []byte) error {
	return r.keep(ctx, run, r.MemoryStore.Save(ctx, run, state))
}

func (r *recorder) Append(ctx context.Context, run string, entry []byte) error {
	return r.keep(ctx, run, r.MemoryStore.Append(ctx, run, entry))
}

// wide is a model whose calls give long results; the ids of its last calls say
// where it stands, whatever was left out.
func wide(_ context.Context, req *chat.Request) (*chat.Reply, error) {
	step, size := 0, 0
	for _, m := range req.Messages {
		for _, c := range m.ToolCalls() {
			if _, err := fmt.Sscanf(c.ID, "s%d.", &step); err != nil {
				return nil, err
			}
			step++
		}
		size += len(asJSON(m)) / 4
	}
	if size > 2000 {
		return nil, &chat.Error{Kind: chat.ErrTooLong}
	}
	if step == 6 {
		return text("that was all"), nil
	}
	reply := calls("look", "send", "look", "send")
	for i, p := range reply.Parts {
		c := p.(chat.ToolCall)
		c.ID = fmt.Sprintf("s%d.%d", step, i)
		c.Arguments = json.RawMessage(fmt.Sprintf(`{"id":%q}`, c.ID))
		reply.Parts[i] = c
	}
	reply.Usage = chat.Usage{Input: size, Output: 40}
	return reply, nil
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

type item struct {
	ID string `json:"id"`
}

// lived runs, or goes on with, a run in this store, and approves all it waits
// for.
func lived(t *testing.T, store *recorder, state []byte, window int) *agent.Result {
	t.Helper()
	look := tools.New("look", "", func(_ context.Context, in item) (string, error) { return in.ID + strings.Repeat(" x", 300), nil })
	send := tools.New("send", "", func(_ context.Context, in item) (string, error) {
		store.effects = append(store.effects, in.ID)
		return in.ID + " sent", nil
	}).With(tools.Options{SideEffects: true, ApprovalFor: func(raw json.RawMessage) bool { return bytes.Contains(raw, []byte("2.3")) }})
	set := tools.NewSet(look, send)
	set.MaxParallel = 1
	bot := agent.Agent{
		Model: replies(wide), Tools: set, Store: store, RunID: "r",
		Compact: compact.Compactor{Window: window, Keep: 2, Model: replies(func(context.Context, *chat.Request) (*chat.Reply, error) {
			return text("much was sent"), nil
		})},
	}
	var result *agent.Result
	var err error
	if state == nil {
		result, err = bot.Run(t.Context(), hello)
	} else {
		result, err = bot.Resume(t.Context(), state)
	}
	for err != nil && result.Reason == agent.StopApproval {
		result, err = bot.Resume(t.Context(), stateOf(t, result), agent.Approve(result.Pending[0].ID))
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestCompactedAfterCrash: a run whose history was shortened goes on from each
// point at which its process can end, and has said and done the same in the end.
func TestCompactedAfterCrash(t *testing.T) {
	t.Parallel()
	for _, window := range []int{1500, 4000} { // the provider refuses 2000
		whole := &recorder{}
		want := lived(t, whole, nil, window)
		if len(want.Archive) <= len(want.Messages) || len(whole.effects) != 12 {
			t.Fatalf("%d messages of %d, %d effects", len(want.Messages), len(want.Archive), len(whole.effects))
		}
		for i, m := range whole.moments {
			store := &recorder{effects: slices.Clone(whole.effects[:m.effects])}
			if err := store.MemoryStore.Save(t.Context(), "r", m.state); err != nil {
				t.Fatal(err)
			}
			for _, e := range m.journal {
				if err := store.MemoryStore.Append(t.Context(), "r", e); err != nil {
					t.Fatal(err)
				}
			}
			state, err := agent.Load(t.Context(), store, "r")
			if err != nil {
				t.Fatal(err)
			}
			got := lived(t, store, state, window)
			sound(t, got)
			unknown := 0
			for _, o := range outcomes(got) {
				if strings.HasSuffix(o, "unknown") {
					unknown++
				}
			}
			if len(store.effects)+unknown != 12 || unknown > 1 {
				t.Errorf("window %d, moment %d: %d unknown, effects %q", window, i, unknown, store.effects)
			}
			if unknown == 0 && (asJSON(got.Archive) != asJSON(want.Archive) || asJSON(got.Messages) != asJSON(want.Messages)) {
				t.Errorf("window %d, moment %d:\n got %s\nwant %s", window, i, asJSON(got.Messages), asJSON(want.Messages))
			}
			if unknown == 0 && got.Usage != want.Usage {
				t.Errorf("window %d, moment %d: used %+v, want %+v", window, i, got.Usage, want.Usage)
			}
		}
	}
}

// TestCompactAfterCutReply: what a reply cost that was cut, and is no part of the
// conversation, is not taken for the size of the one before it.
func TestCompactAfterCutReply(t *testing.T) {
	t.Parallel()
	read := says("read", strings.Repeat("word ", 8000)) // 10,000 tokens
	first, cut := calls("read"), ended(calls("read", "read"), chat.FinishLength)
	first.Usage, cut.Usage = chat.Usage{Input: 50, Output: 10}, chat.Usage{Input: 10100, Output: 10}
	bot := agent.Agent{Model: scripted(first, cut, text("fine")), Tools: tools.NewSet(read), Compact: compact.Compactor{Window: 20000}}
	result, err := bot.Run(t.Context(), hello)
	stopped(t, result, err, agent.StopLength)
	result, err = bot.Resume(t.Context(), stateOf(t, result))
	if err != nil || len(said(result.Steps[0].Calls[0])) != len(asText(result.Messages[2])) {
		t.Errorf("%v; of %d bytes, %d are left", err, len(said(result.Steps[0].Calls[0])), len(asText(result.Messages[2])))
	}
}

// asText is the text of a message's results.
func asText(m chat.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if r, ok := p.(chat.ToolResult); ok {
			b.WriteString(chat.Message{Parts: r.Parts}.Text())
		}
	}
	return b.String()
}
