package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/sabir-go/sabir/chat"
)

// Set is an ordered collection of tools with different names. It is safe for
// concurrent use; a nil Set holds no tools.
type Set struct {
	// MaxParallel is how many calls of one [Set.Run] run side by side; 0: 8.
	// It is set before the first run.
	MaxParallel int

	tools  []Tool
	byName map[string]int
	err    error
	serial chan struct{} // holds a token while a serial tool runs

	mu   sync.Mutex
	runs map[string]int // calls so far, by name
}

// NewSet collects tools. What is wrong with them, names that occur twice
// included, is reported by [Set.Err] and by every run.
func NewSet(tools ...Tool) *Set {
	s := &Set{
		tools:  slices.Clone(tools),
		byName: make(map[string]int, len(tools)),
		serial: make(chan struct{}, 1),
		runs:   make(map[string]int),
	}
	var errs []error
	for i, t := range tools {
		errs = append(errs, t.Err())
		if _, twice := s.byName[t.Def.Name]; twice {
			errs = append(errs, fmt.Errorf("tool %q: the name occurs twice", t.Def.Name))
		}
		s.byName[t.Def.Name] = i
	}
	s.err = errors.Join(errs...)
	return s
}

// Err is what is wrong with the set; nil if nothing is.
func (s *Set) Err() error {
	if s == nil {
		return nil
	}
	return s.err
}

// Fresh returns a set of the same tools whose counts for
// [Options.MaxCalls] begin anew, such as for another conversation.
func (s *Set) Fresh() *Set {
	if s == nil {
		return nil
	}
	return s.newSibling(s.tools)
}

// newSibling returns a set of other tools that shares this one's limit and its
// turns of serial tools.
func (s *Set) newSibling(tools []Tool) *Set {
	other := NewSet(tools...)
	other.MaxParallel = s.MaxParallel
	if s.serial != nil { // nil in the zero Set
		other.serial = s.serial
	}
	return other
}

// With returns a set of the same tools and more, which goes on counting where
// this one is and shares its turns of serial tools.
func (s *Set) With(more ...Tool) *Set {
	if s == nil {
		return NewSet(more...)
	}
	grown := s.newSibling(slices.Concat(s.tools, more))
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(grown.runs, s.runs)
	return grown
}

// Defs returns the definitions for [chat.Request.Tools], in order.
func (s *Set) Defs() []chat.ToolDef {
	if s == nil {
		return nil
	}
	defs := make([]chat.ToolDef, len(s.tools))
	for i, t := range s.tools {
		defs[i] = t.Def
	}
	return defs
}

// Names returns the names of the tools, in order.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Def.Name
	}
	return names
}

// Lookup returns the tool called name.
func (s *Set) Lookup(name string) (Tool, bool) {
	if s == nil {
		return Tool{}, false
	}
	i, ok := s.byName[name]
	if !ok {
		return Tool{}, false
	}
	return s.tools[i], true
}

// countRun counts a run of t and reports whether its limit allows it.
func (s *Set) countRun(t Tool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Options.MaxCalls > 0 && s.runs[t.Def.Name] >= t.Options.MaxCalls {
		return false
	}
	s.runs[t.Def.Name]++
	return true
}
