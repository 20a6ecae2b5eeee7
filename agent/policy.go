package agent

import (
	"maps"
	"slices"

	"github.com/sabir-go/sabir/chat"
	"github.com/sabir-go/sabir/toolchoice"
)

// Policy decides about a step before the model is asked. It must be a pure
// function of the step: it is also asked about steps that are only planned, see
// [Agent.Plan], and several runs ask it at once.
type Policy func(Step) Decision

// Step is what a policy knows: the run so far. It belongs to the run and must
// not be changed.
type Step struct {
	// Index counts the steps from 0.
	Index int
	// Messages is the conversation.
	Messages []chat.Message
	// Done are the steps before this one.
	Done  []StepResult
	Usage chat.Usage
	Cost  float64
	// Closing: the model has answered, but the tool of Decision.Finish has not
	// run.
	Closing bool
}

// Ran counts how often a tool ran so far, whether it failed or not.
func (s Step) Ran(tool string) int {
	return s.count(tool, Outcome.Ran)
}

// Succeeded reports whether a tool has given a result that is no error.
func (s Step) Succeeded(tool string) bool {
	return s.count(tool, func(o Outcome) bool { return o == Succeeded }) > 0
}

func (s Step) count(tool string, counts func(Outcome) bool) int {
	n := 0
	for _, done := range s.Done {
		for _, c := range done.Calls {
			if c.Name == tool && counts(c.Outcome) {
				n++
			}
		}
	}
	return n
}

// Decision is what holds for one step, and for no other. The zero Decision
// leaves all to the agent's Request and to the model.
type Decision struct {
	// ToolChoice says what the model may or must do; zero: not decided.
	ToolChoice toolchoice.Choice
	// AllowedTools restricts the step to a subset of the tools; nil: not
	// decided, empty: none.
	AllowedTools []string
	// Thinking replaces Request.Thinking; nil: not decided.
	Thinking *chat.ThinkingConfig
	// Model and ModelName replace Agent.Model and Request.Model; nil and empty:
	// not decided.
	Model     Model
	ModelName string

	// Requires lists, by tool, the tools that must have succeeded in an earlier
	// step. A call before its time is answered with a result that says what is
	// missing, and does not run.
	Requires map[string][]string
	// MaxCalls is, by tool, how often it may run in this step; further calls
	// are answered with an error result.
	MaxCalls map[string]int
	// Refuse holds, by tool, the reason with which calls of it are answered in
	// place of being run.
	Refuse map[string]string
	// NeedsApproval lists tools whose calls need approval in this step, beside
	// those that always do; see [Agent.Resume].
	NeedsApproval []string
	// Finish names the tool by which the run ends, once it has succeeded. If the
	// model answers without it, the answer is kept in the conversation, the model
	// is asked for the tool, and the next step is Closing.
	Finish string
}

// All joins policies. What the first of them decides on ToolChoice, Thinking,
// Model, ModelName, Finish and the reason of a refusal holds; allowed tools are
// those that all of them allow; prerequisites and tools that need approval add
// up; of limits the lowest holds. nil policies are passed over.
func All(policies ...Policy) Policy {
	return func(s Step) Decision {
		var d Decision
		for _, p := range policies {
			if p != nil {
				d.join(p(s))
			}
		}
		return d
	}
}

func (d *Decision) join(e Decision) {
	if d.ToolChoice.IsZero() {
		d.ToolChoice = e.ToolChoice
	}
	if d.Thinking == nil {
		d.Thinking = e.Thinking
	}
	if d.Model == nil {
		d.Model = e.Model
	}
	if d.ModelName == "" {
		d.ModelName = e.ModelName
	}
	if d.Finish == "" {
		d.Finish = e.Finish
	}
	d.NeedsApproval = slices.Concat(d.NeedsApproval, e.NeedsApproval)
	d.AllowedTools = both(d.AllowedTools, e.AllowedTools)
	d.Requires = merge(d.Requires, e.Requires, func(a, b []string) []string { return slices.Concat(a, b) })
	d.MaxCalls = merge(d.MaxCalls, e.MaxCalls, func(a, b int) int { return min(a, b) })
	d.Refuse = merge(d.Refuse, e.Refuse, func(a, _ string) string { return a })
}

// both are the names that two restrictions leave; nil restricts nothing.
func both(a, b []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	left := make([]string, 0, len(a))
	for _, name := range a {
		if slices.Contains(b, name) {
			left = append(left, name)
		}
	}
	return left
}

// merge joins two maps into a new one; join settles what is in both.
func merge[V any](a, b map[string]V, join func(a, b V) V) map[string]V {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(a)
	if out == nil {
		out = make(map[string]V, len(b))
	}
	for name, v := range b {
		if had, ok := out[name]; ok {
			v = join(had, v)
		}
		out[name] = v
	}
	return out
}
