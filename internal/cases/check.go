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
		c.addFault("error: %v", o.Err)
	}
	c.checkExpect(e, e.Error != nil)
	return c.faults
}

// checker collects faults.
type checker struct {
	*Outcome
	faults []string
}

func (c *checker) addFault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func checkSame[T comparable](c *checker, what string, want *T, got T) {
	if want != nil && *want != got {
		c.addFault("%s: got %s, want %s", what, shorten(fmt.Append(nil, got)), shorten(fmt.Append(nil, *want)))
	}
}

// checkExpect checks one expectation. failed says whether it, or one around it,
// wants an error.
func (c *checker) checkExpect(e *Expect, failed bool) {
	for i := range e.Wire {
		if why := e.Wire[i].checkAgainst(c.Outcome); why != "" {
			c.addFault("%s", why)
		}
	}
	checkSame(c, "requests", e.RequestCount, len(c.Requests))
	checkSame(c, "no network", e.NoNetwork, len(c.Requests) == 0)
	checkSame(c, "warns", e.Warns, c.Warned)
	checkSame(c, "canary hits", e.CanaryHits, c.Canary)
	if e.Error != nil {
		c.checkError(e.Error)
	}
	if e.Reply != nil {
		c.checkReply(e.Reply, failed)
	}
	if e.ToolRuns != nil {
		c.checkToolRuns(*e.ToolRuns)
	}
	c.checkSurroundings(e)
	c.checkOneOf(e, failed)
}

func (c *checker) checkOneOf(e *Expect, failed bool) {
	if len(e.OneOf) == 0 {
		return
	}
	var all []string
	for i := range e.OneOf {
		alt := &checker{Outcome: c.Outcome}
		alt.checkExpect(&e.OneOf[i], failed || e.OneOf[i].Error != nil)
		if len(alt.faults) == 0 {
			return
		}
		all = append(all, fmt.Sprintf("[%d] %s", i, strings.Join(alt.faults, "; ")))
	}
	c.addFault("none of the alternatives holds: %s (error: %v)", strings.Join(all, " | "), c.Err)
}

// checkSurroundings checks events, times, leaks and logs.
func (c *checker) checkSurroundings(e *Expect) {
	checkWithin(c, "the call", e.WithinMS, c.Took)
	if e.Leaks != nil {
		checkWithin(c, "goroutines back", e.Leaks.GoroutinesBackWithinMS, c.GoroutinesBack)
		checkWithin(c, "server sees close", e.Leaks.ServerSeesCloseMS, c.CloseSeen)
	}
	for _, text := range e.LogAbsent {
		if strings.Contains(c.Log, text) {
			c.addFault("the log holds %q", text)
		}
	}
	if e.Events != nil {
		c.checkEvents(e.Events)
	}
	if e.Timing != nil {
		for _, t := range *e.Timing {
			c.checkTiming(t)
		}
	}
}

func checkWithin(c *checker, what string, ms *int, took time.Duration) {
	if ms != nil && took > time.Duration(*ms)*time.Millisecond {
		c.addFault("%s: took %v, want at most %d ms", what, took, *ms)
	}
}

func (c *checker) checkEvents(e *EventsWant) {
	for i, text := range c.Texts {
		pair := text
		if i > 0 {
			pair = c.Texts[i-1] + text
		}
		for _, never := range e.TextNeverContains {
			if strings.Contains(pair, never) {
				c.addFault("a text delta holds %q", never)
			}
		}
	}
}

func (c *checker) checkTiming(t TimingWant) {
	from, to := t.Between[0], t.Between[1]
	if min(from, to) < 0 || max(from, to) >= len(c.Requests) {
		c.addFault("timing: there were %d requests", len(c.Requests))
		return
	}
	gap := c.Requests[to].At.Sub(c.Requests[from].At)
	checkWithin(c, "the time between requests", t.MaxMS, gap)
	if t.MinMS != nil && gap < time.Duration(*t.MinMS)*time.Millisecond {
		c.addFault("the time between requests: %v, want at least %d ms", gap, *t.MinMS)
	}
}

func (c *checker) checkToolRuns(want []RunWant) {
	if len(want) != len(c.ToolRuns) {
		c.addFault("tool runs: got %d, want %d", len(c.ToolRuns), len(want))
		return
	}
	for i, w := range want {
		got, what := c.ToolRuns[i], fmt.Sprintf("tool run %d", i)
		checkSame(c, what+": name", w.Name, got.Name)
		c.checkValue(what+": arguments", w.Arguments, got.Arguments)
		if text := w.ArgumentsTextContains; text != nil && !strings.Contains(string(got.Arguments), *text) {
			c.addFault("%s: arguments are %s, want %q in them", what, shorten(got.Arguments), *text)
		}
	}
}

func (c *checker) checkValue(what string, want, got json.RawMessage) {
	if want != nil && !equalJSON(want, got) {
		c.addFault("%s: got %s, want %s", what, shorten(got), shorten(compactJSON(want)))
	}
}

func (c *checker) checkError(w *ErrorWant) {
	if c.Err == nil {
		c.addFault("no error, want %s", w.Class)
		return
	}
	f := failure{error: c.Err, reply: c.Reply}
	var retryable bool
	var after time.Duration
	if e, ok := errors.AsType[*chat.Error](c.Err); ok {
		f.status, retryable, after = e.Status, e.Retryable, e.RetryAfter
	}
	if w.Class != "" && !classes[w.Class](f) {
		c.addFault("error: want class %s, got %v", w.Class, c.Err)
	}
	checkSame(c, "error status", w.Status, f.status)
	checkSame(c, "retryable", w.Retryable, retryable)
	c.checkRetryAfter(w.RetryAfterMS, after)
	for _, text := range w.MessageContains {
		if !strings.Contains(c.Err.Error(), text) {
			c.addFault("error: want %q in %q", text, c.Err)
		}
	}
	for _, text := range w.MessageAbsent {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", c.Err, c.Err, c.Err), text) {
			c.addFault("error: %q is in %q", text, c.Err)
		}
	}
	if w.Is != "" && !errors.Is(c.Err, goErrors[w.Is]) {
		c.addFault("error: want %s, got %v", w.Is, c.Err)
	}
	checkWithin(c, "the error", w.WithinMS, c.ErrTook)
}

// checkRetryAfter compares exactly, except for a delay that was given as a
// date, which counts in seconds.
func (c *checker) checkRetryAfter(want *int, got time.Duration) {
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
		c.addFault("retry after: got %v, want %d ms", got, *want)
	}
}

// checkReply accepts a reply that came with an error only where an error is
// expected.
func (c *checker) checkReply(w *ReplyWant, failed bool) {
	r := c.Reply
	if r == nil || c.Err != nil && !failed {
		c.addFault("there is no reply (error: %v)", c.Err)
		return
	}
	checkSame(c, "partial", w.Partial, c.Err != nil)
	checkSame(c, "text", w.Text, r.Text())
	checkSame(c, "text without space around it", w.TextTrimmed, strings.TrimSpace(r.Text()))
	checkSame(c, "text length", w.TextLength, utf8.RuneCountInString(r.Text()))
	checkSame(c, "thinking", w.Thinking, r.Thoughts())
	checkSame(c, "raw finish", w.RawFinish, r.RawFinish)
	c.checkValue("json", w.JSON, r.Output)
	if w.Finish != "" && !slices.Contains(finishWords[w.Finish], r.Finish) {
		c.addFault("finish: got %s, want %s", r.Finish, w.Finish)
	}
	if w.ToolCalls != nil {
		c.checkCalls(*w.ToolCalls, r.ToolCalls())
	}
	if u := w.Usage; u != nil {
		checkSame(c, "usage: input", u.InputTotal, r.Usage.Input)
		checkSame(c, "usage: cached input", u.CachedInput, r.Usage.CachedInput)
		checkSame(c, "usage: cache write", u.CacheWrite, r.Usage.CacheWrite)
		checkSame(c, "usage: output", u.Output, r.Usage.Output)
	}
}

// generated is the id of a call for which one has to be made up.
const generated = "<generated>"

func (c *checker) checkCalls(want []CallWant, got []chat.ToolCall) {
	if len(want) != len(got) {
		c.addFault("tool calls: got %d, want %d", len(got), len(want))
		return
	}
	ids := slices.Concat(c.givenIDs(), c.IDs)
	for i, w := range want {
		what := fmt.Sprintf("tool call %d", i)
		if w.ID != nil && *w.ID == generated {
			if got[i].ID == "" || slices.Contains(ids, got[i].ID) {
				c.addFault("%s: id %q is empty or not new", what, got[i].ID)
			}
		} else {
			checkSame(c, what+": id", w.ID, got[i].ID)
		}
		ids = append(ids, got[i].ID)
		checkSame(c, what+": name", w.Name, got[i].Name)
		c.checkValue(what+": arguments", w.Arguments, got[i].Arguments)
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
