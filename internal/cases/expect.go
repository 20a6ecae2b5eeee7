package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Expect is what must come out. Every member given must hold.
type Expect struct {
	Wire         []Assertion  `json:"wire"`
	RequestCount *int         `json:"request_count"`
	NoNetwork    *bool        `json:"no_network"`
	Warns        *bool        `json:"warns"`
	OneOf        []Expect     `json:"one_of"`
	Reply        *ReplyWant   `json:"reply"`
	Error        *ErrorWant   `json:"error"`
	ToolRuns     *[]RunWant   `json:"tool_runs"`
	Events       *EventsWant  `json:"events"`
	Timing       *timingWants `json:"timing"`
	Leaks        *LeaksWant   `json:"leaks"`
	LogAbsent    texts        `json:"log_absent"`
	CanaryHits   *int         `json:"canary_hits"`
	WithinMS     *int         `json:"within_ms"`
}

// ReplyWant is the final reply.
type ReplyWant struct {
	Text        *string         `json:"text"`
	TextTrimmed *string         `json:"text_trimmed"`
	TextLength  *int            `json:"text_length"`
	Thinking    *string         `json:"thinking"`
	JSON        json.RawMessage `json:"json"`
	ToolCalls   *[]CallWant     `json:"tool_calls"`
	Finish      string          `json:"finish"`
	RawFinish   *string         `json:"raw_finish"`
	Partial     *bool           `json:"partial"`
	Usage       *UsageWant      `json:"usage"`
}

// CallWant is one call in the reply.
type CallWant struct {
	ID        *string         `json:"id"`
	Name      *string         `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// UsageWant counts tokens.
type UsageWant struct {
	InputTotal  *int `json:"input_total"`
	CachedInput *int `json:"cached_input"`
	CacheWrite  *int `json:"cache_write"`
	Output      *int `json:"output"`
}

// ErrorWant is the error.
type ErrorWant struct {
	Class           string `json:"class"`
	Status          *int   `json:"status"`
	Retryable       *bool  `json:"retryable"`
	RetryAfterMS    *int   `json:"retry_after_ms"`
	MessageContains texts  `json:"message_contains"`
	MessageAbsent   texts  `json:"message_absent"`
	Is              string `json:"is"`
	WithinMS        *int   `json:"within_ms"`
}

// RunWant is one run of a tool.
type RunWant struct {
	Name                  *string         `json:"name"`
	Arguments             json.RawMessage `json:"arguments"`
	ArgumentsTextContains *string         `json:"arguments_text_contains"`
}

// EventsWant is about the events of a stream.
type EventsWant struct {
	TextNeverContains texts `json:"text_never_contains"`
}

// TimingWant is the time between two requests.
type TimingWant struct {
	Between [2]int `json:"between"`
	MinMS   *int   `json:"min_ms"`
	MaxMS   *int   `json:"max_ms"`
}

type timingWants []TimingWant

func (t *timingWants) UnmarshalJSON(data []byte) error { return oneOrMany(data, (*[]TimingWant)(t)) }

// LeaksWant is about what is left behind.
type LeaksWant struct {
	GoroutinesBackWithinMS *int `json:"goroutines_back_within_ms"`
	ServerSeesCloseMS      *int `json:"server_sees_close_within_ms"`
}

// ParseExpect reads an expectation.
func ParseExpect(raw json.RawMessage) (Expect, error) {
	var e Expect
	if err := decodeStrict(raw, &e); err != nil {
		return e, fmt.Errorf("expect: %w", err)
	}
	if err := e.check(); err != nil {
		return e, fmt.Errorf("expect: %w", err)
	}
	return e, nil
}

// check refuses words that the format doesn't define.
func (e *Expect) check() error {
	var errs []error
	for i := range e.Wire {
		errs = append(errs, e.Wire[i].check())
	}
	if e.Reply != nil && e.Reply.Finish != "" {
		if _, ok := finishWords[e.Reply.Finish]; !ok {
			errs = append(errs, fmt.Errorf("finish %q is not defined", e.Reply.Finish))
		}
	}
	if e.Error != nil {
		errs = append(errs, e.Error.check())
	}
	for i := range e.OneOf {
		errs = append(errs, e.OneOf[i].check())
	}
	return errors.Join(errs...)
}

func (e *ErrorWant) check() error {
	var errs []error
	if _, ok := classes[e.Class]; !ok && e.Class != "" {
		errs = append(errs, fmt.Errorf("error class %q is not defined", e.Class))
	}
	if _, ok := goErrors[e.Is]; !ok && e.Is != "" {
		errs = append(errs, fmt.Errorf("is: %q is not an error that the runner knows", e.Is))
	}
	return errors.Join(errs...)
}

// leakLimit is the longest that anything in the expectation waits for what was
// left behind, in milliseconds; -1 if nothing asks.
func (e *Expect) leakLimit() int {
	limit := -1
	if e.Leaks != nil {
		for _, ms := range []*int{e.Leaks.GoroutinesBackWithinMS, e.Leaks.ServerSeesCloseMS} {
			if ms != nil {
				limit = max(limit, *ms)
			}
		}
	}
	for i := range e.OneOf {
		limit = max(limit, e.OneOf[i].leakLimit())
	}
	return limit
}

// oneOfAnywhere reports whether a missing error member says nothing.
func (e *Expect) oneOfAnywhere() bool { return len(e.OneOf) > 0 }

// expectsError reports whether the expectation or an alternative names one.
func (e *Expect) expectsError() bool {
	return e.Error != nil || slices.ContainsFunc(e.OneOf, func(o Expect) bool { return o.expectsError() })
}
