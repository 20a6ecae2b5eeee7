package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sabir-go/sabir/chat"
)

// ErrNeedsApproval says that a call of a tool with [Options.NeedsApproval]
// came to [Set.Run]. Nothing was run.
var ErrNeedsApproval = errors.New("needs approval")

// ErrOutcomeUnknown is for a function that can't tell whether it has had its
// effect, such as after a connection broke: it returns an error that wraps it. The
// model is told as of any error; an agent books the call as of unknown outcome.
var ErrOutcomeUnknown = errors.New("outcome unknown")

const defaultParallel = 8

// Run answers calls: one result for each, in their order. Functions run side
// by side, up to MaxParallel. An unknown tool, arguments that don't fit, too
// many calls, an error, a panic and a timeout are error results for the model.
//
// Run itself fails when ctx ends, when a tool that stops on errors fails, when
// a call needs approval, and when the set is faulty. In the first two cases
// there are still as many results as calls, so the conversation can be kept
// sound: calls that did not finish say so.
func (s *Set) Run(ctx context.Context, calls []chat.ToolCall) ([]chat.ToolResult, error) {
	if pending := s.Pending(calls); len(pending) > 0 {
		return nil, fmt.Errorf("tool %q: call %s: %w", pending[0].Name, pending[0].ID, ErrNeedsApproval)
	}
	return s.RunApproved(ctx, calls)
}

// Pending lists the calls that need approval, or an answer from outside, in
// order.
func (s *Set) Pending(calls []chat.ToolCall) []chat.ToolCall {
	var pending []chat.ToolCall
	for _, c := range calls {
		if t, ok := s.Lookup(c.Name); ok && t.needsApproval(c.Arguments) {
			pending = append(pending, c)
		}
	}
	return pending
}

// RunApproved is [Set.Run] for calls that were approved where they need it.
func (s *Set) RunApproved(ctx context.Context, calls []chat.ToolCall) ([]chat.ToolResult, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	results := make([]chat.ToolResult, len(calls))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(s.maxParallel())
	var beside, serial []job
	for i, c := range calls {
		results[i] = withName(chat.ErrorResult(c.ID, "the call did not finish"), c)
		j, ready := s.prepareJob(c, &results[i])
		switch {
		case !ready:
		case j.tool.Options.Serial:
			serial = append(serial, j)
		default:
			beside = append(beside, j)
		}
	}
	if len(serial) > 0 {
		group.Go(func() error { return s.runSerial(groupCtx, serial) })
	}
	for _, j := range beside {
		group.Go(func() error { return j.run(groupCtx) })
	}
	err := group.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return results, err
}

// RunOne is [Set.RunApproved] for one call, on the caller's goroutine: for loops
// that have a scheduler of their own. Its error is also that of a function that
// doesn't know its outcome, [ErrOutcomeUnknown], although the model may be told.
func (s *Set) RunOne(ctx context.Context, call chat.ToolCall) (chat.ToolResult, error) {
	if err := s.Err(); err != nil {
		return withName(chat.ErrorResult(call.ID, err.Error()), call), err
	}
	res := withName(chat.ErrorResult(call.ID, "the call did not finish"), call)
	j, ready := s.prepareJob(call, &res)
	var err, unknown error
	j.unknown = &unknown
	switch {
	case !ready:
	case j.tool.Options.Serial:
		err = s.runSerial(ctx, []job{j})
	default:
		err = j.run(ctx)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if unknown != nil && !errors.Is(err, unknown) {
		err = errors.Join(err, unknown)
	}
	return res, err
}

func (s *Set) maxParallel() int {
	if s == nil || s.MaxParallel <= 0 {
		return defaultParallel
	}
	return s.MaxParallel
}

// Call answers one call, approved or not. All that goes wrong is an error
// result; use [Set.Run] where errors have to stop the program.
func (s *Set) Call(ctx context.Context, call chat.ToolCall) chat.ToolResult {
	results, err := s.RunApproved(ctx, []chat.ToolCall{call})
	if len(results) == 1 {
		return results[0]
	}
	return withName(chat.ErrorResult(call.ID, err.Error()), call)
}

// job is a call that is ready to run.
type job struct {
	call   chat.ToolCall
	tool   Tool
	args   json.RawMessage
	result *chat.ToolResult
	// unknown takes an ErrOutcomeUnknown; nil: nobody asks.
	unknown *error
}

// prepareJob finds the tool and checks the arguments. If the call can't run,
// res says why.
func (s *Set) prepareJob(c chat.ToolCall, res *chat.ToolResult) (job, bool) {
	refuse := func(why string) (job, bool) {
		*res = withName(chat.ErrorResult(c.ID, why), c)
		return job{}, false
	}
	t, args, err := s.matchCall(c)
	if err != nil {
		return refuse(err.Error())
	}
	if !s.countRun(t) {
		return refuse(fmt.Sprintf("%s was called %d times, which is the limit", c.Name, t.Options.MaxCalls))
	}
	return job{call: c, tool: t, args: args, result: res}, true
}

// Check says what keeps a call from being run, in words for the model: there is
// no such tool, or the arguments don't fit its schema. It runs and counts
// nothing, and is nil for a call that [Set.Run] would begin, limits and approval
// aside.
func (s *Set) Check(call chat.ToolCall) error {
	if err := s.Err(); err != nil {
		return err
	}
	_, _, err := s.matchCall(call)
	return err
}

func (s *Set) matchCall(c chat.ToolCall) (Tool, json.RawMessage, error) {
	t, ok := s.Lookup(c.Name)
	if !ok {
		return Tool{}, nil, s.errUnknownTool(c.Name)
	}
	args, err := t.fitArguments(c.Arguments)
	if err != nil {
		return Tool{}, nil, &argumentError{err}
	}
	return t, args, nil
}

func (s *Set) errUnknownTool(name string) error {
	name, names := shorten(name), s.Names()
	if len(names) == 0 {
		return fmt.Errorf("there is no tool %q, nor any other", name)
	}
	return fmt.Errorf("there is no tool %q; the tools are %s", name, strings.Join(names, ", "))
}

// runSerial runs the jobs of serial tools one after the other, and beside no
// other serial tool of the set.
func (s *Set) runSerial(ctx context.Context, jobs []job) error {
	for _, j := range jobs {
		select {
		case s.serial <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := func() error {
			defer func() { <-s.serial }()
			return j.run(ctx)
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// run returns an error only if it has to stop the whole run.
func (j job) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	res, err := j.runWithTimeout(ctx)
	if err == nil {
		res.CallID = j.call.ID
		*j.result = withName(res, j.call)
		return nil
	}
	*j.result = withName(chat.ErrorResult(j.call.ID, err.Error()), j.call)
	if j.unknown != nil && errors.Is(err, ErrOutcomeUnknown) {
		*j.unknown = err
	}
	if _, ofModel := errors.AsType[*argumentError](err); !ofModel && j.tool.Options.OnError == Stop {
		return fmt.Errorf("tool %q: %w", j.call.Name, err)
	}
	return nil
}

func (j job) runWithTimeout(ctx context.Context) (res chat.ToolResult, err error) {
	if d := j.tool.Options.Timeout; d > 0 {
		timed, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		defer func() {
			if err != nil && timed.Err() != nil && ctx.Err() == nil {
				err = fmt.Errorf("timed out after %v: %w", d, err)
			}
		}()
		return j.runRecovered(timed)
	}
	return j.runRecovered(ctx)
}

func (j job) runRecovered(ctx context.Context) (res chat.ToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the tool crashed: %s", shorten(fmt.Sprint(p)))
		}
	}()
	res, err = j.tool.run(ctx, j.args)
	if err != nil && err.Error() == "" { // which crashes, too, where the error is a nil pointer
		err = fmt.Errorf("failed%w", err)
	}
	return res, err
}

// shorten bounds a text of unknown origin.
func shorten(s string) string {
	if cut := 200; len(s) > cut {
		return strings.ToValidUTF8(s[:cut], "") + "…"
	}
	return s
}

func withName(r chat.ToolResult, c chat.ToolCall) chat.ToolResult {
	r.Name = c.Name
	return r
}
