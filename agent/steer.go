package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/tools"
)

// controls is what the control tools have changed in a run. It follows from the
// run's steps, so that no state needs to hold it.
type controls struct {
	engine  string          // the one that was switched to; empty: none
	enabled map[string]bool // servers

	turn   chan struct{} // holds a token while a server is opened
	opened map[string]*tools.Set
	all    *tools.Set // those of the run and of what was opened; nil: of the run
}

// enableServer is the function of that tool. What it opens is offered when the
// step is over.
func (r *run) enableServer(ctx context.Context, raw json.RawMessage) (string, error) {
	set, err := r.server(ctx, picked(raw))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("From the next step on there are these tools, too: %q", set.Names()), nil
}

// server opens a server, once. Its tools must not have the names of others.
func (r *run) server(ctx context.Context, name string) (*tools.Set, error) {
	c := &r.controls
	c.turn <- struct{}{} // another call may ask for the same
	defer func() { <-c.turn }()
	if set, ok := c.opened[name]; ok {
		return set, nil
	}
	open := r.agent.Allow.Servers[name]
	if open == nil {
		return nil, chat.Invalid("Agent.Allow.Servers", fmt.Sprintf("has no %q, which the run has enabled", name))
	}
	set, err := open(ctx)
	switch {
	case err != nil:
		return nil, err
	case set == nil:
		return nil, errors.New("the server has no tools")
	}
	all := cmp.Or(c.all, r.set).With(members(set)...)
	if err := errors.Join(set.Err(), all.Err()); err != nil {
		return nil, err
	}
	if c.opened == nil {
		c.opened = map[string]*tools.Set{}
	}
	c.all, c.opened[name] = all, set
	return set, nil
}

func members(set *tools.Set) []tools.Tool {
	names := set.Names()
	out := make([]tools.Tool, len(names))
	for i, name := range names {
		out[i], _ = set.Lookup(name)
	}
	return out
}

// steer does what the model has asked for by control tools, when their step is
// over.
func (r *run) steer(ctx context.Context, calls []Call) error {
	c, allow := &r.controls, r.agent.Allow
	for _, call := range calls {
		if call.Outcome != Succeeded {
			continue
		}
		switch name := picked(call.asRun().Arguments); {
		case call.Name == toolSwitchEngine && len(allow.Engines) > 0:
			c.engine = name
		case call.Name == toolEnableServer && len(allow.Servers) > 0 && !c.enabled[name]:
			set, err := r.server(ctx, name)
			if err != nil {
				return r.stop(StopFailed, fmt.Errorf("server %q: %w", name, err))
			}
			if c.enabled == nil {
				c.enabled = map[string]bool{}
			}
			c.enabled[name] = true
			r.set = r.set.With(members(set)...)
			r.defs = r.set.Defs()
		}
	}
	return nil
}

// steerAgain does so for the steps of a run that is resumed.
func (r *run) steerAgain(ctx context.Context) error {
	for _, s := range r.result.Steps {
		if err := r.steer(ctx, s.Calls); err != nil {
			return err
		}
	}
	return nil
}

// called reports whether the model has called pause or abort in a step, and the
// reason that it gave.
func (r *run) called(tool string, allowed bool, calls []Call) (why string, ok bool) {
	for _, c := range calls {
		if allowed && c.Name == tool && c.Outcome == Succeeded {
			var in grounds
			if err := json.Unmarshal(c.asRun().Arguments, &in); err != nil {
				return err.Error(), true
			}
			return in.Reason, true
		}
	}
	return "", false
}

// aborted stops a run that the model has given up in one of these calls.
func (r *run) aborted(calls []Call) error {
	if why, ok := r.called(toolAbort, r.agent.Allow.Abort, calls); ok {
		return r.stop(StopAborted, errors.New(why))
	}
	return nil
}

// abortedBefore stops a run again that was given up.
func (r *run) abortedBefore() error {
	if last := len(r.result.Steps) - 1; last >= 0 {
		if err := r.aborted(r.result.Steps[last].Calls); err != nil {
			return err
		}
	}
	return r.stop(StopAborted, nil) // it isn't allowed any more
}

// paused stops a run that the model has interrupted in one of these calls.
func (r *run) paused(calls []Call) error {
	if why, ok := r.called(toolPause, r.agent.Allow.Pause, calls); ok {
		return r.stop(StopPaused, errors.New(why))
	}
	return nil
}

// switched is the model that was switched to; nil: none was.
func (r *run) switched() (Model, error) {
	name := r.controls.engine
	if name == "" {
		return nil, nil
	}
	m, ok := r.agent.Allow.Engines[name]
	if !ok {
		return nil, chat.Invalid("Agent.Allow.Engines", fmt.Sprintf("has no %q, to which the run has switched", name))
	}
	return m, nil
}
