package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/sabir-go/sabir/chat"
)

// Parallel runs all its runners on the same input, side by side. The results
// are in their order, whatever the order in which they end. The first that fails
// ends the others, and its reason is the flow's. One that stops for approval, for
// a question or because it was paused does not: when the others have ended, the
// flow stops, and Pending lists the calls of all. See [Sequential] for results,
// states and events; those of different runs come mixed.
type Parallel struct {
	Runners []Runner
	// Limit is how many run at a time; 0: 8.
	Limit int
	// BestEffort: a run that fails doesn't end the others and is left out of the
	// answer. The flow fails if all do.
	BestEffort bool
	// Merge makes the flow's answer from the results that ended well; nil: their
	// texts, with an empty line between them.
	Merge func(ctx context.Context, results []*Result) (chat.Message, error)
	// Runtime is as in Agent.
	Runtime Runtime
}

// Start implements [Runner].
func (p Parallel) Start(ctx context.Context, s Start) iter.Seq2[Event, error] {
	return p.plot().events(ctx, s)
}

func (p Parallel) plot() plot { return plot{"parallel", p.Runners, p.work} }

func (p Parallel) work(ctx context.Context, f *flow) error {
	if len(p.Runners) == 0 {
		return f.refuse(chat.Invalid("Parallel.Runners", "is empty"))
	}
	k := fork{Parallel: p, flow: f, errs: make([]error, len(p.Runners)), first: -1}
	f.runs = make([]*Result, len(p.Runners))
	k.runAll(ctx)
	if err := k.verdict(ctx); err != nil {
		return err
	}
	if f.output == nil {
		out, err := k.merge(ctx)
		if err != nil {
			return f.stop(len(p.Runners), err)
		}
		f.output = &out
	}
	f.last = answered(f)
	return nil
}

// fork is one run of a Parallel.
type fork struct {
	Parallel
	flow *flow

	mu    sync.Mutex
	errs  []error
	first int // the first that failed; -1: none
}

// runAll starts the runs in their order, and returns when none runs any more.
func (k *fork) runAll(ctx context.Context) {
	runtime := pickRuntime(k.Runtime, k.flow.start.Runtime)
	ctx, cancel := context.WithCancel(ctx)
	tasks, running := runtime.Tasks(), 0
	defer func() {
		cancel()
		k.flow.gone = k.flow.gone || running > 0 // whoever took the events has panicked
		abandon(tasks, running)
	}()
	limit := k.Limit
	if limit <= 0 {
		limit = defaultParallel
	}
	for next := 0; ; running-- {
		for ; next < len(k.Runners) && running < limit && ctx.Err() == nil; next++ {
			i := next
			tasks.Go(ctx, func(ctx context.Context) {
				s := k.flow.start
				s.Input, s.Runtime = k.flow.input, runtime.In(ctx)
				k.run(ctx, i, s, tasks, cancel)
			})
			running++
		}
		if running == 0 {
			return
		}
		tasks.Wait()
	}
}

func (k *fork) run(ctx context.Context, i int, s Start, tasks Tasks, cancel func()) {
	tell := func(ev Event) (goesOn bool) {
		tasks.Do(func() {
			if goesOn = k.flow.tell(i, ev); !goesOn {
				cancel()
			}
		})
		return goesOn
	}
	result, err := k.guarded(ctx, i, s, tell)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flow.runs[i], k.errs[i] = result, err
	if err == nil || result.Reason.waits() || slipped(err) {
		return
	}
	if k.first < 0 {
		k.first = i
	}
	if !k.BestEffort {
		cancel()
	}
}

// guarded makes the run at i. A panic in it, such as in a policy, must not end the
// process: nobody could catch it, as it is on a goroutine of its own.
func (k *fork) guarded(ctx context.Context, i int, s Start, tell func(Event) bool) (result *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = &Result{Reason: StopFailed}, fmt.Errorf("the run crashed: %v", p)
		}
	}()
	return k.flow.one(ctx, i, k.Runners[i], s, tell)
}

// verdict says whether and over which run the flow stops.
func (k *fork) verdict(ctx context.Context) error {
	f := k.flow
	over := func(i int) error {
		f.last = f.runs[i]
		return f.stop(i, k.errs[i])
	}
	switch {
	case f.gone:
		return errGone
	case k.first >= 0 && !k.BestEffort:
		return over(k.first)
	case ctx.Err() != nil && (k.first >= 0 || slices.Contains(f.runs, nil)):
		return f.cut(ctx, max(k.first, 0))
	}
	if i := slices.IndexFunc(k.errs, slipped); i >= 0 {
		return over(i)
	}
	var reason Reason
	for i, err := range k.errs {
		if err != nil && f.runs[i].Reason.waits() {
			reason = graver(reason, f.runs[i].Reason)
		}
	}
	if reason != "" {
		return over(slices.IndexFunc(f.runs, func(r *Result) bool { return r.Reason == reason }))
	}
	if !slices.Contains(k.errs, nil) {
		return over(k.first)
	}
	return nil
}

func (k *fork) merge(ctx context.Context) (chat.Message, error) {
	var good []*Result
	for i, r := range k.flow.runs {
		if k.errs[i] == nil {
			good = append(good, r)
		}
	}
	if k.Merge != nil {
		return k.Merge(ctx, good)
	}
	texts := make([]string, len(good))
	for i, r := range good {
		texts[i] = r.Text()
	}
	return chat.User(strings.Join(texts, "\n\n")), nil
}
