package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sabir-go/sabir/chat"
)

// Check lists what is not as the case wants it; none if the case is green.
func (o *Outcome) Check() []string { return o.Against(&o.Run.Want) }

// Against holds the outcome against an expectation.
func (o *Outcome) Against(e *Expect) []string {
	if o.Broken != nil {
		return []string{"the run failed: " + o.Broken.Error()}
	}
	c := &checker{Outcome: o}
	if o.Err != nil && !e.expectsError() && !e.oneOfAnywhere() {
		c.fault("error: %v", o.Err)
	}
	c.expect(e, e.Error != nil)
	return c.faults
}

// checker collects faults.
type checker struct {
	*Outcome
	faults []string
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// same compares where something is expected.
func same[T comparable](c *checker, what string, want *T, got T) {
	if want != nil && *want != got {
		c.fault("%s: got %s, want %s", what, short(fmt.Append(nil, got)), short(fmt.Append(nil, *want)))
	}
}

// expect checks one expectation. failed says whether it, or one around it,
// wants an error.
func (c *checker) expect(e *Expect, failed bool) {
	for i := range e.Wire {
		if why := e.Wire[i].holds(c.Outcome); why != "" {
			c.fault("%s", why)
		}
	}
	same(c, "requests", e.RequestCount, len(c.Requests))
	same(c, "no network", e.NoNetwork, len(c.Requests) == 0)
	same(c, "warns", e.Warns, c.Warned)
	same(c, "canary hits", e.CanaryHits, c.Canary)
	if e.Error != nil {
		c.error(e.Error)
	}
	if e.Reply != nil {
		c.reply(e.Reply, failed)
	}
	if e.ToolRuns != nil {
		c.toolRuns(*e.ToolRuns)
	}
	c.surroundings(e)
	c.oneOf(e, failed)
}

func (c *checker) oneOf(e *Expect, failed bool) {
	if len(e.OneOf) == 0 {
		return
	}
	var all []string
	for i := range e.OneOf {
		alt := &checker{Outcome: c.Outcome}
		alt.expect(&e.OneOf[i], failed || e.OneOf[i].Error != nil)
		if len(alt.faults) == 0 {
			return
		}
		all = append(all, fmt.Sprintf("[%d] %s", i, strings.Join(alt.faults, "; ")))
	}
	c.fault("none of the alternatives holds: %s (error: %v)", strings.Join(all, " | "), c.Err)
}

// surroundings checks events, times, leaks and logs.
func (c *checker) surroundings(e *Expect) {
	within(c, "the call", e.WithinMS, c.Took)
	if e.Leaks != nil {
		within(c, "goroutines back", e.Leaks.GoroutinesBackWithinMS, c.GoroutinesBack)
		within(c, "server sees close", e.Leaks.ServerSeesCloseMS, c.CloseSeen)
	}
	for _, text := range e.LogAbsent {
		if strings.Contains(c.Log, text) {
			c.fault("the log holds %q", text)
		}
	}
	if e.Events != nil {
		c.events(e.Events)
	}
	if e.Timing != nil {
		for _, t := range *e.Timing {
			c.timing(t)
		}
	}
}

func within(c *checker, what string, ms *int, took time.Duration) {
	if ms != nil && took > time.Duration(*ms)*time.Millisecond {
		c.fault("%s: took %v, want at most %d ms", what, took, *ms)
	}
}

func (c *checker) events(e *EventsWant) {
	for i, text := range c.Texts {
		pair := text
		if i > 0 {
			pair = c.Texts[i-1] + text
		}
		for _, never := range e.TextNeverContains {
			if strings.Contains(pair, never) {
				c.fault("a text delta holds %q", never)
			}
		}
	}
}

func (c *checker) timing(t TimingWant) {
	from, to := t.Between[0], t.Between[1]
	if min(from, to) < 0 || max(from, to) >= len(c.Requests) {
		c.fault("timing: there were %d requests", len(c.Requests))
		return
	}
	gap := c.Requests[to].At.Sub(c.Requests[from].At)
	within(c, "the time between requests", t.MaxMS, gap)
	if t.MinMS != nil && gap < time.Duration(*t.MinMS)*time.Millisecond {
		c.fault("the time between requests: %v, want at least %d ms", gap, *t.MinMS)
	}
}

func (c *checker) toolRuns(want []RunWant) {
	if len(want) != len(c.ToolRuns) {
		c.fault("tool runs: got %d, want %d", len(c.ToolRuns), len(want))
		return
	}
	for i, w := range want {
		got, what := c.ToolRuns[i], fmt.Sprintf("tool run %d", i)
		same(c, what+": name", w.Name, got.Name)
		c.value(what+": arguments", w.Arguments, got.Arguments)
		if text := w.ArgumentsTextContains; text != nil && !strings.Contains(string(got.Arguments), *text) {
			c.fault("%s: arguments are %s, want %q in them", what, short(got.Arguments), *text)
		}
	}
}

// value compares JSON values where one is expected.
func (c *checker) value(what string, want, got json.RawMessage) {
	if want != nil && !equalJSON(want, got) {
		c.fault("%s: got %s, want %s", what, short(got), short(compact(want)))
	}
}

func (c *checker) error(w *ErrorWant) {
	if c.Err == nil {
		c.fault("no error, want %s", w.Class)
		return
	}
	f := failure{error: c.Err, reply: c.Reply}
	var retryable bool
	var after time.Duration
	if e, ok := errors.AsType[*chat.Error](c.Err); ok {
		f.status, retryable, after = e.Status, e.Retryable, e.RetryAfter
	}
	if w.Class != "" && !classes[w.Class](f) {
		c.fault("error: want class %s, got %v", w.Class, c.Err)
	}
	same(c, "error status", w.Status, f.status)
	same(c, "retryable", w.Retryable, retryable)
	c.retryAfter(w.RetryAfterMS, after)
	for _, text := range w.MessageContains {
		if !strings.Contains(c.Err.Error(), text) {
			c.fault("error: want %q in %q", text, c.Err)
		}
	}
	for _, text := range w.MessageAbsent {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", c.Err, c.Err, c.Err), text) {
			c.fault("error: %q is in %q", text, c.Err)
		}
	}
	if w.Is != "" && !errors.Is(c.Err, goErrors[w.Is]) {
		c.fault("error: want %s, got %v", w.Is, c.Err)
	}
	within(c, "the error", w.WithinMS, c.ErrTook)
}

// retryAfter compares exactly, but for a delay that was given as a date, which
// counts in seconds.
func (c *checker) retryAfter(want *int, got time.Duration) {
	if want == nil {
		return
	}
	var slack time.Duration
	for _, r := range c.Run.Given.Responses {
		for _, value := range r.Headers {
			if httpDate.MatchString(value) {
				slack = time.Second
			}
		}
	}
	if d := time.Duration(*want)*time.Millisecond - got; d.Abs() > slack {
		c.fault("retry after: got %v, want %d ms", got, *want)
	}
}

// reply checks the final reply. One that came with an error counts only where
// an error is expected.
func (c *checker) reply(w *ReplyWant, failed bool) {
	r := c.Reply
	if r == nil || c.Err != nil && !failed {
		c.fault("there is no reply (error: %v)", c.Err)
		return
	}
	same(c, "partial", w.Partial, c.Err != nil)
	same(c, "text", w.Text, r.Text())
	same(c, "text without space around it", w.TextTrimmed, strings.TrimSpace(r.Text()))
	same(c, "text length", w.TextLength, utf8.RuneCountInString(r.Text()))
	same(c, "thinking", w.Thinking, r.Thoughts())
	same(c, "raw finish", w.RawFinish, r.RawFinish)
	c.value("json", w.JSON, r.Output)
	if w.Finish != "" && !slices.Contains(finishWords[w.Finish], r.Finish) {
		c.fault("finish: got %s, want %s", r.Finish, w.Finish)
	}
	if w.ToolCalls != nil {
		c.calls(*w.ToolCalls, r.ToolCalls())
	}
	if u := w.Usage; u != nil {
		same(c, "usage: input", u.InputTotal, r.Usage.Input)
		same(c, "usage: cached input", u.CachedInput, r.Usage.CachedInput)
		same(c, "usage: cache write", u.CacheWrite, r.Usage.CacheWrite)
		same(c, "usage: output", u.Output, r.Usage.Output)
	}
}

// generated is the id of a call for which one has to be made up.
const generated = "<generated>"

func (c *checker) calls(want []CallWant, got []chat.ToolCall) {
	if len(want) != len(got) {
		c.fault("tool calls: got %d, want %d", len(got), len(want))
		return
	}
	ids := slices.Concat(c.givenIDs(), c.IDs)
	for i, w := range want {
		what := fmt.Sprintf("tool call %d", i)
		if w.ID != nil && *w.ID == generated {
			if got[i].ID == "" || slices.Contains(ids, got[i].ID) {
				c.fault("%s: id %q is empty or not new", what, got[i].ID)
			}
		} else {
			same(c, what+": id", w.ID, got[i].ID)
		}
		ids = append(ids, got[i].ID)
		same(c, what+": name", w.Name, got[i].Name)
		c.value(what+": arguments", w.Arguments, got[i].Arguments)
	}
}

// givenIDs are those of the calls in the request.
func (o *Outcome) givenIDs() []string {
	var ids []string
	for _, m := range o.Run.Given.Request.Messages {
		for _, p := range m.Content {
			if call, ok := p.(*callPart); ok {
				ids = append(ids, call.ID)
			}
		}
	}
	return ids
}
